// Every text that a person reads, in English. A translation is another file with the same names.

const plies = (count) => (count === 1 ? '1 ply' : `${count} plies`);
const cows = (count) => (count === 1 ? '1 cow' : `${count} cows`);
const number = (value) => value.toLocaleString('en');

export const texts = {
  language: 'en',
  title: 'Morabaraba explorer',
  titleOf: (what) => `${what} · Morabaraba explorer`,
  skip: 'Skip to the board',
  nav: { label: 'Pages', explorer: 'Explorer', tables: 'Tables', records: 'Records', rules: 'Rules' },
  number,
  plies,

  rulesWithout: ({ board, cows, counter, no_remake: remake }) =>
    `${board}, ${cows} each, ${counter ? `counter ${counter.limit}` : 'no counter'}, ${remake === 'none' ? 'no no-remake rule' : remake}`,

  rulesNotServed: (name) => `${name} (no tables here)`,

  sides: {
    first: { name: 'Light', cow: 'light cow', long: 'Light, the first player' },
    second: { name: 'Dark', cow: 'dark cow', long: 'Dark, the second player' },
  },

  letters: { won: 'W', drawn: 'D', lost: 'L' },
  values: { won: 'won', drawn: 'drawn', lost: 'lost' },
  verdicts: { won: 'won', drawn: 'drawn', lost: 'lost', 'cursed-win': 'cursed win', 'blessed-loss': 'blessed loss' },
  valueWith: (word, dtc) => (dtc === null || dtc === undefined ? word : `${word} in ${plies(dtc)}`),
  groups: { won: 'Won', drawn: 'Drawn', lost: 'Lost', none: 'Without a value', barred: 'Barred' },

  status: {
    label: 'Value',
    loading: 'Looking it up…',
    toMove: (side) => `${side} to move`,
    toShoot: (side) => `${side} to shoot`,
    wins: (side) => `${side} wins`,
    draws: 'A draw',
    distance: (count) => `shot or end in ${plies(count)}`,
    noDistance: 'with best play; plies are not counted while there are cows in hand',
    drawn: 'with best play by both sides',
    over: 'The game is over',
    outcome: {
      'too-few-cows': (side) => `${side} wins: the other side has fewer than three cows`,
      blocked: (side) => `${side} wins: the other side has no legal turn`,
      'full-board': () => 'Drawn: the board is full',
      counter: () => 'Drawn: the draw counter has run out',
    },
    className: 'Class',
    noValue: 'No value here',
    rulesOnly: 'You can still play on; the rules need no tables.',
    unavailable: (message) => `The tables say: ${message}.`,
    turnsUnknown: (message) => `The values of the turns are missing: ${message}.`,
  },

  counter: {
    label: 'Draw counter',
    stands: (counter, limit) => `${counter} of ${plies(limit)} since the last shot`,
    cursedWin: (dtc) =>
      `A cursed win: with a fresh counter this would be won in ${plies(dtc)}, but the draw counter runs out first. Only a mistake by the other side makes it a win again.`,
    blessedLoss: (dtc) =>
      `A blessed loss: with a fresh counter this would be lost in ${plies(dtc)}, but the draw counter runs out first. To keep the draw, put off the next shot for as long as you can.`,
    holds: (spare) => (spare === 0 ? 'The win comes on the last ply that counts.' : `The win comes with ${plies(spare)} to spare before the counter draws the game.`),
  },
  remake: {
    barred: (turn, lines) => `${turn} is barred by the no-remake rule: this player’s last turn broke ${lines}, and it may not be completed again at once.`,
    waiting: (side, from, to, lines) =>
      `No-remake rule: ${side} went ${from}–${to} and may not complete ${lines} again with the next turn.`,
    matters: (value) => `Without the no-remake rule: ${value}.`,
    lines: (list) => (list.length === 1 ? `the line ${list[0]}` : `the lines ${list.join(' and ')}`),
  },

  turns: {
    heading: 'Turns',
    hint: 'Tap a turn, or type its number and press Enter.',
    place: (to) => `place on ${to}`,
    move: (from, to) => `${from} to ${to}`,
    shoot: (at) => `shoot ${at}`,
    ends: 'ends the game',
    none: 'No turns: the game is over.',
    count: (count) => (count === 1 ? '1 turn' : `${count} turns`),
  },

  board: {
    label: 'Board. Arrow keys go from point to point, Enter chooses.',
    empty: 'empty',
    onBoard: (count) => `${count} on the board`,
    inHand: (count) => `${count} in hand`,
    best: (value) => `best: ${value}`,
    target: (value) => `go here: ${value}`,
    placeHere: (value) => `place here: ${value}`,
    shootHere: (value) => `shoot: ${value}`,
    noValue: 'no value',
    selected: 'selected',
    barred: 'barred by the no-remake rule',
    chooseTarget: (from, count) => `${from} chosen. ${count === 1 ? '1 point' : `${count} points`} to go to.`,
    chooseShot: (count) => `A line. Choose the cow to shoot: ${count} can be shot.`,
    cancelled: 'Choice undone.',
  },

  bar: {
    label: 'Game',
    start: 'To the beginning',
    undo: 'Undo',
    redo: 'Redo',
    end: 'To the end',
    best: 'Best turn',
    play: 'Play best line',
    stop: 'Stop',
    setup: 'Set up',
    done: 'Done',
    newGame: 'New game',
    names: (form) => (form === 'gar' ? 'Names: E1' : 'Names: a7'),
    namesLabel: 'Switch between grid and ring names of points',
  },

  play: {
    label: 'Tables play',
    nobody: 'neither side',
    hint: 'Hint',
    yourTurn: 'Your turn',
    hidden: 'You play against the tables, so values are hidden. Hint shows them for this turn.',
  },

  say: {
    played: (side, turn) => `${side} played ${turn}.`,
    position: (toMove, value) => `${toMove}. ${value}.`,
    undone: 'Turn undone.',
    copied: (what) => `${what} copied.`,
    loaded: 'Position loaded.',
    lineEnd: 'The line ends here.',
  },

  record: {
    heading: 'Record',
    empty: 'No turns yet. Play on the board or from the list.',
    threwWin: 'threw the win away',
    threwDraw: 'threw the draw away',
    best: (loss, turn) => `${loss}; best was ${turn}`,
    start: 'Start',
    nothingThrown: 'No win or draw was thrown away.',
    thrown: (count) => (count === 1 ? 'One turn threw a result away.' : `${count} turns threw a result away.`),
  },

  line: {
    heading: 'Best line',
    drawn: 'With best play it stays a draw.',
    ends: {
      'too-few-cows': 'to fewer than three cows',
      blocked: 'to a block',
      'full-board': 'to a full board',
      counter: 'to the end of the draw counter',
      'best-play': 'to a draw',
    },
    length: (count, end) => `${plies(count)} ${end}`,
  },

  setup: {
    heading: 'Set up a position',
    tools: 'What a tap on the board puts down',
    first: 'Light cow',
    second: 'Dark cow',
    erase: 'Erase',
    toMove: 'To move',
    handOf: (side) => `${side} in hand`,
    counter: 'Plies since the last shot',
    shot: 'A line has just been made: a shot is to come',
    restriction: (side) => `${side}’s last turn, for the no-remake rule`,
    from: 'from',
    to: 'to',
    none: '–',
    history: 'Last turns and a shot to come',
    clear: 'Clear',
    exchange: 'Swap colours',
    quarter: 'Quarter turn',
    mirror: 'Mirror',
    rings: 'Swap rings',
    fewer: (what) => `Fewer: ${what}`,
    more: (what) => `More: ${what}`,
    problem: (message) => `Not a legal position yet: ${message}.`,
  },

  notation: {
    heading: 'As text',
    position: 'Short form',
    gar: 'Ring names',
    fen: 'FEN',
    fenOld: 'FEN, old',
    record: 'Record',
    link: 'Link',
    copy: 'Copy',
    copyOf: (what) => `Copy: ${what}`,
    paste: 'Paste a position or a record',
    placeholder: 'W:Wa7,d7,g7:Bb6,d6,c5 or d6 d7 b4 …',
    load: 'Load',
    problem: (message) => `This cannot be read: ${message}.`,
  },

  images: {
    heading: 'Symmetries',
    intro: 'Turned, mirrored and with the outer and inner square exchanged, a position keeps its value.',
    open: (index) => `Image ${index}`,
  },

  compare: {
    heading: 'Under other rules',
    rules: 'Rules',
    value: 'Value',
    turns: 'Winning / drawing / losing turns',
    impossible: 'not possible under these rules',
    noTable: 'no table',
    counts: (won, drawn, lost) => `${won} / ${drawn} / ${lost}`,
    only: 'These are the only rules here. The operator of the server can add tables for others.',
  },

  tables: {
    heading: 'Tables',
    intro: (count, name) => `${count === 1 ? '1 class' : `${number(count)} classes`} under the rules ${name}.`,
    complete: (count) => `Complete up to ${cows(count)} on the board.`,
    className: 'Class',
    explain: 'A class is the number of cows of the side to move and of the other side; cows in hand follow after a plus.',
    entries: 'Entries',
    size: 'Size',
    moving: 'Moving',
    placing: 'Placing',
    damaged: 'Damaged',
    damagedText: (name, message) => `${name}: ${message}`,
    none: 'There are no tables for these rules.',
  },

  classPage: {
    heading: (name) => `Class ${name}`,
    about: (mover, waiting) => `${cows(mover)} to move against ${waiting}.`,
    aboutHands: (mover, moverHand, waiting, waitingHand) =>
      `On the board ${cows(mover)} to move against ${waiting}; in hand ${moverHand} and ${waitingHand}.`,
    counted: 'Counted',
    full: 'every placement',
    canonical: 'up to symmetry',
    positions: 'Positions',
    share: (value, percent) => `${value}: ${percent} %`,
    histogram: 'How long it takes',
    histogramLabel: (max) => `Positions by plies to the next shot or the end, up to ${max}, on a logarithmic scale. The table below has the numbers.`,
    noHistogram: 'With cows in hand plies are not counted, so there is no histogram.',
    allDrawn: 'Nothing is decided in this class.',
    here: 'this position',
    plies: 'Plies',
    numbers: 'The numbers',
    longest: 'The longest',
    longestText: (value, count) => `The side to move has ${value} in ${plies(count)}.`,
    tooLarge: 'This table is too large to search while you wait.',
    open: 'Open on the board',
    back: 'All tables',
    size: (entries, bytes) => `${number(entries)} entries in ${bytes}.`,
  },

  recordsPage: {
    heading: 'Records',
    intro: 'The longest way to a shot or the end with best play, class by class.',
    className: 'Class',
    longest: 'Longest',
    won: 'Won',
    lost: 'Lost',
    position: 'Position',
    open: 'Open',
    none: 'No table here counts plies.',
  },

  units: ['B', 'kB', 'MB', 'GB', 'TB'],
  size: (value, unit) => `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${unit}`,

  errors: {
    gone: 'The server cannot be reached. Trying again…',
    back: 'The server is back.',
    busy: 'The server is busy. Trying again…',
    failed: (message) => `That did not work: ${message}.`,
    retry: 'Try again',
    damaged: (name) => `The table of class ${name} is damaged. Other classes answer as before.`,
  },

  keys: {
    heading: 'Keyboard',
    use: 'Single-key shortcuts',
    list: [
      ['1 2 3 …', 'go to a turn by its number; Enter plays it'],
      ['← ↑ → ↓', 'on the board: from point to point'],
      ['Enter', 'choose a point, a turn, a button'],
      ['Esc', 'undo a choice'],
      ['u / r', 'undo, redo'],
      ['b', 'play the best turn'],
      ['h', 'hint, while you play against the tables'],
      ['p', 'play the best line, or stop'],
      ['s', 'set up'],
      ['n', 'switch the names of points'],
      ['m', 'go to the board'],
      ['t', 'go to the list of turns'],
    ],
  },

  about: {
    heading: 'What the words mean',
    list: [
      ['W, D, L', 'won, drawn, lost: for the side to move, and of a turn for the side that makes it, with best play by both.'],
      ['ply', 'one turn of one side. Plies count to the next shot or to the end of the game.'],
      ['cursed win', 'a win that would come too late for the draw counter, and so a draw. For the other side it is a blessed loss.'],
      ['no-remake rule', 'a line that was just broken by a turn that made another may not be completed again at once.'],
    ],
    programs: 'For programs',
  },
};
