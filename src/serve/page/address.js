// The state of the page as an address, and back. Everything is in it, so links can be shared and the browser's history works.
//
// view      explorer, tables, class or records
// rules     a name, or null for the first rules that are served
// start     where the record begins, in short form; null for the start of the game
// moves     the record, turns as text
// at        how many of them are played
// points    grid or gar: how points are named
// opponent  first or second: which side the tables play, if any
// class     of the class page

import { query } from './ask.js';
import { SIDES } from './position.js';

const VIEWS = ['explorer', 'tables', 'class', 'records'];

export function readAddress(location) {
  const given = new URLSearchParams(location.search);
  const moves = (given.get('moves') ?? '').split(/[\s,;]+/).filter(Boolean);
  const at = Number.parseInt(given.get('at') ?? '', 10);
  const view = given.get('view') ?? (given.has('class') ? 'class' : 'explorer');
  return {
    view: VIEWS.includes(view) ? view : 'explorer',
    rules: given.get('rules') || null,
    start: given.get('position') || null,
    moves,
    at: Number.isInteger(at) && at >= 0 && at < moves.length ? at : moves.length,
    points: given.get('points') === 'gar' ? 'gar' : 'grid',
    opponent: SIDES.includes(given.get('opponent')) ? given.get('opponent') : null,
    class: given.get('class'),
    bare: !given.has('position') && !given.has('moves'),
  };
}

export function addressOf(state) {
  const explorer = state.view === 'explorer';
  const text = query({
    view: explorer || state.view === 'class' ? null : state.view,
    class: state.view === 'class' ? state.class : null,
    position: state.start,
    moves: state.moves.join(','),
    at: state.at < state.moves.length ? String(state.at) : null,
    rules: state.rules,
    points: state.points === 'gar' ? 'gar' : null,
    opponent: state.opponent,
  });
  return text === '' ? './' : `./?${text}`;
}
