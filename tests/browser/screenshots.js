// Pictures of the page for the documentation: both themes, and a phone. `scripts/screenshots` runs this.

import { join } from 'node:path';

import { NINE, Visit, close, root, serve, shipped, smallGame } from './support.js';

const SHARED = { reducedMotion: 'reduce' };
const DESK = { ...SHARED, viewport: { width: 1200, height: 900 } };
const PHONE = { ...SHARED, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1.5 };

// A game in which a win is thrown away.
const RECORD = 'd6-b6,g4-g7,d7-a7';

const PICTURES = [
  { name: 'explorer-light', options: { ...DESK, colorScheme: 'light' }, query: `position=${encodeURIComponent(NINE)}` },
  { name: 'explorer-dark', options: { ...DESK, colorScheme: 'dark' }, query: `position=${encodeURIComponent(NINE)}&moves=${RECORD}` },
  { name: 'explorer-class', options: { ...DESK, colorScheme: 'light' }, query: `class=4-4&position=${encodeURIComponent(NINE)}` },
  { name: 'explorer-phone', options: { ...PHONE, colorScheme: 'light' }, placing: true, query: 'moves=d6,d7' },
];

const moving = await serve({ tables: [shipped] });
const placing = await serve({ tables: [smallGame(3)] });
try {
  for (const picture of PICTURES) await take(picture);
} finally {
  await moving.stop();
  await placing.stop();
  await close();
}

async function take({ name, options, query, placing: isPlacing }) {
  const visit = await Visit.to(`${(isPlacing ? placing : moving).base}/?${query}`, options);
  const class_ = query.startsWith('class');
  await visit.page.locator(class_ ? '.longest .miniature' : '.status:not([aria-busy]) .verdict').waitFor();
  if (query.includes('moves')) await visit.page.locator('.record p.quiet:not(:empty)').waitFor();
  await visit.page.screenshot({ path: join(root, 'docs', `${name}.png`) });
  await visit.end();
}
