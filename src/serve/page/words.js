// Values, turns and points in words.

import { parseTurn } from './position.js';
import { texts } from './texts.js';

// The ring names of points by their grid names, once the rules are known.
const ringNames = new Map();

export function learnPoints(points) {
  for (const [grid, ring] of points) ringNames.set(grid, ring);
}

// A point, or any text with points in it, in the form that is shown.
export const named = (text, form) =>
  form === 'gar' ? text.replace(/[a-g][1-7]/g, (point) => ringNames.get(point) ?? point) : text;

export const valueText = ({ value, dtc }) => texts.valueWith(texts.values[value], dtc);

// A turn's value with the draws that only the counter makes told apart.
export const verdictText = ({ value, verdict, dtc }) =>
  verdict && verdict !== value ? texts.verdicts[verdict] : texts.valueWith(texts.values[value], dtc);

// A turn as a screen reader should say it.
export function turnText(turn, form) {
  const { from, to, shot } = parseTurn(turn);
  const parts = [];
  if (from) parts.push(texts.turns.move(named(from, form), named(to, form)));
  else if (to) parts.push(texts.turns.place(named(to, form)));
  if (shot) parts.push(texts.turns.shoot(named(shot, form)));
  return parts.join(', ');
}

// A rule set by its name, or by what it says where it has none.
export const rulesText = (set) => (set.summary ? set.name : texts.rulesWithout(set));

export const sideName = (side) => texts.sides[side].name;

// Bytes for people.
export function sizeText(bytes) {
  const step = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), texts.units.length - 1);
  return texts.size(bytes / 1000 ** step, texts.units[step]);
}

const WORTH = { lost: 0, drawn: 1, won: 2 };

export const worth = (value) => WORTH[value];

// Of turns the one that stands first in the answer, which has the best first.
export function bestOf(turns) {
  return turns.reduce((best, turn) => (best === null || turn.rank < best.rank ? turn : best), null);
}
