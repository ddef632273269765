// The page: its state, which is its address, and which view shows it.

import { addressOf, readAddress } from './address.js';
import { ask, Refused, watchTrouble } from './ask.js';
import { classPage, tablesPage } from './classes.js';
import { h, put } from './dom.js';
import { Explorer } from './explorer.js';
import { recordsPage } from './records.js';
import { texts } from './texts.js';
import { learnPoints, rulesText } from './words.js';

const PAGES = { tables: tablesPage, class: classPage, records: recordsPage };

// What is shown where nothing was asked and the start of the game cannot be answered: the first that can be.
const EXAMPLES = ['W:Wd6,d7,f4,f6:Bb4,d3,g1,g4', 'W:Wa7,d7,g1:Bb6,d6,c5'];

const KEYS = 'morabase-keys';

class App {
  async start() {
    this.build();
    this.listen();
    this.sets = await ask('rules');
    this.state = this.settled(readAddress(location));
    this.learn();
    this.explorer = new Explorer(this);
    if (this.state.bare && this.state.view === 'explorer') await this.begin();
    document.querySelector('#plain')?.remove();
    this.root.hidden = false;
    await this.render({});
  }

  build() {
    document.documentElement.lang = texts.language;
    document.querySelector('.skip').textContent = texts.skip;
    this.root = document.querySelector('#app');
    this.live = h('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    this.view = h('div', { class: 'view' });
    const link = (view) => h('a', { 'data-view': view, 'data-go': true, text: texts.nav[view] });
    this.links = ['explorer', 'tables', 'records'].map(link);
    this.picker = h('select', { id: 'rules', onchange: () => this.pickRules(this.picker.value) });
    put(document.querySelector('#nav'), h('nav', { 'aria-label': texts.nav.label }, this.links), h('label', { class: 'rules', for: 'rules' }, h('span', { text: texts.nav.rules }), this.picker));
    put(this.root, this.trouble, this.view, this.live);
  }

  listen() {
    watchTrouble((trouble) => this.tellTrouble(trouble));
    window.addEventListener('popstate', () => {
      this.state = this.settled(readAddress(location));
      this.explorer?.stopLine();
      this.render({});
    });
    document.addEventListener('click', (event) => this.follow(event));
    document.addEventListener('keydown', (event) => this.key(event));
    document.addEventListener('paste', (event) => this.pasted(event));
  }

  // The state with a start, so that an address says all by itself.
  settled(state) {
    const settled = { ...state, rules: state.rules || this.sets[0].name };
    return { ...settled, start: state.start ?? this.startOf(settled.rules) };
  }

  startOf(rules) {
    const { cows } = this.setOf(rules);
    return `W:W:B:H${cows},${cows}`;
  }

  served(rules) {
    return this.sets.find((set) => set.name === rules || set.rules === rules) ?? null;
  }

  // Where the rules are not served: the first, for the shape of the board.
  setOf(rules) {
    return this.served(rules) ?? this.sets[0];
  }

  startText() {
    return this.startOf(this.state.rules);
  }

  geometry() {
    return this.setOf(this.state.rules);
  }

  rulesName() {
    return this.served(this.state.rules)?.name ?? this.state.rules;
  }

  learn() {
    learnPoints(this.geometry().points);
    const { rules } = this.state;
    const served = this.served(rules);
    put(this.picker,
      this.sets.map((set) => h('option', { value: set.name, selected: set === served, text: rulesText(set), title: set.summary ?? set.rules })),
      !served && h('option', { value: rules, selected: true, text: texts.rulesNotServed(rules) }));
  }

  // Without a position: the start where it can be answered, else an example that can be.
  async begin() {
    const { rules } = this.state;
    const answers = (position) => ask('probe', { position, rules }).then(() => true, () => false);
    for (const start of [this.state.start, ...EXAMPLES]) {
      if (await answers(start)) {
        this.state = { ...this.state, start };
        return;
      }
    }
  }

  addressOf(changes) {
    return addressOf({ ...this.state, ...changes });
  }

  addressOfPosition(position) {
    return this.addressOf({ view: 'explorer', start: position, moves: [], at: 0 });
  }

  addressOfClass(name) {
    return this.addressOf({ view: 'class', class: name });
  }

  addressOfView(view) {
    return this.addressOf({ view });
  }

  // Changes the state and with it the address.
  go(changes, how = {}) {
    this.state = { ...this.state, ...changes, bare: false };
    history.pushState(null, '', addressOf(this.state));
    return this.render(how);
  }

  // Follows a link of this page without loading it anew.
  follow(event) {
    const link = event.target.closest?.('a[data-go]');
    if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const next = this.settled(readAddress(new URL(link.href)));
    const other = next.view !== this.state.view || next.class !== this.state.class;
    this.explorer.stopLine();
    this.go(next, { focus: other });
    if (other) window.scrollTo(0, 0);
  }

  pickRules(rules) {
    const isStart = this.state.moves.length === 0 && this.state.start === this.startText();
    const start = isStart ? this.startOf(rules) : this.state.start;
    this.go({ rules, start });
  }

  async render(how) {
    const { view } = this.state;
    for (const link of this.links) {
      link.href = this.addressOfView(link.dataset.view);
      const here = link.dataset.view === view || (view === 'class' && link.dataset.view === 'tables');
      if (here) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    this.learn();
    try {
      if (view === 'explorer') await this.showExplorer(how);
      else await this.showPage(view, how);
    } catch (error) {
      this.fail(error);
    }
  }

  async showExplorer(how) {
    if (this.explorer.element.parentNode !== this.view) put(this.view, this.explorer.element);
    await this.explorer.update(how);
    if (how.focus) this.explorer.board.focus();
  }

  async showPage(view, how) {
    const state = this.state;
    const place = h('div', { class: `page ${view}-page` });
    const heading = await PAGES[view](place, this);
    if (state !== this.state) return;
    put(this.view, place);
    document.title = texts.titleOf(heading);
    this.say(heading);
    if (how.focus) place.querySelector('h1')?.focus({ preventScroll: true });
  }

  // Says why nothing can be shown.
  fail(error) {
    if (!(error instanceof Refused)) console.error(error);
    const damaged = error.code === 'damaged-table' && error.className;
    const text = damaged ? texts.errors.damaged(error.className) : texts.errors.failed(error.message);
    put(this.view, h('section', { class: 'card failure', role: 'alert' },
      h('h1', { text, tabindex: '-1' }), damaged && h('p', { class: 'quiet', text: error.message }),
      h('p', null, h('button', { type: 'button', onclick: () => this.render({}), text: texts.errors.retry }), ' ',
        h('a', { href: this.addressOf({ view: 'explorer', start: this.startText(), moves: [], at: 0 }), 'data-go': true, text: texts.bar.newGame }))));
  }

  tellTrouble(trouble) {
    if (trouble === this.troubled) return;
    if (this.troubled && !trouble) this.say(texts.errors.back);
    this.troubled = trouble;
    this.root.hidden = false;
    this.trouble.hidden = !trouble;
    this.trouble.textContent = trouble ? texts.errors[trouble] : '';
  }

  // Tells a screen reader.
  say(text) {
    // The same text again would not be said.
    this.live.textContent = this.live.textContent === text ? `${text}\u00a0` : text;
  }

  usesKeys() {
    return localStorage.getItem(KEYS) !== 'off';
  }

  useKeys(use) {
    localStorage.setItem(KEYS, use ? 'on' : 'off');
  }

  key(event) {
    const isField = event.target.closest?.('input:not([type=checkbox]):not([type=radio]), select, textarea');
    if (isField || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (this.state?.view !== 'explorer' || !this.explorer?.shown || (!this.usesKeys() && event.key !== 'Escape')) return;
    if (this.explorer.key(event)) event.preventDefault();
  }

  pasted(event) {
    if (event.target.closest?.('input, textarea') || this.state?.view !== 'explorer') return;
    const text = event.clipboardData?.getData('text') ?? '';
    if (text.trim() !== '') this.explorer.notation.read(text);
  }
}

if ('serviceWorker' in navigator) navigator.serviceWorker.register('./sw.js').catch(() => {});

new App().start();
