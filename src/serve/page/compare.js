// The same position under every rule set that is there, side by side.

import { ask } from './ask.js';
import { folded, h, put } from './dom.js';
import { texts } from './texts.js';
import { rulesText, verdictText } from './words.js';

export class Compare {
  // `owner` has addressUnder(rules).
  constructor(owner) {
    this.owner = owner;
    this.body = h('tbody');
    this.hint = h('p', { class: 'quiet' });
    const head = [texts.compare.rules, texts.compare.value, texts.compare.turns];
    this.element = folded('compare', texts.compare.heading, () => this.fill(),
      h('div', { class: 'wide' }, h('table', null, h('thead', null, h('tr', null, head.map((text) => h('th', { scope: 'col', text })))), this.body)), this.hint);
  }

  show(position, rules, sets) {
    this.position = position;
    this.rules = rules;
    this.sets = sets;
    if (this.element.open) this.fill();
  }

  async fill() {
    const { position, sets } = this;
    if (!position) return;
    this.hint.textContent = sets.length === 1 ? texts.compare.only : '';
    const rows = await Promise.all(sets.map((set) => this.row(set, position)));
    if (position === this.position) put(this.body, rows);
  }

  async row(set, position) {
    const here = set.name === this.rules;
    const name = h('th', { scope: 'row' },
      h('a', { href: this.owner.addressUnder(set.name), 'data-go': true, 'aria-current': here ? 'true' : null, text: rulesText(set) }),
      set.summary && h('span', { class: 'quiet', text: set.summary }));
    try {
      const probe = await ask('probe', { position, rules: set.name });
      const many = (value) => (probe.turns ?? []).filter((turn) => turn.value === value).length;
      return h('tr', null, name,
        h('td', null, h('span', { class: `chip ${probe.value}`, 'aria-hidden': 'true', text: texts.letters[probe.value] }), ' ', verdictText(probe)),
        h('td', { class: 'figures', text: probe.turns ? texts.compare.counts(many('won'), many('drawn'), many('lost')) : texts.compare.noTable }));
    } catch (error) {
      const text = error.code === 'bad-position' ? texts.compare.impossible : texts.compare.noTable;
      return h('tr', null, name, h('td', { class: 'quiet', colspan: 2, text, title: error.message }));
    }
  }
}
