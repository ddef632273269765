// Positions and turns as text. No rules are here: what is legal, and where a turn leads, the answers say.

export const SIDES = ['first', 'second'];
const LETTERS = ['W', 'B'];

export const other = (side) => (side === 'first' ? 'second' : 'first');

// An empty board with empty hands.
export const emptyBoard = () => ({
  toMove: 'first',
  cows: { first: [], second: [] },
  hands: { first: 0, second: 0 },
  counter: 0,
  remakes: { first: null, second: null },
  shot: false,
});

// Reads the short form with grid names, which is how answers write positions.
export function parsePosition(text) {
  const [toMove, ...sections] = text.split(':');
  const position = emptyBoard();
  position.toMove = SIDES[LETTERS.indexOf(toMove)] ?? 'first';
  sections.forEach((section, at) => {
    const rest = section.slice(1);
    if (at < 2) position.cows[SIDES[at]] = rest === '' ? [] : rest.split(',');
    else if (section[0] === 'H') [position.hands.first, position.hands.second] = rest.split(',').map(Number);
    else if (section[0] === 'C') position.counter = Number(rest);
    else if (section[0] === 'S') position.shot = true;
    else if (section[0] === 'L') {
      const [from, to] = rest.slice(1).split('-');
      position.remakes[SIDES[LETTERS.indexOf(rest[0])]] = { from, to };
    }
  });
  return position;
}

export function formatPosition(position) {
  const parts = [LETTERS[SIDES.indexOf(position.toMove)]];
  SIDES.forEach((side, at) => parts.push(LETTERS[at] + position.cows[side].join(',')));
  const { first, second } = position.hands;
  if (first || second) parts.push(`H${first},${second}`);
  if (position.counter) parts.push(`C${position.counter}`);
  SIDES.forEach((side, at) => {
    const remake = position.remakes[side];
    if (remake) parts.push(`L${LETTERS[at]}${remake.from}-${remake.to}`);
  });
  if (position.shot) parts.push('S');
  return parts.join(':');
}

// The points of a turn such as d2-d3xa7: where from, where to, and what is shot.
export function parseTurn(text) {
  const [way, shot] = text.split('x');
  const ends = way === '' ? [] : way.split('-');
  return { from: ends.length === 2 ? ends[0] : null, to: ends.at(-1) ?? null, shot: shot ?? null };
}

// The cows and hands of a class such as 4-3 or 2-3+2-1: of the side to move, then of the other.
export function parseClass(text) {
  const [board, hands] = text.split('+').map((part) => part.split('-').map(Number));
  return { board, hands: hands ?? [0, 0], hasHands: hands !== undefined };
}
