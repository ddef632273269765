// The explorer: board, value, turns and record of one game, held together.

import { ask } from './ask.js';
import { Board, cowShape } from './board.js';
import { Compare } from './compare.js';
import { folded, h, put, svg } from './dom.js';
import { Images } from './images.js';
import { Notation, programsAddress, readText } from './notation.js';
import { formatPosition, emptyBoard, parsePosition, parseTurn, SIDES } from './position.js';
import { RecordList } from './record.js';
import { Setup } from './setup.js';
import { headline, Status } from './status.js';
import { texts } from './texts.js';
import { rankedTurns, TurnList } from './turns.js';
import { named, sideName, turnText, valueText, verdictText } from './words.js';

const PACE = 900;

// Symmetries by the number of the image: a quarter turn, a reflection, the rings exchanged.
const IMAGES = { quarter: 1, mirror: 4, rings: 8 };

const SIGNS = {
  start: 'M4 5h3v14H4zM20 5v14L8.500 12z',
  undo: 'M18 5v14L6 12z',
  redo: 'M6 5v14l12-7z',
  end: 'M17 5h3v14h-3zM4 5v14l11.500-7z',
};

export class Explorer {
  // `app` has state, go(changes, how), say(text), and what the rules are.
  constructor(app) {
    this.app = app;
    this.game = null;
    this.editing = false;
    this.pace = null;
    // The timer of the tables' next turn, and the position for which a hint was asked.
    this.replying = null;
    this.hinted = null;
    this.shownAs = null;
    // What was set up before and after, to be undone and redone.
    this.drafts = { before: [], after: [] };
    this.build();
  }

  form() {
    return this.app.state.points;
  }

  rules() {
    return this.app.state.rules;
  }

  build() {
    const form = () => this.form();
    this.board = new Board({ form, said: (text) => this.app.say(text), chosen: (turn) => this.play(turn), pointed: (point) => this.setup.point(point) });
    this.status = new Status((name) => this.app.addressOfClass(name));
    this.turns = new TurnList({ form, chosen: (turn) => this.play(turn), looked: (turn) => this.board.preview(turn && { ...turn, ...parseTurn(turn.turn) }), addressAfter: (turn) => this.addressAfter(turn) });
    this.record = new RecordList({ form, rules: () => this.rules(), addressAt: (count) => this.app.addressOf({ at: count }) });
    this.notation = new Notation({ pasted: (text) => this.paste(text), said: (text) => this.app.say(text) });
    this.compare = new Compare({ addressUnder: (rules) => this.app.addressOf({ rules }) });
    this.images = new Images({ addressOf: (position) => this.app.addressOfPosition(position), geometry: () => this.app.geometry() });
    this.setup = new Setup({
      form,
      points: () => this.app.geometry().points.map(([grid]) => grid),
      drafted: (draft) => this.draft(draft),
      clear: () => this.draft({ ...emptyBoard(), toMove: this.setup.draft.toMove }),
      exchange: () => this.transform((shown) => shown.exchanged),
      quarter: () => this.transform((shown) => shown.images[IMAGES.quarter]),
      mirror: () => this.transform((shown) => shown.images[IMAGES.mirror]),
      rings: () => this.transform((shown) => shown.images[IMAGES.rings]),
    });
    this.trays = { first: h('div', { class: 'tray first' }), second: h('div', { class: 'tray second' }) };
    this.line = h('ol', { class: 'best-line' });
    this.lineCard = folded('line', texts.line.heading, () => this.fillLine(), this.line);
    this.programs = h('p', { class: 'quiet programs' });
    this.bar();
    this.element = h('div', { class: 'explorer' },
      h('div', { class: 'desk' },
        h('div', { class: 'play', id: 'board' }, this.trays.second, this.board.element, this.trays.first, this.toolbar),
        h('div', { class: 'side' }, this.status.element, this.setup.element, this.turns.element, this.record.element)),
      h('div', { class: 'extras' }, this.lineCard, this.notation.element, this.compare.element, this.images.element, keysCard(this.app), aboutCard(this.programs)));
  }

  bar() {
    const button = (name, sign, action) => h('button', { type: 'button', class: sign ? 'sign' : null, 'aria-label': sign ? texts.bar[name] : null, title: sign ? texts.bar[name] : null, onclick: action },
      sign ? svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('path', { d: sign })) : texts.bar[name]);
    this.buttons = {
      start: button('start', SIGNS.start, () => this.at(0)),
      undo: button('undo', SIGNS.undo, () => this.undo()),
      redo: button('redo', SIGNS.redo, () => this.redo()),
      end: button('end', SIGNS.end, () => this.at(this.app.state.moves.length)),
      best: button('best', null, () => this.playBest()),
      play: button('play', null, () => this.toggleLine()),
      setup: button('setup', null, () => this.toggleSetup()),
      newGame: button('newGame', null, () => this.newGame()),
      names: h('button', { type: 'button', onclick: () => this.toggleNames() }),
    };
    this.hint = h('button', { type: 'button', onclick: () => this.showHint(), text: texts.play.hint });
    this.opponent = h('select', { id: 'opponent', onchange: () => this.app.go({ opponent: this.opponent.value || null }) },
      h('option', { value: '', text: texts.play.nobody }), SIDES.map((side) => h('option', { value: side, text: sideName(side) })));
    const against = h('label', { class: 'against', for: 'opponent' }, h('span', { text: texts.play.label }), this.opponent);
    const { start, undo, redo, end, best, play, ...rest } = this.buttons;
    const groups = [[start, undo, redo, end], [best, play, this.hint], Object.values(rest), [against]];
    this.toolbar = h('div', { class: 'toolbar', role: 'group', 'aria-label': texts.bar.label }, groups.map((group) => h('div', null, group)));
  }

  // Shows what the state says.
  async update(how = {}) {
    clearTimeout(this.replying);
    const { start, moves, at, rules } = this.app.state;
    const game = await this.gameOf(start, moves, rules);
    if (!this.isCurrent(start, moves, at, rules)) return;
    this.game = game;
    const position = at === 0 ? game.start : game.turns[at - 1].position;
    this.status.wait();
    const shown = await ask('show', { position, rules });
    if (!this.isCurrent(start, moves, at, rules)) return;
    const known = this.shownAs?.position === position && this.shownAs.rules === rules;
    if (!known) this.showBoard(shown, rankedTurns(shown, null), how.way ?? null);
    let [probe, failure] = [null, null];
    try {
      probe = shown.ended ? await ask('probe', { position, rules }).catch(() => null) : await ask('probe', { position, rules });
    } catch (error) {
      failure = error;
    }
    if (!this.isCurrent(start, moves, at, rules)) return;
    this.shownAs = { position, rules };
    this.shown = shown;
    this.probe = probe;
    this.showAll(failure, how);
  }

  isCurrent(start, moves, at, rules) {
    const { state } = this.app;
    return state.view === 'explorer' && state.start === start && state.moves.join() === moves.join() && state.at === at && state.rules === rules;
  }

  // The record with the position after each turn, and where it begins.
  async gameOf(start, moves, rules) {
    const key = JSON.stringify([start, moves, rules]);
    if (this.gameKey === key) return this.games;
    const shown = await ask('show', { position: start, moves: moves.join(' '), rules });
    this.keep(start, moves, rules, shown.record ?? { start: shown.position, turns: [] });
    return this.games;
  }

  keep(start, moves, rules, game) {
    this.gameKey = JSON.stringify([start, moves, rules]);
    this.games = game;
  }

  showBoard(shown, turns, way) {
    this.board.lay(this.app.geometry());
    this.board.show(parsePosition(shown.position), turns.map((turn) => ({ ...turn, ...parseTurn(turn.turn) })), way);
  }

  showAll(failure, how) {
    this.failure = failure;
    const { shown, probe, game } = this;
    const { at, moves } = this.app.state;
    const hidden = this.hides();
    const ranked = rankedTurns(shown, hidden ? null : probe);
    const way = this.animated === this.shownAs.position ? null : how.way;
    this.animated = this.shownAs.position;
    this.board.edit(this.editing);
    this.showBoard(shown, ranked, way ?? null);
    this.status.show({ shown, probe: hidden ? null : probe, failure: hidden ? null : failure, form: this.form(), hidden });
    this.turns.show(ranked, shown.barred);
    this.record.show(game, at, parsePosition(game.start).toMove);
    this.notation.show(shown, game.turns.slice(0, at).map((turn) => turn.turn));
    this.compare.show(shown.position, this.app.rulesName(), this.app.sets);
    this.images.show(shown.images);
    if (this.lineCard.open) this.fillLine();
    // What was tapped meanwhile is not taken back.
    if (this.editing && !this.drafted) this.setup.show(parsePosition(shown.position), null);
    for (const side of SIDES) this.showTray(side);
    this.showBar(at, moves.length);
    put(this.programs, h('span', { text: `${texts.about.programs}: ` }), ['probe', 'line', 'show'].map((endpoint) => [' ', h('a', { href: programsAddress(endpoint, { position: shown.position, rules: this.rules() }), text: `/v1/${endpoint}` })]));
    document.title = texts.titleOf(`${headline(shown, probe, hidden)}${probe?.dtc && !hidden ? `, ${texts.plies(probe.dtc)}` : ''}`);
    this.tell(how);
    this.replyLater();
  }

  // Whether somebody plays against the tables here, at the end of the record.
  isAgainst() {
    const { at, moves, opponent } = this.app.state;
    return opponent !== null && at === moves.length && !this.shown.ended && !this.editing;
  }

  // Whether values are hidden: from whoever plays against the tables and has not asked for a hint.
  hides() {
    const { opponent } = this.app.state;
    return this.isAgainst() && this.shown.to_move !== opponent && Boolean(this.probe) && this.hinted !== this.shown.position;
  }

  showHint() {
    this.hinted = this.shown.position;
    this.showAll(this.failure, {});
  }

  // The tables play a turn if it is theirs.
  replyLater() {
    const { opponent } = this.app.state;
    if (!this.isAgainst() || this.shown.to_move !== opponent || this.pace) return;
    const { shown } = this;
    this.replying = setTimeout(() => { if (shown === this.shown) this.playBest(); }, PACE);
  }

  // Tells a screen reader what has happened and what the position is worth.
  tell(how) {
    const { shown, probe } = this;
    const said = how.said ? [how.said] : [];
    if (shown.ended) said.push(texts.status.outcome[shown.ended.reason](sideName(shown.ended.winner ?? shown.to_move)));
    else said.push(texts.say.position(texts.status.toMove(sideName(shown.to_move)), this.valueSaid()));
    this.app.say(said.join(' '));
  }

  valueSaid() {
    if (this.hides()) return texts.play.yourTurn;
    return this.probe ? verdictText(this.probe) : texts.status.noValue;
  }

  showTray(side) {
    const { shown } = this;
    const here = shown.to_move === side && !shown.ended;
    const tray = this.trays[side];
    tray.classList.toggle('to-move', here);
    const hand = shown.hands[side];
    const cow = () => svg('svg', { class: 'small-cow', viewBox: '-36 -36 72 72', 'aria-hidden': 'true' }, svg('g', { class: `point cow ${side}` }, cowShape(side)));
    put(tray,
      h('span', { class: 'player' }, cow(), h('strong', { text: sideName(side) })),
      h('span', { class: 'quiet', text: [texts.board.onBoard(shown.cows[side].length), hand > 0 && texts.board.inHand(hand)].filter(Boolean).join(' · ') }),
      hand > 0 && h('span', { class: 'hand', 'aria-hidden': 'true' }, Array.from({ length: hand }, cow)));
  }

  showBar(at, length) {
    const off = (name, isOff) => { this.buttons[name].disabled = isOff; };
    off('start', at === 0);
    off('undo', at === 0 && !(this.editing && this.drafts.before.length > 0));
    off('redo', at === length && !(this.editing && this.drafts.after.length > 0));
    off('end', at === length);
    const decided = this.probe && this.probe.value !== 'drawn' && !this.shown.ended;
    off('best', !this.probe?.turns?.length);
    off('play', !decided && !this.pace);
    this.opponent.value = this.app.state.opponent ?? '';
    this.hint.hidden = this.app.state.opponent === null;
    this.hint.disabled = !this.hides();
    this.buttons.play.textContent = this.pace ? texts.bar.stop : texts.bar.play;
    this.buttons.setup.textContent = this.editing ? texts.bar.done : texts.bar.setup;
    this.buttons.setup.setAttribute('aria-pressed', String(this.editing));
    this.buttons.names.textContent = texts.bar.names(this.form());
    this.buttons.names.title = texts.bar.namesLabel;
  }

  addressAfter(turn) {
    return this.app.addressOf(this.after(turn));
  }

  // The state after a turn: where it is the next of the record, the rest of the record stays.
  after(turn) {
    const { moves, at } = this.app.state;
    return moves[at] === turn.turn ? { at: at + 1 } : { moves: [...moves.slice(0, at), turn.turn], at: at + 1 };
  }

  play(turn, isLine = false) {
    if (!isLine) this.stopLine();
    const change = this.after(turn);
    const { start, rules, at } = this.app.state;
    if (change.moves) {
      const turns = [...this.game.turns.slice(0, at), { turn: turn.turn, position: turn.position }];
      this.keep(start, change.moves, rules, { start: this.game.start, turns });
    }
    const said = texts.say.played(sideName(this.shown.to_move), turnText(turn.turn, this.form()));
    return this.app.go(change, { way: turn.turn, said });
  }

  at(count, said = null) {
    this.stopLine();
    const { at, moves } = this.app.state;
    if (count < 0 || count > moves.length || count === at) return;
    this.app.go({ at: count }, { said, way: count === at + 1 ? moves[at] : null });
  }

  undo() {
    if (this.editing && this.app.state.at === 0) this.backTo('before', 'after');
    else {
      // Against the tables, back to one's own turn.
      const { at, opponent } = this.app.state;
      const back = opponent !== null && this.shown.to_move !== opponent && at > 1 ? 2 : 1;
      this.at(at - back, texts.say.undone);
    }
  }

  redo() {
    const { at, moves } = this.app.state;
    if (this.editing && moves.length === 0) this.backTo('after', 'before');
    else if (at < moves.length) this.at(at + 1, texts.say.played(sideName(this.shown.to_move), turnText(moves[at], this.form())));
  }

  // Goes back to what was set up before, or on to what came after.
  backTo(from, to) {
    const draft = this.drafts[from].pop();
    if (!draft) return;
    this.drafts[to].push(this.begun());
    this.app.go(draft, { said: texts.say.undone });
  }

  // What undoing goes back to.
  begun() {
    const { start, moves, at } = this.app.state;
    return { start, moves, at };
  }

  playBest() {
    if (this.probe?.turns?.length) this.play(rankedTurns(this.shown, this.probe)[0]);
  }

  newGame() {
    this.stopLine();
    this.app.go({ start: this.app.startText(), moves: [], at: 0 });
  }

  toggleNames() {
    this.app.go({ points: this.form() === 'gar' ? 'grid' : 'gar' });
  }

  // Plays the best line turn by turn until it ends or something else is done.
  async toggleLine() {
    if (this.pace) {
      this.stopLine();
      return;
    }
    const { position } = this.shown;
    const line = await ask('line', { position, rules: this.rules() }).catch((error) => this.app.fail(error));
    if (!line || this.shown.position !== position) return;
    const turns = [...line.turns];
    const next = async () => {
      const turn = turns.shift();
      if (!turn) {
        this.stopLine();
        this.app.say(texts.say.lineEnd);
        return;
      }
      await this.play(turn, true);
      if (this.pace) this.pace = setTimeout(next, PACE);
    };
    this.pace = setTimeout(next, 0);
    this.showBar(this.app.state.at, this.app.state.moves.length);
  }

  stopLine() {
    if (!this.pace) return;
    clearTimeout(this.pace);
    this.pace = null;
    this.showBar(this.app.state.at, this.app.state.moves.length);
  }

  async fillLine() {
    const { shown, probe } = this;
    if (!shown) return;
    if (!probe || probe.value === 'drawn') {
      put(this.line, h('li', { class: 'quiet', text: probe ? texts.line.drawn : texts.status.noValue }));
      return;
    }
    try {
      const line = await ask('line', { position: shown.position, rules: this.rules() });
      if (shown !== this.shown) return;
      const { moves, at } = this.app.state;
      const before = moves.slice(0, at);
      const made = line.turns.map((turn) => turn.turn);
      put(this.line,
        line.turns.map((turn, index) => h('li', null, h('a', { href: this.app.addressOf({ moves: [...before, ...made], at: at + index + 1 }), 'data-go': true },
          h('span', { class: `dot-of ${turn.side}`, 'aria-hidden': 'true' }), h('span', { class: 'turn', text: named(turn.turn, this.form()) }), ' ', h('span', { class: 'quiet', text: valueText(turn) })))),
        h('li', { class: 'quiet end', text: texts.line.length(line.turns.length, texts.line.ends[line.end.reason]) }));
    } catch (error) {
      put(this.line, h('li', { class: 'quiet', text: texts.status.unavailable(error.message) }));
    }
  }

  toggleSetup() {
    this.stopLine();
    this.editing = !this.editing;
    this.drafts = { before: [], after: [] };
    this.drafted = null;
    this.element.classList.remove('drafting');
    this.setup.element.hidden = !this.editing;
    this.element.classList.toggle('editing', this.editing);
    this.board.edit(this.editing);
    if (this.editing) this.setup.show(parsePosition(this.shown.position), null);
    else this.showAll(this.failure, {});
    this.showBar(this.app.state.at, this.app.state.moves.length);
  }

  // A draft of the palette: shown at once, and the state of the page where it is a legal position.
  async draft(draft) {
    this.drafted = draft;
    this.setup.show(draft, null);
    this.board.show(draft, []);
    try {
      const shown = await ask('show', { position: formatPosition(draft), rules: this.rules() });
      if (this.drafted !== draft) return;
      this.drafted = null;
      this.element.classList.remove('drafting');
      this.drafts = { before: [...this.drafts.before, this.begun()], after: [] };
      await this.app.go({ start: shown.position, moves: [], at: 0 });
    } catch (error) {
      if (this.drafted !== draft) return;
      this.setup.show(draft, error.message);
      this.element.classList.add('drafting');
      this.app.say(texts.setup.problem(error.message));
    }
  }

  async transform(pick) {
    const next = parsePosition(pick(this.shown));
    await this.draft(next);
  }

  // A position, a record or a link that was pasted. Fails with what was expected.
  async paste(text) {
    const { position, moves, link } = readText(text);
    const state = link && this.app.settled(link);
    const rules = state?.rules ?? this.rules();
    const shown = await ask('show', { position: position ?? (moves === null ? state?.start : null), moves, rules });
    const record = shown.record ?? { start: shown.position, turns: [] };
    const made = record.turns.map((turn) => turn.turn);
    const at = link && link.at < link.moves.length ? Math.min(link.at, made.length) : made.length;
    this.stopLine();
    this.keep(record.start, made, rules, record);
    await this.app.go({ ...state, start: record.start, moves: made, at }, { said: texts.say.loaded });
  }

  // A key outside of fields and of the board's own.
  key(event) {
    const { key } = event;
    if (/^[0-9]$/.test(key)) {
      this.digit(key);
      return true;
    }
    const action = {
      u: () => this.undo(), r: () => this.redo(), b: () => this.playBest(), p: () => this.buttons.play.disabled || this.toggleLine(),
      h: () => this.hint.disabled || this.showHint(), s: () => this.toggleSetup(), n: () => this.toggleNames(), m: () => this.board.focus(), t: () => this.turns.focus(1),
      Escape: () => (this.pace ? this.stopLine() : this.board.cancel()),
    }[key];
    action?.();
    return Boolean(action);
  }

  // Digits typed soon after each other are one number.
  digit(key) {
    const now = performance.now();
    this.typed = now - (this.typedAt ?? -Infinity) < 900 ? this.typed + key : key;
    this.typedAt = now;
    if (!this.turns.focus(Number(this.typed))) {
      this.typed = key;
      this.turns.focus(Number(key));
    }
  }
}

function keysCard(app) {
  const box = h('input', { type: 'checkbox', id: 'use-keys', checked: app.usesKeys(), onchange: (event) => app.useKeys(event.target.checked) });
  return folded('keys', texts.keys.heading, null,
    h('label', { class: 'check' }, box, h('span', { text: texts.keys.use })),
    h('dl', null, texts.keys.list.map(([key, what]) => [h('dt', null, h('kbd', { text: key })), h('dd', { text: what })])));
}

const aboutCard = (programs) => folded('about', texts.about.heading, null,
  h('dl', null, texts.about.list.map(([word, what]) => [h('dt', { text: word }), h('dd', { text: what })])), programs);
