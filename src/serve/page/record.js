// The game's record, with the value of each turn and what was thrown away.

import { ask } from './ask.js';
import { card, h, put, unseen } from './dom.js';
import { texts } from './texts.js';
import { named, turnText, verdictText, worth } from './words.js';

// What a turn threw away, if anything: the best that there was, and what was made of it.
function thrown(best, made, form) {
  if (!best || !made || worth(made.value) >= worth(best.value)) return null;
  return texts.record.best(best.value === 'won' ? texts.record.threwWin : texts.record.threwDraw, named(best.turn, form));
}

export class RecordList {
  // `owner` has addressAt(count), form() and rules().
  constructor(owner) {
    this.owner = owner;
    this.body = h('div', { class: 'rounds' });
    this.summary = h('p', { class: 'quiet' });
    this.element = card('record', texts.record.heading, this.body, this.summary);
    this.judged = 0;
  }

  // `game` has start and turns with the position after each; `first` begins it.
  show(game, at, first) {
    this.summary.textContent = game.turns.length === 0 ? texts.record.empty : '';
    const cells = game.turns.map((turn, index) => this.cell(turn, index, at));
    // The second side may begin.
    const places = first === 'second' ? [null, ...cells] : cells;
    const rounds = [];
    for (let from = 0; from < places.length; from += 2) rounds.push(places.slice(from, from + 2));
    put(
      this.body,
      game.turns.length > 0 && h('p', { class: 'start' }, this.link(0, at, h('span', { text: texts.record.start }))),
      h('ol', null, rounds.map((pair) => h('li', null, pair.map((cell) => cell?.link ?? h('span', { class: 'skipped', text: '…' }))))),
    );
    this.reveal(this.body.querySelector('[aria-current]'));
    this.judge(game, cells);
  }

  // Scrolls the list, and nothing else, to a turn.
  reveal(link) {
    if (!link) return;
    const [list, turn] = [this.body.getBoundingClientRect(), link.getBoundingClientRect()];
    if (turn.top < list.top) this.body.scrollTop -= list.top - turn.top;
    else if (turn.bottom > list.bottom) this.body.scrollTop += turn.bottom - list.bottom;
  }

  link(count, at, ...children) {
    const current = count === at;
    const classes = count > at ? 'later' : null;
    return h('a', { href: this.owner.addressAt(count), 'data-go': true, class: classes, 'aria-current': current ? 'true' : null }, children);
  }

  cell(turn, index, at) {
    const form = this.owner.form();
    const mark = h('span', { class: 'mark' });
    const link = this.link(index + 1, at,
      h('span', { class: 'turn', 'aria-hidden': 'true', text: named(turn.turn, form) }), unseen(turnText(turn.turn, form)), mark);
    return { link, mark };
  }

  // Asks what each turn was worth, one after the other, and marks those that threw something away.
  async judge(game, cells) {
    const run = ++this.judged;
    let count = 0;
    let before = game.start;
    for (const [index, turn] of game.turns.entries()) {
      const probe = await ask('probe', { position: before, rules: this.owner.rules() }).catch(() => null);
      if (run !== this.judged) return;
      const made = probe?.turns?.find((each) => each.turn === turn.turn);
      if (made) count += this.mark(cells[index], made, thrown(probe.turns[0], made, this.owner.form()));
      before = turn.position;
    }
    if (game.turns.length > 0) this.summary.textContent = count === 0 ? texts.record.nothingThrown : texts.record.thrown(count);
  }

  mark({ link, mark }, made, loss) {
    link.classList.add(made.value);
    link.title = loss ?? '';
    put(mark,
      h('span', { class: `chip ${made.value}`, 'aria-hidden': 'true', text: texts.letters[made.value] }),
      unseen(`, ${verdictText(made)}`),
      loss && h('span', { class: 'blunder', 'aria-hidden': 'true', text: '??' }),
      loss && unseen(`, ${loss}`));
    return loss ? 1 : 0;
  }
}
