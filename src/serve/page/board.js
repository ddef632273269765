// The board as a picture that can be played on: points are buttons, cows can be dragged.
//
// It knows what stands where and which turns there are, and tells its owner which turn was chosen.

import { svg, put } from './dom.js';
import { SIDES, parseTurn } from './position.js';
import { texts } from './texts.js';
import { bestOf, named, verdictText } from './words.js';

const STEP = 100;
const MARGIN = 80;
const SIZE = 2 * MARGIN + 6 * STEP;

export const place = (point) => ({
  x: MARGIN + STEP * (point.charCodeAt(0) - 97),
  y: MARGIN + STEP * (7 - Number(point[1])),
});

const line = (from, to, attributes) => {
  const [a, b] = [place(from), place(to)];
  return svg('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y, ...attributes });
};

// A head seen from the front: long horns, ears, a face that narrows to the muzzle.
const HEAD =
  'M-5-7C-14-6-20-11-20-21C-25-9-18-1-9-1L-15 3C-12 6-9 6-7 5L-5 14C-4 20 4 20 5 14L7 5C9 6 12 6 15 3L9-1C18-1 25-9 20-21C20-11 14-6 5-7Z';

// A cow: a disc with horns. The sides differ in more than colour: dark cows have a ring.
export function cowShape(side) {
  return [
    svg('circle', { class: 'hide', r: 32 }),
    side === 'second' && svg('circle', { class: 'ring', r: 26.5 }),
    svg('path', { class: 'horns', d: HEAD }),
  ];
}

const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class Board {
  // `owner` has chosen(turn), pointed(point) for setting up, said(text) and form().
  constructor(owner) {
    this.owner = owner;
    this.turns = [];
    this.step = { from: null, to: null };
    this.editing = false;
    this.current = 'd7';
    this.layers = {};
    for (const name of ['edges', 'held', 'names', 'points', 'badges', 'arrows', 'drag']) {
      this.layers[name] = svg('g', { class: name, 'aria-hidden': name === 'points' ? null : 'true' });
    }
    this.element = svg(
      'svg',
      { class: 'board', viewBox: `0 0 ${SIZE} ${SIZE}`, role: 'group', 'aria-label': texts.board.label },
      svg('defs', null, svg('radialGradient', { id: 'wood', cx: '50%', cy: '42%', r: '75%' }, svg('stop', { class: 'wood-light', offset: '0' }), svg('stop', { class: 'wood-deep', offset: '1' }))),
      svg('rect', { class: 'wood', x: 4, y: 4, width: SIZE - 8, height: SIZE - 8, rx: 28 }),
      Object.values(this.layers),
    );
    this.nodes = new Map();
    this.listen();
  }

  // Draws the lines of the board; `geometry` has points and edges.
  lay(geometry) {
    if (this.geometry === geometry) return;
    this.geometry = geometry;
    put(this.layers.edges, geometry.edges.map((edge) => line(...edge.split('-'))));
    put(this.layers.points);
    this.nodes.clear();
    const readingOrder = geometry.points.map(([grid]) => grid).sort((a, b) => b[1] - a[1] || (a < b ? -1 : 1));
    for (const point of readingOrder) {
      const { x, y } = place(point);
      const node = svg('g', { class: 'point', role: 'button', tabindex: '-1', transform: `translate(${x} ${y})`, 'data-point': point });
      // It stays when the point is drawn anew, as touches go on at the element where they began.
      node.append(svg('circle', { class: 'touch', r: 48 }));
      this.nodes.set(point, node);
      this.layers.points.append(node);
    }
    if (!this.nodes.has(this.current)) this.current = readingOrder[0];
  }

  // Shows a position with its turns. `way` is the turn that led here, to be seen as a movement.
  show(position, turns, way = null) {
    this.position = position;
    this.turns = turns;
    this.step = { from: null, to: null };
    this.preview(null);
    this.draw();
    if (way && !calm()) this.move(way);
  }

  // Whether taps set cows up instead of playing.
  edit(editing) {
    this.editing = editing;
    this.step = { from: null, to: null };
    this.draw();
  }

  cowAt(point) {
    return SIDES.find((side) => this.position.cows[side].includes(point)) ?? null;
  }

  // The turns that what has been chosen so far leaves.
  left() {
    const { from, to } = this.step;
    return this.turns.filter((turn) => (from === null || turn.from === from) && (to === null || turn.to === to));
  }

  // What choosing each point would lead to: the points that go on from here with the turns behind each.
  choices() {
    const { from, to } = this.step;
    const found = new Map();
    for (const turn of this.left()) {
      const onlyShots = turn.to === null;
      const point = onlyShots || to !== null ? turn.shot : turn.from === null || from !== null ? turn.to : turn.from;
      if (point) found.set(point, [...(found.get(point) ?? []), turn]);
    }
    return found;
  }

  stage() {
    const { from, to } = this.step;
    if (to !== null || this.turns.some((turn) => turn.to === null)) return 'shoot';
    return from !== null ? 'go' : this.turns.some((turn) => turn.from === null) ? 'place' : 'take';
  }

  draw() {
    if (!this.position || !this.geometry) return;
    const choices = this.editing ? new Map() : this.choices();
    const stage = this.stage();
    put(this.layers.badges);
    for (const [point, node] of this.nodes) this.drawPoint(point, node, choices.get(point), stage);
    this.drawNames();
    this.drawHeld();
    this.drawSteps();
  }

  drawPoint(point, node, turns, stage) {
    const moved = this.step.to !== null && this.step.from === point;
    const cow = this.step.to === point ? this.position.toMove : moved ? null : this.cowAt(point);
    const best = turns ? bestOf(turns) : null;
    const chosen = this.step.from === point || this.step.to === point;
    const classes = ['point', cow ? `cow ${cow}` : 'free', turns && `open ${stage}`, chosen && 'chosen', best?.value];
    node.setAttribute('class', classes.filter(Boolean).join(' '));
    node.setAttribute('tabindex', point === this.current ? '0' : '-1');
    node.setAttribute('aria-label', this.label(point, cow, turns, best, stage));
    if (chosen && this.step.from === point && this.step.to === null) node.setAttribute('aria-pressed', 'true');
    else node.removeAttribute('aria-pressed');
    while (node.children.length > 1) node.lastChild.remove();
    node.append(...[
      svg('circle', { class: 'dot', r: 9 }),
      cow && svg('g', { class: 'piece' }, cowShape(cow)),
      turns && stage === 'shoot' && svg('path', { class: 'cross', d: 'M-20-20L20 20M20-20L-20 20' }),
      svg('circle', { class: 'focus', r: 42 }),
    ].filter(Boolean));
    if (turns) this.layers.badges.append(this.badge(point, best, cow !== null));
  }

  // The value behind a point, for the eye: in its middle where it is free, else beside the cow. The point's label has it in words.
  badge(point, best, beside) {
    const { x, y } = place(point);
    const known = best.value !== null;
    const letter = known ? texts.letters[best.value] : '·';
    const dtc = known && best.dtc !== null ? String(best.dtc) : '';
    return svg(
      'g',
      { class: `badge ${best.value ?? 'unknown'}${best.top ? ' top' : ''}${beside ? ' beside' : ''}`, transform: beside ? `translate(${x + 25} ${y - 25})` : `translate(${x} ${y})` },
      svg('circle', { r: beside ? 19 : 27 }),
      svg('text', { class: 'letter', y: dtc ? -1 : 0, text: letter }),
      dtc && svg('text', { class: 'plies', y: 13, text: dtc }),
    );
  }

  label(point, cow, turns, best, stage) {
    const parts = [named(point, this.owner.form()), cow ? texts.sides[cow].cow : texts.board.empty];
    if (this.step.from === point) parts.push(texts.board.selected);
    if (turns) {
      const value = best.value === null ? texts.board.noValue : verdictText(best);
      const say = { take: 'best', go: 'target', place: 'placeHere', shoot: 'shootHere' }[stage];
      parts.push(texts.board[say](value));
    }
    return parts.join(', ');
  }

  drawNames() {
    const form = this.owner.form();
    const edge = (text, x, y) => svg('text', { x, y, text });
    if (form === 'gar') {
      put(this.layers.names, this.geometry.points.map(([grid]) => {
        const { x, y } = place(grid);
        return svg('text', { class: 'ring-name', x: x + 22, y: y + 30, text: named(grid, form) });
      }));
      return;
    }
    const columns = 'abcdefg'.split('').map((name, at) => edge(name, MARGIN + STEP * at, SIZE - 24));
    const rows = [1, 2, 3, 4, 5, 6, 7].map((name) => edge(String(name), 24, MARGIN + STEP * (7 - name)));
    put(this.layers.names, columns, rows);
  }

  drawHeld() {
    const held = SIDES.flatMap((side) =>
      this.geometry.lines
        .map((text) => text.split('-'))
        .filter((points) => points.every((point) => this.position.cows[side].includes(point)))
        .map((points) => [side, points]),
    );
    put(this.layers.held, held.map(([side, points]) => {
      // The ends are the two that lie furthest apart.
      const [a, , c] = [...points].sort((p, q) => place(p).x - place(q).x || place(p).y - place(q).y);
      return line(a, c, { class: side });
    }));
  }

  // What has been chosen of a turn so far.
  drawSteps() {
    const { from, to } = this.step;
    put(this.layers.arrows, from && to && this.arrow(from, to, 'made'));
  }

  arrow(from, to, name) {
    const [a, b] = [place(from), place(to)];
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const end = { x: b.x - ux * 40, y: b.y - uy * 40 };
    const tip = { x: b.x - ux * 20, y: b.y - uy * 20 };
    const wing = (sign) => `${end.x + sign * -uy * 15} ${end.y + sign * ux * 15}`;
    return svg('g', { class: `arrow ${name}` },
      svg('path', { class: 'shaft', d: `M${a.x + ux * 34} ${a.y + uy * 34}L${end.x} ${end.y}` }),
      svg('path', { class: 'tip', d: `M${wing(1)}L${tip.x} ${tip.y}L${wing(-1)}Z` }));
  }

  // Shows a turn that is being looked at in a list.
  preview(turn) {
    this.element.classList.toggle('looking', turn !== null);
    if (!turn) {
      this.drawSteps();
      return;
    }
    const { from, to, shot, value } = turn;
    const name = value ?? 'unknown';
    put(
      this.layers.arrows,
      from && this.arrow(from, to, name),
      to && svg('circle', { class: `aim ${name}`, r: 38, cx: place(to).x, cy: place(to).y }),
      shot && svg('path', { class: 'aim-shot', transform: `translate(${place(shot).x} ${place(shot).y})`, d: 'M-26-26L26 26M26-26L-26 26' }),
    );
  }

  // Lets the cow of a turn be seen on its way.
  move(way) {
    const { from, to } = parseTurn(way);
    const piece = to && this.nodes.get(to)?.querySelector('.piece');
    if (!piece) return;
    const start = from
      ? `translate(${place(from).x - place(to).x}px, ${place(from).y - place(to).y}px)`
      : 'scale(1.7)';
    piece.animate(
      [{ transform: start, opacity: from ? 1 : 0 }, { transform: 'none', opacity: 1 }],
      { duration: from ? 260 : 180, easing: 'cubic-bezier(.2,.7,.3,1)' },
    );
  }

  // Goes on with a turn at a point: a tap, Enter, or the end of a drag.
  choose(point) {
    if (this.editing) {
      this.owner.pointed(point);
      return;
    }
    const found = this.choices().get(point);
    if (!found) {
      this.cancel(point);
      return;
    }
    const stage = this.stage();
    if (stage === 'take') this.step.from = point;
    else if (stage !== 'shoot') this.step.to = point;
    if (stage === 'shoot' || (stage !== 'take' && found.every((turn) => turn.shot === null))) {
      this.owner.chosen(found[0]);
      return;
    }
    this.draw();
    const next = this.choices().size;
    this.owner.said(stage === 'take' ? texts.board.chooseTarget(named(point, this.owner.form()), next) : texts.board.chooseShot(next));
  }

  // Takes a choice back; a tap on another own cow chooses that one instead.
  cancel(point = null) {
    const { from, to } = this.step;
    if (from === null && to === null) return;
    this.step = { from: null, to: null };
    if (point !== null && point !== from && this.choices().has(point) && this.stage() === 'take') {
      this.choose(point);
      return;
    }
    this.draw();
    this.owner.said(texts.board.cancelled);
  }

  // Gives the focus to a point, the one that had it last.
  focus(point = this.current) {
    const before = this.nodes.get(this.current);
    before?.setAttribute('tabindex', '-1');
    this.current = point;
    const node = this.nodes.get(point);
    node?.setAttribute('tabindex', '0');
    node?.focus({ preventScroll: true });
  }

  // The nearest point in a direction: along the lines of the board first.
  neighbour(dx, dy) {
    const here = place(this.current);
    let best = null;
    for (const point of this.nodes.keys()) {
      const { x, y } = place(point);
      const along = (x - here.x) * dx + (y - here.y) * dy;
      const aside = Math.abs((x - here.x) * dy) + Math.abs((y - here.y) * dx);
      if (along <= 0) continue;
      const cost = along + 3 * aside;
      if (best === null || cost < best.cost) best = { point, cost };
    }
    return best?.point ?? null;
  }

  listen() {
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('pointerdown', (event) => this.press(event));
    // A finger on a cow that can be dragged does not scroll the page; anywhere else it may.
    this.element.addEventListener('touchstart', (event) => {
      if (event.cancelable && event.touches.length === 1 && this.canDrag(this.under(event.touches[0]).point)) event.preventDefault();
    }, { passive: false });
    this.element.addEventListener('focusin', (event) => {
      const point = event.target.dataset?.point;
      if (point && point !== this.current) {
        this.nodes.get(this.current)?.setAttribute('tabindex', '-1');
        this.nodes.get(point).setAttribute('tabindex', '0');
        this.current = point;
      }
    });
    // What a screen reader or another device clicks; taps are seen as they are pressed and let go.
    this.element.addEventListener('click', (event) => {
      if (event.detail !== 0) return;
      const point = event.target.closest('.point')?.dataset.point;
      if (point) this.choose(point);
    });
  }

  key(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) {
      const next = this.neighbour(...way);
      if (next) this.focus(next);
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.choose(this.current);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // The point under a pointer; the nearest within reach.
  under(event) {
    const box = this.element.getBoundingClientRect();
    const scale = SIZE / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let best = null;
    for (const point of this.nodes.keys()) {
      const at = place(point);
      const far = Math.hypot(at.x - x, at.y - y);
      if (far < 50 && (best === null || far < best.far)) best = { point, far };
    }
    return { point: best?.point ?? null, x, y };
  }

  press(event) {
    if (event.button !== 0 || !this.position) return;
    const { point } = this.under(event);
    if (!point) {
      this.cancel();
      return;
    }
    event.preventDefault();
    this.focus(point);
    if (this.canDrag(point)) this.drag(event, point);
    else this.tap(event, point);
  }

  canDrag(point) {
    return point !== null && !this.editing && this.stage() !== 'shoot' && this.turns.some((turn) => turn.from === point);
  }

  tap(event, point) {
    const up = (later) => {
      if (later.type === 'pointerup' && this.under(later).point === point) this.choose(point);
    };
    this.follow(event, () => {}, up);
  }

  drag(event, from) {
    const wasChosen = this.step.from === from;
    if (!wasChosen) {
      this.step = { from: null, to: null };
      this.choose(from);
    }
    const ghost = svg('g', { class: `piece cow ${this.position.toMove}` }, cowShape(this.position.toMove));
    let moved = false;
    const move = (later) => {
      const { x, y } = this.under(later);
      const start = place(from);
      if (!moved && Math.hypot(x - start.x, y - start.y) < 18) return;
      if (!moved) {
        moved = true;
        this.layers.drag.replaceChildren(ghost);
        this.nodes.get(from).classList.add('lifted');
      }
      ghost.setAttribute('transform', `translate(${x} ${y})`);
    };
    const up = (later) => {
      this.layers.drag.replaceChildren();
      this.nodes.get(from).classList.remove('lifted');
      const { point } = this.under(later);
      if (later.type !== 'pointerup') this.cancel();
      else if (moved && point !== null && point !== from) this.choose(point);
      else if (!moved && wasChosen) this.cancel();
    };
    this.follow(event, move, up);
  }

  // Follows a pointer until it is let go, wherever it goes.
  follow(event, move, up) {
    const id = event.pointerId;
    const moved = (later) => later.pointerId === id && move(later);
    const ended = (later) => {
      if (later.pointerId !== id) return;
      window.removeEventListener('pointermove', moved);
      window.removeEventListener('pointerup', ended);
      window.removeEventListener('pointercancel', ended);
      up(later);
    };
    window.addEventListener('pointermove', moved);
    window.addEventListener('pointerup', ended);
    window.addEventListener('pointercancel', ended);
  }
}

// A small picture of a position, not to be played on.
export function miniature(geometry, position, label) {
  const cows = SIDES.flatMap((side) => position.cows[side].map((point) => [side, point]));
  return svg(
    'svg',
    { class: 'miniature', viewBox: `30 30 ${SIZE - 60} ${SIZE - 60}`, role: 'img', 'aria-label': label },
    svg('rect', { class: 'wood', x: 32, y: 32, width: SIZE - 64, height: SIZE - 64, rx: 30 }),
    svg('g', { class: 'edges' }, geometry.edges.map((edge) => line(...edge.split('-')))),
    cows.map(([side, point]) => {
      const { x, y } = place(point);
      return svg('g', { class: `point cow ${side}`, transform: `translate(${x} ${y})` }, svg('circle', { class: 'hide', r: 34 }), side === 'second' && svg('circle', { class: 'ring', r: 24 }));
    }),
  );
}
