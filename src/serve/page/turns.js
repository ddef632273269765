// The list of all turns, grouped by value, each a link to the position it leads to.

import { card, h, put, unseen } from './dom.js';
import { texts } from './texts.js';
import { named, turnText, verdictText, worth } from './words.js';

const GROUPS = ['won', 'drawn', 'lost', null];

export class TurnList {
  // `owner` has chosen(turn), looked(turn or null), addressAfter(turn) and form().
  constructor(owner) {
    this.owner = owner;
    this.turns = [];
    this.body = h('div', { class: 'groups' });
    this.summary = h('p', { class: 'quiet turn-count' });
    this.element = card('turns', texts.turns.heading, this.summary, this.body);
    const look = (event) => owner.looked(this.turnOf(event.target));
    this.body.addEventListener('pointerover', look);
    this.body.addEventListener('focusin', look);
    this.body.addEventListener('pointerleave', () => owner.looked(null));
    this.body.addEventListener('focusout', () => owner.looked(null));
    this.body.addEventListener('click', (event) => {
      const turn = this.turnOf(event.target);
      if (!turn || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      event.stopPropagation();
      owner.chosen(turn);
    });
  }

  turnOf(target) {
    const link = target.closest?.('a[data-turn]');
    return link ? this.turns[Number(link.dataset.turn)] : null;
  }

  // Gives the focus to a turn by its number, 1 for the first; whether there is one.
  focus(number) {
    const link = this.body.querySelector(`a[data-turn="${number - 1}"]`);
    link?.focus();
    return Boolean(link);
  }

  show(turns, barred = []) {
    const held = this.body.contains(document.activeElement);
    this.turns = turns;
    this.summary.textContent = turns.length > 0 ? `${texts.turns.count(turns.length)}. ${texts.turns.hint}` : texts.turns.none;
    put(this.body, GROUPS.map((value) => this.group(value)), this.barred(barred));
    if (held) this.focus(1);
  }

  group(value) {
    const turns = this.turns.filter((turn) => turn.value === value);
    if (turns.length === 0) return null;
    const name = value ?? 'none';
    return h('div', { class: `group ${name}` },
      h('h3', null, h('span', { text: texts.groups[name] }), ' ', h('span', { class: 'many', text: String(turns.length) })),
      h('ol', { class: turns.every((turn) => turn.dtc === null && !turn.turn.includes('-')) ? 'short' : null }, turns.map((turn) => this.item(turn))));
  }

  item(turn) {
    const form = this.owner.form();
    const value = turn.value ?? 'unknown';
    return h('li', null,
      h('a', { href: this.owner.addressAfter(turn), 'data-turn': turn.rank, class: value },
        h('span', { class: 'number', 'aria-hidden': 'true', text: String(turn.rank + 1) }),
        h('span', { class: 'turn', 'aria-hidden': 'true', text: named(turn.turn, form) }),
        unseen(`${turn.rank + 1}: ${turnText(turn.turn, form)}, `),
        turn.value && h('span', { class: `chip ${value}`, 'aria-hidden': 'true', text: texts.letters[turn.value] }),
        turn.value && h('span', { class: 'worth', text: verdictText(turn) }),
        turn.ends && h('span', { class: 'note', text: texts.turns.ends })));
  }

  // Turns that only the no-remake rule takes away. Why stands beside the value.
  barred(barred) {
    if (barred.length === 0) return null;
    const item = ({ turn }) => h('li', null, h('s', { class: 'turn', text: named(turn, this.owner.form()) }), ' ', texts.board.barred);
    return h('div', { class: 'group barred' }, h('h3', { text: texts.groups.barred }), h('ul', null, barred.map(item)));
  }
}

// The turns of a position with their values, best first: where they lead from what the rules say, values from the tables.
export function rankedTurns(shown, probe) {
  const valued = new Map((probe?.turns ?? []).map((turn, rank) => [turn.turn, { ...turn, rank }]));
  const turns = shown.turns.map(({ turn, position }, rank) => {
    const { value = null, dtc = null, verdict = null, outcome, rank: place = rank } = valued.get(turn) ?? {};
    return { turn, position, value, dtc, verdict, ends: Boolean(outcome), rank: place };
  });
  turns.sort((a, b) => a.rank - b.rank);
  const best = turns[0];
  for (const turn of turns) turn.top = turn.value !== null && worth(turn.value) === worth(best.value) && turn.dtc === best.dtc;
  return turns;
}
