// The palette for setting a position up. It keeps a draft; its owner asks whether that is a legal position.

import { h, put } from './dom.js';
import { SIDES } from './position.js';
import { texts } from './texts.js';
import { named, sideName } from './words.js';

const TOOLS = [...SIDES, 'erase'];
const MOST = { hands: 12, counter: 999 };

export class Setup {
  // `owner` has drafted(draft), form(), points() and actions of the buttons.
  constructor(owner) {
    this.owner = owner;
    this.tool = 'first';
    this.element = h('section', { class: 'card setup', 'aria-labelledby': 'setup-heading', hidden: true });
  }

  show(draft, problem) {
    this.draft = draft;
    // Where the focus is stays where it is: fields are made anew.
    const held = this.element.contains(document.activeElement) ? document.activeElement.id : null;
    put(
      this.element,
      h('h2', { id: 'setup-heading', text: texts.setup.heading }),
      this.tools(),
      h('div', { class: 'fields' }, this.sides(), SIDES.map((side) => this.hand(side)), this.counter()),
      h('details', { class: 'more', open: Boolean(draft.shot || draft.remakes.first || draft.remakes.second || this.more), ontoggle: (event) => { this.more = event.target.open; } },
        h('summary', { text: texts.setup.history }),
        this.shot(), SIDES.map((side) => this.restriction(side))),
      this.buttons(Boolean(problem)),
      h('p', { class: 'problem', role: 'status', text: problem ? texts.setup.problem(problem) : '' }),
    );
    if (held) this.element.querySelector(`#${held}`)?.focus();
  }

  change(edit) {
    const draft = structuredClone(this.draft);
    edit(draft);
    this.owner.drafted(draft);
  }

  // What a tap on a point does to the draft.
  point(point) {
    this.change((draft) => {
      const held = SIDES.find((side) => draft.cows[side].includes(point));
      for (const side of SIDES) draft.cows[side] = draft.cows[side].filter((each) => each !== point);
      if (this.tool !== 'erase' && held !== this.tool) draft.cows[this.tool].push(point);
      draft.remakes = { first: null, second: null };
      draft.shot = false;
    });
  }

  tools() {
    const option = (tool) => h('label', { class: `tool ${tool}` },
      h('input', { type: 'radio', name: 'tool', id: `tool-${tool}`, value: tool, checked: tool === this.tool, onchange: () => { this.tool = tool; } }),
      h('span', { class: 'swatch', 'aria-hidden': 'true' }), h('span', { text: texts.setup[tool] }));
    return h('fieldset', { class: 'choices' }, h('legend', { text: texts.setup.tools }), TOOLS.map(option));
  }

  sides() {
    const option = (side) => h('label', null,
      h('input', { type: 'radio', name: 'to-move', id: `to-move-${side}`, checked: side === this.draft.toMove, onchange: () => this.change((draft) => { draft.toMove = side; draft.shot = false; }) }),
      h('span', { text: sideName(side) }));
    return h('fieldset', { class: 'choices' }, h('legend', { text: texts.setup.toMove }), SIDES.map(option));
  }

  stepper(id, label, value, most, set) {
    const step = (by) => set(Math.min(most, Math.max(0, value + by)));
    const button = (by, sign, text) => h('button', { type: 'button', id: `${id}${by}`, 'aria-label': text(label), onclick: () => step(by), text: sign });
    return h('div', { class: 'stepper' },
      h('label', { for: id, text: label }),
      h('span', { class: 'steps' },
        button(-1, '−', texts.setup.fewer),
        h('input', { id, type: 'number', inputmode: 'numeric', min: 0, max: most, value, onchange: (event) => set(Math.min(most, Math.max(0, Math.trunc(Number(event.target.value)) || 0))) }),
        button(1, '+', texts.setup.more)));
  }

  hand(side) {
    return this.stepper(`hand-${side}`, texts.setup.handOf(sideName(side)), this.draft.hands[side], MOST.hands,
      (count) => this.change((draft) => {
        draft.hands[side] = count;
        // The counter counts only turns without cows in hand.
        if (count > 0) draft.counter = 0;
      }));
  }

  counter() {
    return this.stepper('counter', texts.setup.counter, this.draft.counter, MOST.counter,
      (count) => this.change((draft) => { draft.counter = count; }));
  }

  shot() {
    return h('label', { class: 'check' },
      h('input', { type: 'checkbox', id: 'shot', checked: this.draft.shot, onchange: (event) => this.change((draft) => { draft.shot = event.target.checked; }) }),
      h('span', { text: texts.setup.shot }));
  }

  restriction(side) {
    const remake = this.draft.remakes[side] ?? this.half?.[side] ?? {};
    const pick = (end) => h('select', { id: `remake-${side}-${end}`, 'aria-label': `${texts.setup.restriction(sideName(side))}: ${texts.setup[end]}`,
      onchange: (event) => this.restrict(side, { ...remake, [end]: event.target.value || null }) },
      h('option', { value: '', text: texts.setup.none }),
      this.owner.points().map((point) => h('option', { value: point, selected: remake[end] === point, text: named(point, this.owner.form()) })));
    return h('fieldset', { class: 'restriction' },
      h('legend', { text: texts.setup.restriction(sideName(side)) }), pick('from'), ' – ', pick('to'));
  }

  // Both ends make a restriction; one alone waits for the other.
  restrict(side, remake) {
    this.half = { ...this.half, [side]: remake };
    const whole = remake.from && remake.to;
    if (whole || this.draft.remakes[side]) {
      this.change((draft) => { draft.remakes[side] = whole ? { from: remake.from, to: remake.to } : null; });
    }
  }

  // What changes a whole position needs one.
  buttons(isDraft) {
    const button = (name) => h('button', { type: 'button', id: `setup-${name}`, disabled: isDraft && name !== 'clear', onclick: () => this.owner[name](), text: texts.setup[name] });
    return h('div', { class: 'buttons' }, ['clear', 'exchange', 'quarter', 'mirror', 'rings'].map(button));
  }
}
