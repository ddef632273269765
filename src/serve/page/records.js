// The longest ways, class by class.

import { askAgain } from './ask.js';
import { miniature } from './board.js';
import { h, put } from './dom.js';
import { parsePosition } from './position.js';
import { texts } from './texts.js';

export async function recordsPage(place, app) {
  const { records } = await askAgain('records', { rules: app.state.rules });
  const head = ['position', 'className', 'longest', 'won', 'lost'];
  const row = (each) => h('tr', null,
    h('td', null, each.longest && h('a', { href: app.addressOfPosition(each.longest.position), 'data-go': true, class: 'picture', 'aria-label': `${texts.recordsPage.open} ${each.class}` },
      miniature(app.geometry(), parsePosition(each.longest.position), each.longest.position))),
    h('th', { scope: 'row' }, h('a', { href: app.addressOfClass(each.class), 'data-go': true, text: each.class })),
    h('td', null, each.longest && h('span', { class: `chip ${each.longest.value}`, 'aria-hidden': 'true', text: texts.letters[each.longest.value] }), ' ', texts.plies(each.max_dtc)),
    [each.won, each.lost].map((count) => h('td', { class: 'figures', text: texts.number(count) })));
  put(place,
    h('h1', { text: texts.recordsPage.heading, tabindex: '-1' }),
    h('p', { text: records.length > 0 ? texts.recordsPage.intro : texts.recordsPage.none }),
    records.length > 0 && h('div', { class: 'wide' }, h('table', { class: 'records' },
      h('thead', null, h('tr', null, head.map((key) => h('th', { scope: 'col', class: ['won', 'lost'].includes(key) ? 'figures' : null, text: texts.recordsPage[key] })))),
      h('tbody', null, records.map(row)))));
  return texts.recordsPage.heading;
}
