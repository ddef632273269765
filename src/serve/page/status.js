// What the position is worth, in letters and words, and what counter and no-remake rule change.

import { h, put } from './dom.js';
import { other } from './position.js';
import { texts } from './texts.js';
import { named, sideName, valueText } from './words.js';

// The position's value in one sentence, for the card, the title and a screen reader.
export function headline(shown, probe, hidden = false) {
  const side = sideName(shown.to_move);
  if (shown.ended) return texts.status.over;
  if (hidden) return texts.play.yourTurn;
  if (!probe) return texts.status.noValue;
  if (probe.value === 'drawn') return probe.verdict === 'drawn' ? texts.status.draws : `${texts.status.draws}: ${texts.verdicts[probe.verdict]}`;
  return probe.value === 'won' ? texts.status.wins(side) : texts.status.wins(sideName(other(shown.to_move)));
}

function detail(shown, probe, failure, hidden) {
  if (shown.ended) return texts.status.outcome[shown.ended.reason](sideName(shown.ended.winner ?? shown.to_move));
  if (hidden) return texts.play.hidden;
  if (!probe) return failure ? texts.status.unavailable(failure.message) : texts.status.loading;
  if (probe.value === 'drawn') return texts.status.drawn;
  return probe.dtc === null ? texts.status.noDistance : texts.status.distance(probe.dtc);
}

// What is to be said beside the value: the counter, and what the no-remake rule bars.
function notes(shown, probe, form) {
  const said = [];
  const listed = (lines) => texts.remake.lines(lines.map((text) => named(text, form)));
  if (probe?.verdict === 'cursed-win' && probe.at_zero) said.push(['counter', texts.counter.cursedWin(probe.at_zero.dtc)]);
  if (probe?.verdict === 'blessed-loss' && probe.at_zero) said.push(['counter', texts.counter.blessedLoss(probe.at_zero.dtc)]);
  if (probe?.value === 'won' && probe.dtc > 0 && shown.counter_limit !== null) {
    said.push(['counter', texts.counter.holds(shown.counter_limit - shown.counter - probe.dtc)]);
  }
  for (const { turn, lines } of shown.barred) {
    said.push(['remake', texts.remake.barred(named(turn, form), listed(lines))]);
  }
  for (const { side, from, to, lines } of shown.restrictions) {
    const covered = side === shown.to_move && shown.barred.length > 0;
    if (!covered) said.push(['remake', texts.remake.waiting(sideName(side), named(from, form), named(to, form), listed(lines))]);
  }
  if (probe?.unrestricted) said.push(['remake', texts.remake.matters(valueText(probe.unrestricted))]);
  return said.map(([name, text]) => h('li', { class: name, text }));
}

// A bar for the draw counter where it runs.
function counterBar(shown) {
  if (shown.counter_limit === null) return null;
  const { counter, counter_limit: limit } = shown;
  return h('div', { class: 'counter-line' },
    h('label', null, h('span', { text: texts.counter.label }), h('meter', { min: 0, max: limit, value: counter, high: limit * 0.7 })),
    h('span', { class: 'quiet', text: texts.counter.stands(counter, limit) }));
}

export class Status {
  // `classAddress` gives the address of a class's page.
  constructor(classAddress) {
    this.classAddress = classAddress;
    this.element = h('section', { class: 'card status', 'aria-label': texts.status.label });
  }

  wait() {
    this.element.setAttribute('aria-busy', 'true');
  }

  // `hidden` where the value is not to be told, and `probe` is none.
  show({ shown, probe, failure, form, hidden }) {
    this.element.removeAttribute('aria-busy');
    const value = shown.ended ? 'over' : probe?.value ?? 'unknown';
    const letter = shown.ended ? '■' : probe ? texts.letters[probe.value] : '?';
    this.element.className = `card status ${value}`;
    const name = probe?.class;
    const found = notes(shown, probe, form);
    put(
      this.element,
      h('div', { class: 'headline' },
        h('span', { class: `stamp ${value}`, 'aria-hidden': 'true', text: letter }),
        h('div', null,
          h('h1', { class: 'verdict', text: headline(shown, probe, hidden) }),
          h('p', { class: 'detail', text: detail(shown, probe, failure, hidden) }))),
      h('p', { class: 'facts' },
        h('span', { class: `who ${shown.to_move}`, text: shown.shot_pending ? texts.status.toShoot(sideName(shown.to_move)) : texts.status.toMove(sideName(shown.to_move)) }),
        name && h('a', { href: this.classAddress(name), 'data-go': true, text: `${texts.status.className} ${name}` })),
      counterBar(shown),
      found.length > 0 && h('ul', { class: 'notes' }, found),
      failure && h('p', { class: 'quiet', text: texts.status.rulesOnly }),
      probe?.error && h('p', { class: 'quiet', text: texts.status.turnsUnknown(probe.error) }),
    );
  }
}
