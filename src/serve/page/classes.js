// The tables that there are, and what one of them counts.

import { ask, askAgain } from './ask.js';
import { miniature } from './board.js';
import { card, h, put } from './dom.js';
import { histogram } from './histogram.js';
import { parseClass, parsePosition } from './position.js';
import { texts } from './texts.js';
import { rulesText, sizeText } from './words.js';

// All tables of a rule set.
export async function tablesPage(place, app) {
  const name = rulesText(app.geometry());
  const tables = await askAgain('tables', { rules: app.state.rules });
  const rows = (wanted) => tables.classes.filter((each) => parseClass(each.class).hasHands === wanted);
  const row = (each) => h('tr', null,
    h('th', { scope: 'row' }, h('a', { href: app.addressOfClass(each.class), 'data-go': true, text: each.class })),
    h('td', { class: 'figures', text: texts.number(each.entries) }),
    h('td', { class: 'figures', text: sizeText(each.bytes) }));
  const list = (heading, classes) => classes.length > 0 && h('section', { class: 'list' }, h('h2', { text: heading }), h('table', null,
    h('thead', null, h('tr', null, [texts.tables.className, texts.tables.entries, texts.tables.size].map((text, at) => h('th', { scope: 'col', class: at ? 'figures' : null, text })))),
    h('tbody', null, classes.map(row))));
  put(place,
    h('h1', { text: texts.tables.heading, tabindex: '-1' }),
    h('p', { text: tables.classes.length > 0 ? texts.tables.intro(tables.classes.length, name) : texts.tables.none }),
    tables.complete_up_to !== null && h('p', { text: texts.tables.complete(tables.complete_up_to) }),
    h('p', { class: 'quiet', text: texts.tables.explain }),
    tables.damaged.length > 0 && h('section', { class: 'card damaged' }, h('h2', { text: texts.tables.damaged }),
      h('ul', null, tables.damaged.map((each) => h('li', { text: texts.tables.damagedText(each.class, each.error) })))),
    h('div', { class: 'columns' }, list(texts.tables.moving, rows(false)), list(texts.tables.placing, rows(true))));
  return texts.tables.heading;
}

const percent = (part, whole) => (whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10);

// The shares of won, drawn and lost positions as a bar.
function shares(counts) {
  const parts = ['won', 'drawn', 'lost'].map((value) => ({ value, share: percent(counts[value], counts.positions) }));
  const bar = h('div', { class: 'shares', 'aria-hidden': 'true' }, parts.filter(({ share }) => share > 0).map(({ value, share }) => {
    const part = h('span', { class: value });
    part.style.flexGrow = String(Math.max(share, 0.5));
    return part;
  }));
  return h('div', null, bar, h('p', { class: 'legend' }, parts.map(({ value, share }) => h('span', { class: `key ${value}`, text: texts.classPage.share(texts.values[value], share) }))));
}

function aboutClass(name) {
  const { board, hands, hasHands } = parseClass(name);
  return hasHands
    ? texts.classPage.aboutHands(board[0], hands[0], board[1], hands[1])
    : texts.classPage.about(board[0], board[1]);
}

function countsTable(counts) {
  const head = ['counted', 'positions'].map((key) => texts.classPage[key]).concat(['won', 'drawn', 'lost'].map((value) => texts.groups[value]));
  const row = (heading, each) => h('tr', null, h('th', { scope: 'row', text: heading }),
    [each.positions, each.won, each.drawn, each.lost].map((count) => h('td', { class: 'figures', text: texts.number(count) })));
  return h('div', { class: 'wide' }, h('table', null,
    h('thead', null, h('tr', null, head.map((text, at) => h('th', { scope: 'col', class: at ? 'figures' : null, text })))),
    h('tbody', null, row(texts.classPage.full, counts.full), row(texts.classPage.canonical, counts.canonical))));
}

function numbers(rows) {
  return h('details', null, h('summary', { text: texts.classPage.numbers }), h('div', { class: 'wide' }, h('table', null,
    h('thead', null, h('tr', null, [texts.classPage.plies, texts.groups.won, texts.groups.lost].map((text) => h('th', { scope: 'col', class: 'figures', text })))),
    h('tbody', null, rows.map((each) => h('tr', null, [each.plies, each.won, each.lost].map((count) => h('td', { class: 'figures', text: texts.number(count) }))))))));
}

// The position that was looked at before, if it is of this class.
async function here(app, name) {
  const { start, moves, at, rules } = app.state;
  if (!start) return null;
  const probe = await ask('probe', { position: start, moves: moves.slice(0, at).join(' '), rules }).catch(() => null);
  return probe?.class === name ? probe : null;
}

// One class.
export async function classPage(place, app) {
  const name = app.state.class;
  const stats = await ask(`stats/${name}`, { rules: app.state.rules, longest: 'true' });
  const [counts] = stats.classes;
  const marked = await here(app, name);
  const heading = texts.classPage.heading(counts.class);
  put(place,
    h('p', { class: 'crumbs' }, h('a', { href: app.addressOfView('tables'), 'data-go': true, text: texts.classPage.back })),
    h('h1', { text: heading, tabindex: '-1' }),
    h('p', { text: aboutClass(counts.class) }),
    h('p', { class: 'quiet', text: texts.classPage.size(counts.entries, sizeText(counts.bytes)) }),
    shares(counts.full),
    countsTable(counts),
    histogramCard(counts, marked),
    longestCard(counts, app));
  return heading;
}

function histogramCard(counts, marked) {
  const { hasHands } = parseClass(counts.class);
  if (counts.dtc.length === 0) {
    return card('histogram', texts.classPage.histogram, h('p', { text: hasHands ? texts.classPage.noHistogram : texts.classPage.allDrawn }));
  }
  return card('histogram', texts.classPage.histogram, histogram(counts.dtc, marked), numbers(counts.dtc));
}

function longestCard(counts, app) {
  if (counts.max_dtc === null) return null;
  const { longest } = counts;
  const body = longest
    ? h('div', { class: 'longest' },
        h('a', { href: app.addressOfPosition(longest.position), 'data-go': true, 'aria-label': texts.classPage.open }, miniature(app.geometry(), parsePosition(longest.position), longest.position)),
        h('div', null,
          h('p', { text: texts.classPage.longestText(texts.values[longest.value], longest.plies) }),
          h('p', null, h('code', { text: longest.position })),
          h('p', null, h('a', { href: app.addressOfPosition(longest.position), 'data-go': true, text: texts.classPage.open }))))
    : h('p', { text: texts.classPage.tooLarge });
  return card('longest-card', texts.classPage.longest, body);
}
