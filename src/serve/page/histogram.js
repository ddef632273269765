// The positions of a class by plies, on a logarithmic scale: won above the axis, lost below.

import { svg } from './dom.js';
import { texts } from './texts.js';

const WIDTH = 720;
const HALF = 130;
const LEFT = 56;
const RIGHT = 16;
const TOP = 26;
const AXIS = 30;

// How high a number of positions stands.
const height = (count, most) => (count === 0 ? 0 : Math.max(2, (HALF * Math.log10(count + 1)) / Math.log10(most + 1)));

// A step of the axis that leaves about ten marks.
function step(max) {
  return [1, 2, 5, 10, 20, 50, 100].find((each) => max / each <= 14) ?? 200;
}

const short = (power) => (power < 3 ? String(10 ** power) : `10${[...String(power)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('')}`);

// `rows` have plies, won and lost; `marked` is the answer on the position at hand, if it is of this class.
export function histogram(rows, marked) {
  const max = Math.max(...rows.map((row) => row.plies));
  const most = Math.max(...rows.map((row) => Math.max(row.won, row.lost)));
  const pitch = (WIDTH - LEFT - RIGHT) / (max + 1);
  const x = (plies) => LEFT + pitch * plies;
  const bar = Math.max(1, Math.min(22, pitch * 0.78));
  const [upper, lower] = [TOP + HALF, TOP + HALF + AXIS];
  const bars = rows.flatMap(({ plies, won, lost }) => [
    won > 0 && column('won', x(plies), bar, upper - height(won, most), height(won, most), plies, won),
    lost > 0 && column('lost', x(plies), bar, lower, height(lost, most), plies, lost),
  ]);
  const ticks = [];
  for (let plies = 0; plies <= max; plies += step(max)) {
    ticks.push(svg('text', { class: 'tick', x: x(plies) + bar / 2, y: upper + 20, text: String(plies) }));
  }
  const grid = [];
  for (let power = 2; 10 ** power <= most; power += 2) {
    const far = height(10 ** power, most);
    for (const y of [upper - far, lower + far]) {
      grid.push(svg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }), svg('text', { class: 'scale', x: LEFT - 8, y: y + 4, text: short(power) }));
    }
  }
  return svg(
    'svg',
    { class: 'chart', viewBox: `0 0 ${WIDTH} ${TOP + 2 * HALF + AXIS + 10}`, role: 'img', 'aria-label': texts.classPage.histogramLabel(max) },
    grid,
    bars,
    ticks,
    svg('text', { class: 'side', x: WIDTH - RIGHT, y: TOP - 8, text: texts.groups.won }),
    svg('text', { class: 'side', x: WIDTH - RIGHT, y: TOP + 2 * HALF + AXIS + 6, text: texts.groups.lost }),
    marked && marked.dtc !== null && mark(x(marked.dtc) + bar / 2, marked.value === 'won' ? TOP - 4 : lower + HALF + 8, marked.value === 'won'),
  );
}

function column(name, x, width, y, tall, plies, count) {
  const label = `${texts.valueWith(texts.values[name], plies)}: ${texts.number(count)}`;
  return svg('rect', { class: name, x, y, width, height: tall, rx: Math.min(3, width / 3) }, svg('title', { text: label }));
}

function mark(x, y, above) {
  const tip = above ? 1 : -1;
  return svg('g', { class: 'here', transform: `translate(${x} ${y})` },
    svg('path', { d: `M-8 ${-8 * tip}H8L0 ${4 * tip}Z` }),
    svg('text', { x: 12, y: above ? -1 : 4, text: texts.classPage.here }));
}
