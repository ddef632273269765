// The images of a position under the symmetries of the board.

import { miniature } from './board.js';
import { folded, h, put } from './dom.js';
import { parsePosition } from './position.js';
import { texts } from './texts.js';

export class Images {
  // `owner` has addressOf(position) and geometry().
  constructor(owner) {
    this.owner = owner;
    this.body = h('div', { class: 'gallery' });
    this.element = folded('images', texts.images.heading, () => this.fill(), h('p', { class: 'quiet', text: texts.images.intro }), this.body);
  }

  show(images) {
    this.images = [...new Set(images)];
    if (this.element.open) this.fill();
  }

  fill() {
    put(this.body, (this.images ?? []).map((text, at) => {
      const label = texts.images.open(at + 1);
      return h('a', { href: this.owner.addressOf(text), 'data-go': true, class: at === 0 ? 'here' : null },
        miniature(this.owner.geometry(), parsePosition(text), label));
    }));
  }
}
