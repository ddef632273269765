// The page on a static host: the same as with a server, with parts of files and without, with damage, and with the host gone.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { NINE, SHOT, Visit, close, host, serve, shipped, site, smallGame } from './support.js';

after(close);

const address = (base, text) => `${base}/?rules=gar&position=${encodeURIComponent(text)}`;

// What the page shows of a position.
async function shown(base, text) {
  const visit = await Visit.to(address(base, text));
  await visit.page.locator('.status:not([aria-busy]) .verdict').waitFor();
  const found = [await visit.page.locator('.status').innerText(), await visit.page.locator('.turns').innerText()];
  await visit.end();
  return found;
}

for (const ranges of [true, false]) {
  test(`a static site shows what a server shows, ${ranges ? 'by parts of files' : 'from a host without ranges'}`, async () => {
    const game = smallGame();
    const server = await serve({ tables: [shipped, game] });
    const files = await host(site(shipped, game), { ranges });
    for (const text of [NINE, SHOT]) assert.deepEqual(await shown(files.base, text), await shown(server.base, text));
    await server.stop();
    await files.stop();
  });
}

test('a game is played on a static site, and nothing is asked of anybody else', async () => {
  const files = await host(site());
  const visit = await Visit.to(address(files.base, SHOT));
  await visit.verdict('Light wins');
  await visit.tap('g1');
  await visit.tap('g7');
  await visit.tap('b6');
  await visit.verdict('over');
  assert.deepEqual(visit.requests.filter((url) => !url.startsWith(files.base) && !url.startsWith('data:')), []);
  // Classes and records come from the list and the heads.
  await visit.page.goto(`${files.base}/?view=records`);
  await visit.page.locator('tbody tr').first().waitFor();
  await visit.end();
  await files.stop();
});

test('what was seen once is there with the host gone', async () => {
  const files = await host(site());
  const visit = await Visit.to(address(files.base, NINE), { errors: [/./] });
  await visit.verdict('Light wins');
  await visit.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await files.stop();
  await visit.page.reload();
  await visit.verdict('Light wins');
  await visit.end();
});

test('a damaged table is told, and other classes go on', async () => {
  const place = site();
  const file = join(place, 'tables/gar/4-4.mora');
  const bytes = readFileSync(file);
  for (let at = bytes.readUInt32LE(12) + 8; at < bytes.length; at += 16) bytes[at] ^= 1;
  writeFileSync(file, bytes);
  const files = await host(place);
  const visit = await Visit.to(address(files.base, NINE));
  await visit.page.getByText('4-4.mora: the file is damaged').first().waitFor();
  await visit.open(address(files.base, SHOT));
  await visit.verdict('Light wins');
  await visit.end();
  await files.stop();
});
