// What the page is like: without a mouse, on a phone, in the dark, for a screen reader, without scripts, and when things fail.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { CURSED, NINE, SHOT, Visit, close, copyOfTables, root, serve, shipped, smallGame, tablesOf } from './support.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = join(root, 'src/serve/page');
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

let small;
let game;

before(async () => {
  small = await serve({ tables: [shipped, tablesOf('plain', 7)] });
  game = await serve({ tables: [smallGame()] });
});

after(async () => {
  await small.stop();
  await game.stop();
  await close();
});

const address = (text, more = '') => `${small.base}/?rules=gar&position=${encodeURIComponent(text)}${more}`;

test('all of it works by keyboard alone', async () => {
  const visit = await Visit.to(address(SHOT));
  const { keyboard } = visit.page;
  const focused = () => visit.page.evaluate(() => document.activeElement.dataset.point ?? document.activeElement.textContent);
  await visit.verdict('Light wins');
  // The first thing in the page leads past its head.
  await keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to the board');
  // On the board: from point to point, the move, then the shot.
  await keyboard.press('m');
  await keyboard.press('ArrowRight');
  await visit.point('g1').focus();
  await keyboard.press('Enter');
  for (const [key, point] of [['ArrowUp', 'g4'], ['ArrowUp', 'g7'], ['ArrowLeft', 'd7'], ['ArrowDown', 'd6'], ['ArrowUp', 'd7'], ['ArrowRight', 'g7']]) {
    await keyboard.press(key);
    assert.equal(await focused(), point);
  }
  await keyboard.press('Escape');
  assert.match(await visit.said(), /undone/);
  await visit.point('g1').focus();
  await keyboard.press('Enter');
  await visit.point('g7').focus();
  await keyboard.press('Space');
  await visit.point('b6').focus();
  await keyboard.press('Enter');
  await visit.verdict('over');
  await keyboard.press('u');
  await visit.verdict('Light wins');
  await keyboard.press('r');
  await visit.verdict('over');
  await keyboard.press('u');
  await visit.verdict('Light wins');
  // From the list, by number.
  await keyboard.press('2');
  assert.match(await focused(), /^2/);
  assert.equal(await visit.page.locator('.board .arrow').count(), 1);
  await keyboard.press('1');
  await keyboard.press('Enter');
  await visit.page.waitForFunction(() => new URLSearchParams(location.search).get('at') !== '0');
  // The palette.
  await visit.page.goto(address(SHOT));
  await visit.page.locator('.status:not([aria-busy]) .verdict').waitFor();
  await keyboard.press('s');
  await visit.page.locator('#tool-first').focus();
  await keyboard.press('ArrowDown');
  await visit.point('e4').focus();
  await keyboard.press('Enter');
  await visit.page.waitForFunction(() => new URLSearchParams(location.search).get('position') === 'W:Wa7,d7,g1:Bb6,d6,c5,e4');
  await visit.end();
});

test('single keys do nothing where they are turned off, and nothing in a field', async () => {
  const visit = await Visit.to(address(NINE));
  await visit.verdict('Light wins');
  await visit.page.getByText('Keyboard', { exact: true }).click();
  await visit.page.getByLabel('Single-key shortcuts').uncheck();
  await visit.page.keyboard.press('b');
  await visit.page.getByLabel('Single-key shortcuts').check();
  await visit.page.getByText('As text').click();
  await visit.page.getByLabel('Paste a position or a record').fill('');
  await visit.page.getByLabel('Paste a position or a record').press('b');
  assert.equal(visit.asked().moves, undefined);
  await visit.page.locator('.verdict').click();
  await visit.page.evaluate(() => document.activeElement.blur());
  await visit.page.keyboard.press('b');
  await visit.page.waitForFunction(() => new URLSearchParams(location.search).get('moves') === 'd6-b6');
  await visit.end();
});

test('a screen reader is told the position, its value and each turn in words', async () => {
  const visit = await Visit.to(address(NINE));
  await visit.verdict('Light wins');
  assert.equal(await visit.point('d6').getAttribute('aria-label'), 'd6, light cow, best: won in 9 plies');
  assert.equal(await visit.point('a1').getAttribute('aria-label'), 'a1, empty');
  assert.equal(await visit.point('g1').getAttribute('aria-label'), 'g1, dark cow');
  await visit.page.getByRole('link', { name: '1: d6 to b6, won in 9 plies' }).click();
  await visit.page.waitForFunction(() => /Dark to move/.test(document.querySelector('[aria-live]').textContent));
  assert.equal((await visit.said()).trim(), 'Light played d6 to b6. Dark to move. lost in 8 plies.');
  await visit.end();
});

test('nothing is wider than a phone, and points are large enough for a finger', async () => {
  const visit = await Visit.to(address(NINE), PHONE);
  await visit.verdict('Light wins');
  const views = ['', '&view=tables', '&class=4-4', '&view=records'];
  for (const view of views) {
    await visit.open(address(NINE, view));
    await visit.page.locator(view === '' ? '.verdict' : 'h1').waitFor();
    const [wide, most] = await visit.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= most, `${view}: ${wide} of ${most}`);
  }
  await visit.open(address(NINE));
  await visit.verdict('Light wins');
  const box = await visit.point('d5').locator('.touch').boundingBox();
  assert.ok(box.width >= 40 && box.height >= 40, JSON.stringify(box));
  // The value and the whole board are seen without scrolling.
  const board = await visit.page.locator('.board').boundingBox();
  assert.ok(board.y + board.height <= 740, JSON.stringify(board));
  const tap = async (name) => {
    const at = await visit.point(name).locator('.touch').boundingBox();
    await visit.page.touchscreen.tap(at.x + at.width / 2, at.y + at.height / 2);
  };
  await tap('d6');
  await visit.page.locator('.board .chosen').waitFor();
  await tap('b6');
  await visit.page.waitForFunction(() => location.search.includes('moves=d6-b6'));
  await visit.end();
});

test('it follows the system into the dark, and stands still where motion is not wanted', async () => {
  const ground = (visit) => visit.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await Visit.to(address(NINE), { colorScheme: 'light' });
  const dark = await Visit.to(address(NINE), { colorScheme: 'dark', reducedMotion: 'reduce' });
  const bright = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  assert.ok(bright(await ground(light)) > 600 && bright(await ground(dark)) < 150);
  await dark.verdict('Light wins');
  await dark.turn('d6-b6').click();
  await dark.page.waitForFunction(() => location.search.includes('d6-b6'));
  assert.equal(await dark.page.evaluate(() => document.getAnimations().length), 0);
  await light.end();
  await dark.end();
});

const PAGES = {
  explorer: ['.status:not([aria-busy]) .verdict', address0(NINE)],
  'draw by the counter': ['.notes', address0(CURSED)],
  'palette and cards open': ['.status:not([aria-busy]) .verdict', address0(SHOT), async (page) => {
    await page.getByRole('button', { name: 'Set up' }).click();
    for (const summary of await page.locator('.extras summary').all()) await summary.click();
    await page.locator('.best-line .end').waitFor();
    await page.locator('.compare tbody tr').nth(1).waitFor();
    await page.locator('.gallery a').first().waitFor();
  }],
  'a cow chosen': ['.status:not([aria-busy]) .verdict', address0(SHOT), async (page) => {
    await page.locator('[data-point=g1]').focus();
    await page.keyboard.press('Enter');
  }],
  'a record': ['.rounds .blunder', `?rules=gar&position=${encodeURIComponent(NINE)}&moves=d7-a7`],
  tables: ['h1', '?view=tables'],
  class: ['.chart', `?class=4-4&position=${encodeURIComponent(NINE)}`],
  records: ['table.records', '?view=records'],
  failure: ['.failure', '?class=9-9'],
};

function address0(text) {
  return `?rules=gar&position=${encodeURIComponent(text)}`;
}

for (const theme of ['light', 'dark']) {
  test(`the accessibility check finds nothing on any page, ${theme}`, async () => {
    const visit = await Visit.to(small.base, { colorScheme: theme });
    for (const [name, [wanted, query, prepare]] of Object.entries(PAGES)) {
      await visit.open(`${small.base}/${query}`);
      await visit.page.locator(wanted).first().waitFor();
      await prepare?.(visit.page);
      // Content blocks scripts from elsewhere; what the test brings is run in the page all the same.
      await visit.page.evaluate(axe);
      const { violations } = await visit.page.evaluate(() => globalThis.axe.run());
      const found = violations.map((each) => `${each.id}: ${each.nodes.map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`);
      assert.deepEqual(found, [], name);
    }
    await visit.end();
  });
}

test('with scripts off the turns are a list of links', async () => {
  const visit = await Visit.to(address(NINE), { javaScriptEnabled: false });
  await visit.page.getByText('won: shot or end in 9 plies').waitFor();
  for (let ply = 0; ply < 9; ply += 1) await visit.page.locator('#plain td a').first().click();
  assert.ok(await visit.page.locator('#plain td a').first().isVisible());
  await visit.page.getByLabel('Position, in short form or as a FEN').fill(SHOT);
  await visit.page.getByRole('button', { name: 'Probe' }).click();
  await visit.page.getByText('won: shot or end in 1 ply').waitFor();
  await visit.end();
});

test('a link says in its preview what the position is worth', async () => {
  const page = await (await fetch(address(NINE))).text();
  for (const text of ['<title>Light wins: next shot or end in 9 plies', 'property="og:title" content="Light wins: next shot or end in 9 plies', 'property="og:description"']) {
    assert.ok(page.includes(text), text);
  }
  const records = await (await fetch(`${small.base}/?view=records`)).text();
  assert.ok(records.includes('property="og:title" content="Records · '), records);
});

test('with scripts off every other view says so and leads to its answer', async () => {
  for (const [query, heading, path] of [['view=records', 'Records', '/v1/records'], ['class=3-4', 'Class 3-4', '/v1/stats/3-4'], ['view=tables', 'Tables', '/v1/tables']]) {
    const visit = await Visit.to(`${small.base}/?${query}`, { javaScriptEnabled: false });
    await visit.page.getByRole('heading', { name: heading }).waitFor();
    await visit.page.getByText('needs scripts').waitFor();
    assert.equal(await visit.page.locator('pre').count(), 0);
    await visit.page.getByRole('link', { name: 'The same as JSON' }).click();
    assert.equal(new URL(visit.page.url()).pathname, path);
    await visit.end();
  }
});

test('with scripts and without, the page begins with an example that the tables answer', async () => {
  const server = await serve({ tables: [tablesOf('plain', 6)] });
  for (const javaScriptEnabled of [true, false]) {
    const visit = await Visit.to(server.base, { javaScriptEnabled });
    if (javaScriptEnabled) await visit.verdict('Light wins');
    else await visit.page.getByText('3-3 under plain, won: shot or end in 1 ply').waitFor();
    await visit.end();
  }
  await server.stop();
});

for (const [name, status, wait] of [['a proxy that lets nobody ask too often', 429, '3'], ['a server that is busy', 503, () => new Date(Date.now() + 4000).toUTCString()]]) {
  test(`${name} is asked again when it says so`, async () => {
    const visit = await Visit.to(address(NINE), { errors: [/status of (429|503)/], serviceWorkers: 'block' });
    await visit.verdict('Light wins');
    const asked = [];
    await visit.context.route(/\/v1\/probe/, (route) => {
      asked.push(Date.now());
      if (asked.length > 1) return route.continue();
      return route.fulfill({ status, contentType: 'text/html', headers: { 'retry-after': typeof wait === 'string' ? wait : wait() }, body: '<h1>Later</h1>' });
    });
    await visit.turn('d7-a7').click();
    await visit.page.getByText('The server is busy').waitFor();
    await visit.verdict('A draw');
    await visit.page.locator('.trouble').waitFor({ state: 'hidden' });
    // Dates have whole seconds.
    assert.ok(asked[1] - asked[0] > 2800, String(asked[1] - asked[0]));
    await visit.end();
  });
}

test('a server that goes is missed, and asked again until it is back', async () => {
  const server = await serve({ tables: [shipped] });
  const visit = await Visit.to(`${server.base}/?position=${encodeURIComponent(NINE)}`, { errors: [/Failed to load resource/, /ERR_/], serviceWorkers: 'block' });
  await visit.verdict('Light wins');
  await server.stop();
  await visit.turn('d7-a7').click();
  await visit.page.getByText('The server cannot be reached').waitFor();
  const again = await serve({ tables: [shipped], port: server.port });
  await visit.verdict('A draw');
  await visit.page.locator('.trouble').waitFor({ state: 'hidden' });
  await again.stop();
  await visit.end();
});

test('once loaded it goes on without a network, with what was seen', { skip: Boolean(process.env.MORABASE_PAGE) }, async () => {
  const server = await serve({ tables: [shipped] });
  const visit = await Visit.to(`${server.base}/?position=${encodeURIComponent(NINE)}`, { errors: [/Failed to load resource/, /ERR_/] });
  await visit.verdict('Light wins');
  await visit.page.waitForFunction(async () => (await navigator.serviceWorker.getRegistration())?.active && (await (await caches.open((await caches.keys())[0])).keys()).length > 20);
  await visit.page.reload();
  await visit.verdict('Light wins');
  await server.stop();
  await visit.page.reload();
  await visit.verdict('Light wins');
  assert.equal(await visit.turns().count(), 8);
  await visit.end();
});

test('only the page itself is kept as the page, whatever else is opened beside it', { skip: Boolean(process.env.MORABASE_PAGE) }, async () => {
  const server = await serve({ tables: [shipped] });
  const link = `${server.base}/?position=${encodeURIComponent(NINE)}`;
  const visit = await Visit.to(link, { errors: [/Failed to load resource/, /ERR_/] });
  await visit.verdict('Light wins');
  await visit.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await visit.page.reload();
  await visit.verdict('Light wins');
  const others = ['/v1/tables', '/v1/probe?position=W:Wa7,d7,g1:Bb6,d6,c5', '/metrics', '/healthz', '/icon.svg'];
  for (const path of others) assert.equal((await visit.page.goto(server.base + path)).status(), 200, path);
  await visit.open(link);
  await visit.verdict('Light wins');
  const types = await visit.page.evaluate(async () => {
    const cache = await caches.open((await caches.keys())[0]);
    const of = async (path) => (await cache.match(path))?.headers.get('content-type');
    return [await of('./'), await of('./metrics'), await of('./healthz')];
  });
  assert.deepEqual(types, ['text/html; charset=utf-8', undefined, undefined]);
  await server.stop();
  // What is no page is not answered with one. An exact value the browser may still have itself.
  for (const path of others.filter((each) => !each.startsWith('/v1/probe'))) {
    const tab = await visit.context.newPage();
    await assert.rejects(tab.goto(server.base + path), /ERR_CONNECTION_REFUSED/, path);
    await tab.close();
  }
  await visit.page.goto(link);
  await visit.verdict('Light wins');
  await visit.end();
});

test('a damaged table is said to be damaged, and other classes answer as before', async () => {
  const tables = copyOfTables();
  for (const file of readdirSync(tables)) if (file.startsWith('4-3')) truncateSync(join(tables, file), 20_000);
  const server = await serve({ tables: [tables] });
  const visit = await Visit.to(`${server.base}/?position=${encodeURIComponent('W:Wa7,d7,g1,c3:Bb6,d6,c5')}`, { errors: [/status of 500/] });
  await visit.page.getByText('You can still play on').waitFor();
  assert.match(await visit.page.locator('.status').textContent(), /4-3/);
  assert.ok((await visit.turns().count()) > 0);
  await visit.open(`${server.base}/?position=${encodeURIComponent(SHOT)}`);
  await visit.verdict('Light wins');
  await server.stop();
  await visit.end();
});

test('without tables of the placing phase a game can be played all the same', async () => {
  const visit = await Visit.to(address('W:W:B:H12,12'));
  await visit.page.getByText('You can still play on').waitFor();
  await visit.tap('d6');
  await visit.page.waitForFunction(() => location.search.includes('moves=d6'));
  assert.match(await visit.page.locator('.facts').textContent(), /Dark to move/);
  await visit.end();
});

test('nothing is asked of anybody else, and no script or style stands in the page itself', async () => {
  const visit = await Visit.to(address(NINE));
  await visit.verdict('Light wins');
  for (const view of ['&view=tables', '&class=4-4', '&view=records']) {
    await visit.open(address(NINE, view));
    await visit.page.locator('h1').waitFor();
  }
  const origins = new Set(visit.requests.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin));
  assert.deepEqual([...origins], [small.base]);
  const answer = await fetch(address(NINE));
  assert.match(answer.headers.get('content-security-policy'), /default-src 'none'; script-src 'self'; style-src 'self'/);
  const text = await answer.text();
  assert.doesNotMatch(text, /<style|style="|<script(?! type="module" src=)/);
  await visit.end();
});

test('all of it together is at most 150 KB', () => {
  const files = readdirSync(folder);
  const bytes = files.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
  assert.ok(bytes <= 150 * 1024, `${bytes} bytes`);
});

test('every text that a person reads stands in one file', () => {
  const others = readdirSync(folder).filter((name) => name.endsWith('.js') && name !== 'texts.js');
  for (const name of others) {
    const code = readFileSync(join(folder, name), 'utf8').replace(/^\s*\/\/.*$/gm, '').replace(/import .*/g, '');
    for (const [, text] of code.matchAll(/text: '([^']*[A-Za-z]{3}[^']*)'/g)) assert.fail(`${name}: ${text}`);
    for (const [, text] of code.matchAll(/'([A-Z][a-z]+ [a-z][^']*)'/g)) assert.fail(`${name}: ${text}`);
  }
});
