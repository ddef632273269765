// The position in every notation to copy, and a field that reads any of them.

import { readAddress } from './address.js';
import { query } from './ask.js';
import { folded, h, put } from './dom.js';
import { texts } from './texts.js';

// Copies a text; where the clipboard is not allowed the field is selected instead.
async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    field.select();
  }
}

export class Notation {
  // `owner` has pasted(text), which fails with a message, and said(text).
  constructor(owner) {
    this.owner = owner;
    this.rows = h('div', { class: 'rows' });
    this.problem = h('p', { class: 'problem', role: 'status' });
    this.field = h('input', { id: 'paste', type: 'text', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', placeholder: texts.notation.placeholder });
    const form = h('form', { class: 'paste', onsubmit: (event) => this.paste(event) },
      h('label', { for: 'paste', text: texts.notation.paste }),
      h('span', { class: 'pair' }, this.field, h('button', { type: 'submit', text: texts.notation.load })));
    this.element = folded('notation', texts.notation.heading, null, form, this.problem, this.rows);
  }

  show(shown, moves) {
    const names = texts.notation;
    const rows = [
      ['position', names.position, shown.position],
      ['gar', names.gar, shown.gar],
      ['fen', names.fen, shown.fen],
      ['fen-old', names.fenOld, shown.fen_old],
      moves.length > 0 && ['moves', names.record, moves.join(' ')],
      ['link', names.link, location.href],
    ];
    put(this.rows, rows.filter(Boolean).map((row) => this.row(...row)));
  }

  row(id, name, text) {
    const field = h('input', { id: `text-${id}`, type: 'text', readonly: true, value: text, onfocus: (event) => event.target.select() });
    const copied = async () => {
      await copy(text, field);
      this.owner.said(texts.say.copied(name));
    };
    return h('div', { class: 'row' },
      h('label', { for: `text-${id}`, text: name }),
      h('span', { class: 'pair' }, field, h('button', { type: 'button', 'aria-label': texts.notation.copyOf(name), onclick: copied, text: texts.notation.copy })));
  }

  async paste(event) {
    event.preventDefault();
    await this.read(this.field.value);
  }

  async read(text) {
    this.problem.textContent = '';
    try {
      await this.owner.pasted(text.trim());
      this.field.value = '';
    } catch (error) {
      this.element.open = true;
      this.problem.textContent = texts.notation.problem(error.message);
    }
  }
}

// What a text that was pasted asks: a link of this page with its state, a position, or a record.
export function readText(text) {
  if (/\?(.*&)?(position|moves|rules|view|class)=/.test(text)) {
    const link = readAddress(new URL(text.slice(text.indexOf('?')), location.href));
    return { position: link.start, moves: link.moves.join(' ') || null, link };
  }
  const isPosition = /^\s*[WwBb]\s*:/.test(text) || text.includes('/');
  return isPosition ? { position: text, moves: null, link: null } : { position: null, moves: text, link: null };
}

// The address of the same answer for programs.
export const programsAddress = (endpoint, parameters) => `./v1/${endpoint}?${query(parameters)}`;
