// Playing, setting up and looking things up, as players do it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { CURSED, NINE, SHOT, Visit, close, serve, shipped, smallGame, tablesOf } from './support.js';

let game;
let small;
let plain;

before(async () => {
  game = await serve({ tables: [smallGame()] });
  plain = tablesOf('plain', 7);
  small = await serve({ tables: [shipped, plain] });
});

after(async () => {
  await game.stop();
  await small.stop();
  await close();
});

const at = (server, query = '') => `${server.base}/${query && `?${query}`}`;
const position = (text) => `rules=gar&position=${encodeURIComponent(text)}`;

test('a game is played from the empty board to its end by tapping', async () => {
  const visit = await Visit.to(at(game));
  await visit.page.locator('.turns a').first().waitFor();
  assert.equal(await visit.turns().count(), 24);
  let plies = 0;
  while ((await visit.turns().count()) > 0) {
    assert.ok(plies < 100, 'best play ends');
    const best = visit.turns().first();
    const [way, shot] = (await best.locator('.turn').textContent()).split('x');
    const points = [...way.split('-'), shot].filter(Boolean);
    for (const point of points) await visit.tap(point);
    plies += 1;
    await visit.page.waitForFunction((count) => new URLSearchParams(location.search).get('moves')?.split(',').length === count, plies);
    await visit.page.locator('.status:not([aria-busy])').waitFor();
    await visit.page.waitForFunction((count) => document.querySelectorAll('.rounds a .turn').length === count, plies);
  }
  assert.match(await visit.page.locator('.verdict').textContent(), /over/);
  assert.match(await visit.page.locator('.detail').textContent(), /(Light|Dark) wins/);
  await visit.end();
});

test('every turn is listed with letter, word and plies, grouped by value', async () => {
  const visit = await Visit.to(at(small, position(NINE)));
  await visit.verdict('Light wins');
  assert.equal(await visit.page.locator('.detail').textContent(), 'shot or end in 9 plies');
  assert.deepEqual(await visit.page.locator('.turns h3').allTextContents(), ['Won 1', 'Drawn 7']);
  const best = visit.turns().first();
  assert.equal(await best.locator('.chip').textContent(), 'W');
  assert.equal(await best.locator('.worth').textContent(), 'won in 9 plies');
  assert.match(await best.textContent(), /d6 to b6/);
  assert.match(await visit.page.title(), /^Light wins, 9 plies/);
  await visit.end();
});

test('against the tables: they answer, values are hidden but for a hint, and undo goes back to one’s own turn', async () => {
  const visit = await Visit.to(at(small, position(NINE)));
  await visit.verdict('Light wins');
  await visit.page.getByLabel('Tables play').selectOption('second');
  await visit.verdict('Your turn');
  assert.match(visit.page.url(), /opponent=second/);
  assert.equal(await visit.page.locator('.turns .chip').count(), 0);
  assert.equal(await visit.turns().count(), 8);
  assert.equal((await visit.page.title()).startsWith('Your turn'), true);
  await visit.page.getByRole('button', { name: 'Hint' }).click();
  await visit.verdict('Light wins');
  assert.equal(await visit.turns().first().locator('.worth').textContent(), 'won in 9 plies');
  await visit.turns().first().click();
  const moves = (count) => visit.page.waitForFunction((many) => new URLSearchParams(location.search).get('moves')?.split(',').length === many, count);
  await moves(2);
  await visit.verdict('Your turn');
  assert.equal(await visit.page.locator('.turns .chip').count(), 0);
  await visit.page.getByRole('button', { name: 'Undo' }).click();
  await visit.page.waitForFunction(() => new URLSearchParams(location.search).get('at') === '0');
  assert.equal(await visit.page.locator('.trays, .tray.first.to-move').count(), 1);
  await visit.end();
});

test('looking at a turn in the list shows it on the board', async () => {
  const visit = await Visit.to(at(small, position(SHOT)));
  await visit.verdict('Light wins');
  const shoots = visit.page.locator('.turns a', { hasText: 'ends the game' }).first();
  await shoots.hover();
  assert.equal(await visit.page.locator('.board .arrow.won').count(), 1);
  assert.equal(await visit.page.locator('.board .aim-shot').count(), 1);
  await visit.page.locator('.verdict').hover();
  assert.equal(await visit.page.locator('.board .aim-shot').count(), 0);
  await shoots.focus();
  assert.equal(await visit.page.locator('.board .aim-shot').count(), 1);
  await visit.end();
});

test('a turn in two steps: the move, then the shot, with the points that are allowed shown with their values', async () => {
  const visit = await Visit.to(at(small, position(SHOT)));
  await visit.verdict('Light wins');
  await visit.tap('g1');
  assert.match(await visit.point('g1').getAttribute('class'), /chosen/);
  assert.match(await visit.point('g7').getAttribute('aria-label'), /^g7, empty, go here: won in 1 ply$/);
  await visit.tap('g7');
  for (const cow of ['b6', 'd6', 'c5']) assert.match(await visit.point(cow).getAttribute('class'), /open shoot/);
  assert.match(await visit.said(), /Choose the cow to shoot: 3/);
  await visit.tap('d6');
  await visit.verdict('over');
  assert.equal(visit.asked().moves, 'g1-g7xd6');
  await visit.end();
});

test('a cow is dragged to where it goes', async () => {
  const visit = await Visit.to(at(small, position(NINE)));
  await visit.verdict('Light wins');
  const middle = async (name) => {
    const box = await visit.point(name).locator('.touch').boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  await visit.page.mouse.move(...(await middle('d6')));
  await visit.page.mouse.down();
  await visit.page.mouse.move(...(await middle('d7')), { steps: 4 });
  await visit.page.mouse.move(...(await middle('b6')), { steps: 4 });
  await visit.page.mouse.up();
  await visit.page.waitForFunction(() => location.search.includes('moves=d6-b6'));
  await visit.verdict('Light wins');
  await visit.end();
});

test('a finger drags a cow and the page stays still, and swipes anywhere else on the board', async () => {
  const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
  const visit = await Visit.to(at(small, position(NINE)), phone);
  await visit.verdict('Light wins');
  const touch = await visit.context.newCDPSession(visit.page);
  const send = (type, points) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
  const middle = async (name) => {
    const box = await visit.point(name).locator('.touch').boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  // In small steps, as a finger goes.
  const swipe = async (...stops) => {
    await send('touchStart', [stops[0]]);
    for (let leg = 1; leg < stops.length; leg += 1) {
      const [[x, y], [toX, toY]] = [stops[leg - 1], stops[leg]];
      for (let step = 1; step <= 8; step += 1) await send('touchMove', [[x + ((toX - x) * step) / 8, y + ((toY - y) * step) / 8]]);
    }
    // At rest before it lets go, so that nothing scrolls on.
    await visit.page.waitForTimeout(150);
    await send('touchMove', [stops.at(-1)]);
    await send('touchEnd', []);
  };
  const scrolled = () => visit.page.evaluate(() => scrollY);
  // Down, up and aside, as only a way along the page would scroll it.
  await visit.point('d6').scrollIntoViewIfNeeded();
  const before = await scrolled();
  await swipe(await middle('d6'), await middle('d1'), await middle('d5'), await middle('b6'));
  await visit.page.waitForFunction(() => location.search.includes('moves=d6-b6'));
  assert.equal(await scrolled(), before);
  await visit.verdict('Light wins');
  // From a free point, from a cow that is not to move, and from beside the points.
  for (const name of ['a1', 'd7', null]) {
    await visit.page.evaluate(() => scrollTo(0, 0));
    const [x, y] = await middle(name ?? 'd5');
    const from = name ? [x, y] : [x, y + (await middle('d5'))[1] - (await middle('d6'))[1]];
    await swipe(from, [from[0], from[1] - 150]);
    await visit.page.waitForFunction(() => scrollY > 50);
  }
  assert.equal(visit.asked().moves, 'd6-b6');
  await visit.end();
});

test('undo and redo, a turn that throws the win away, and back and forward in the browser', async () => {
  const visit = await Visit.to(at(small, position(NINE)));
  await visit.verdict('Light wins');
  await visit.turn('d7-a7').click();
  await visit.verdict('A draw');
  await visit.page.locator('.rounds .blunder').waitFor();
  assert.match(await visit.page.locator('.rounds a').last().textContent(), /threw the win away; best was d6-b6/);
  assert.match(await visit.page.locator('.record p.quiet').textContent(), /One turn threw/);
  await visit.page.getByRole('button', { name: 'Undo' }).click();
  await visit.verdict('Light wins');
  assert.deepEqual([visit.asked().moves, visit.asked().at], ['d7-a7', '0']);
  await visit.page.getByRole('button', { name: 'Redo' }).click();
  await visit.verdict('A draw');
  await visit.page.goBack();
  await visit.verdict('Light wins');
  await visit.page.goBack();
  await visit.verdict('A draw');
  await visit.page.goForward();
  await visit.verdict('Light wins');
  // Another turn from here begins another record.
  await visit.turn('d6-b6').click();
  await visit.page.waitForFunction(() => new URLSearchParams(location.search).get('moves') === 'd6-b6');
  await visit.end();
});

test('a link opens the same record at the same place in a new tab', async () => {
  const visit = await Visit.to(at(small, position(NINE)));
  await visit.verdict('Light wins');
  await visit.turn('d6-b6').click();
  await visit.page.waitForFunction(() => location.search.includes('d6-b6'));
  await visit.verdict('Light wins');
  await visit.turns().first().click();
  await visit.page.waitForFunction(() => location.search.includes('d6-b6,'));
  await visit.page.getByRole('button', { name: 'Undo' }).click();
  await visit.page.waitForFunction(() => location.search.includes('at=1'));
  await visit.verdict('Light wins');
  const link = visit.page.url();
  const tab = await visit.context.newPage();
  await tab.goto(link);
  await tab.locator('.status:not([aria-busy]) .verdict', { hasText: 'Light wins' }).waitFor();
  assert.equal(await tab.locator('.rounds a').count(), 3);
  assert.equal(await tab.locator('.rounds a[aria-current] .turn').textContent(), 'd6-b6');
  assert.equal(await tab.locator('.detail').textContent(), await visit.page.locator('.detail').textContent());
  await visit.end();
});

test('a position is set up with the palette, turned, mirrored, exchanged and cleared', async () => {
  const visit = await Visit.to(at(small, position(NINE)));
  await visit.verdict('Light wins');
  await visit.page.getByRole('button', { name: 'Set up' }).click();
  await visit.page.getByRole('button', { name: 'Clear' }).click();
  await visit.page.locator('.setup .problem', { hasText: 'Not a legal position yet' }).waitFor();
  assert.ok(await visit.page.locator('.turns').isHidden());
  for (const point of ['a7', 'd7', 'g1', 'a1']) await visit.tap(point);
  await visit.tap('a1');
  await visit.page.getByLabel('Dark cow').check();
  for (const point of ['b6', 'd6', 'c5']) await visit.tap(point);
  await visit.verdict('Light wins');
  assert.equal(visit.asked().position, SHOT);
  await visit.page.getByRole('radio', { name: 'Dark', exact: true }).check();
  await visit.verdict('Dark wins');
  await visit.page.getByRole('button', { name: 'Swap colours' }).click();
  await visit.page.waitForFunction(() => new URLSearchParams(location.search).get('position') === 'W:Wb6,d6,c5:Ba7,d7,g1');
  await visit.verdict('Light wins');
  const before = await visit.page.locator('.detail').textContent();
  for (const name of ['Quarter turn', 'Mirror', 'Swap rings']) {
    const was = visit.asked().position;
    await visit.page.getByRole('button', { name }).click();
    await visit.page.waitForFunction((text) => new URLSearchParams(location.search).get('position') !== text, was);
    await visit.verdict('Light wins');
    assert.equal(await visit.page.locator('.detail').textContent(), before, name);
  }
  await visit.page.getByLabel('Plies since the last shot', { exact: true }).fill('19');
  await visit.page.keyboard.press('Enter');
  await visit.page.waitForFunction(() => location.search.includes('C19'));
  await visit.page.getByRole('button', { name: 'More: Light in hand' }).click();
  await visit.page.waitForFunction(() => location.search.includes('H1,0'));
  await visit.page.getByRole('button', { name: 'Undo' }).click();
  await visit.page.waitForFunction(() => location.search.includes('C19'));
  await visit.page.getByRole('button', { name: 'Redo' }).click();
  await visit.page.waitForFunction(() => location.search.includes('H1,0'));
  await visit.page.getByRole('button', { name: 'Done' }).click();
  assert.ok(await visit.page.getByRole('heading', { name: 'Set up a position' }).isHidden());
  await visit.end();
});

test('what the draw counter changes is said in words', async () => {
  const visit = await Visit.to(at(small, position(CURSED)));
  await visit.verdict('A draw: blessed loss');
  assert.match(await visit.page.locator('.notes').textContent(), /A blessed loss: with a fresh counter this would be lost in 16 plies/);
  assert.match(await visit.page.locator('.counter-line').textContent(), /10 of 20 plies/);
  assert.match(await visit.turns().first().textContent(), /blessed loss/);
  await visit.end();
});

test('a turn that the no-remake rule bars is shown with the reason', async () => {
  const barred = 'W:Wa7,d7,g4,b4:Bb6,f2,d1,c3:LWg7-g4';
  const visit = await Visit.to(at(small, position(barred)));
  await visit.page.locator('.turns .barred, .notes').first().waitFor();
  const text = await visit.page.locator('main').textContent();
  assert.match(text, /g4-g7 is barred by the no-remake rule: .*a7-d7-g7/);
  assert.equal(await visit.turn('g4-g7xb6').count(), 0);
  await visit.end();
});

test('every notation is read and given, and names of points change everywhere', async () => {
  const visit = await Visit.to(at(small, position(NINE)));
  await visit.verdict('Light wins');
  await visit.page.getByText('As text').click();
  const fen = await visit.page.getByLabel('FEN', { exact: true }).inputValue();
  const ring = await visit.page.getByLabel('Ring names', { exact: true }).inputValue();
  const normal = await visit.page.getByLabel('Short form', { exact: true }).inputValue();
  const load = async (text) => {
    await visit.page.getByLabel('Paste a position or a record').fill(text);
    await visit.page.getByRole('button', { name: 'Load' }).click();
  };
  await load(SHOT);
  await visit.page.waitForFunction((text) => new URLSearchParams(location.search).get('position') === text, SHOT);
  for (const text of [fen, ring]) {
    await load(text);
    await visit.page.waitForFunction((wanted) => new URLSearchParams(location.search).get('position') === wanted, normal);
    await load(SHOT);
    await visit.page.waitForFunction((wanted) => new URLSearchParams(location.search).get('position') === wanted, SHOT);
  }
  // A link brings all of its state: rules, position, record, the place in it, names.
  await load(`https://elsewhere.example/mora/?position=${encodeURIComponent(NINE)}&moves=d6-b6,g1-d1&at=1&rules=plain&points=gar&fbclid=x`);
  await visit.page.waitForFunction(() => new URLSearchParams(location.search).get('rules') === 'plain');
  assert.deepEqual(visit.asked(), { position: normal, moves: 'd6-b6,g1-d1', at: '1', rules: 'plain', points: 'gar' });
  await visit.page.waitForFunction(() => document.querySelectorAll('.rounds a').length === 3);
  await load(`?rules=gar&moves=${encodeURIComponent('d6,d7,b4')}&at=9`);
  await visit.page.waitForFunction(() => new URLSearchParams(location.search).get('moves') === 'd6,d7,b4');
  assert.deepEqual([visit.asked().rules, visit.asked().at, visit.asked().points], ['gar', undefined, undefined]);
  await load('1. d6 d7 2. b4 a4 3. b6 g7 4. b2 xa4');
  await visit.page.waitForFunction(() => new URLSearchParams(location.search).get('moves') === 'd6,d7,b4,a4,b6,g7,b2xa4');
  await load('nothing at all');
  await visit.page.locator('.notation .problem', { hasText: 'cannot be read' }).waitFor();
  await visit.page.getByRole('button', { name: 'Names: a7' }).click();
  await visit.page.waitForFunction(() => location.search.includes('points=gar'));
  await visit.page.locator('.rounds .turn', { hasText: /^A7xE8$/ }).waitFor();
  await visit.end();
});

test('the best line plays by itself to its end and stops when asked', async () => {
  const visit = await Visit.to(at(small, position(NINE)), { reducedMotion: 'reduce' });
  await visit.verdict('Light wins');
  await visit.page.getByRole('button', { name: 'Play best line' }).click();
  await visit.page.waitForFunction(() => (new URLSearchParams(location.search).get('moves') ?? '').split(',').length >= 2);
  await visit.page.getByRole('button', { name: 'Stop' }).click();
  await visit.page.getByRole('button', { name: 'Play best line' }).waitFor();
  await visit.page.locator('summary', { hasText: 'Best line' }).click();
  await visit.page.locator('.best-line .end').waitFor();
  await visit.end();
});

test('rules that are not served stay chosen, and no others seem to be', async () => {
  const visit = await Visit.to(at(small, `rules=wikipedia&position=${encodeURIComponent(SHOT)}`));
  await visit.page.getByText('You can still play on').waitFor();
  const picked = () => visit.page.getByLabel('Rules').evaluate((picker) => [picker.value, picker.selectedOptions[0].textContent, picker.options.length]);
  assert.deepEqual(await picked(), ['wikipedia', 'wikipedia (no tables here)', 3]);
  await visit.page.getByText('Under other rules').click();
  await visit.page.locator('.compare tbody tr').nth(1).waitFor();
  assert.equal(await visit.page.locator('.compare [aria-current]').count(), 0);
  await visit.page.getByLabel('Rules').selectOption('plain');
  await visit.verdict('Light wins');
  assert.deepEqual(await picked(), ['plain', 'plain', 2]);
  await visit.end();
});

test('rule sets stand side by side', async () => {
  const visit = await Visit.to(at(small, position('W:Wg1,a1,d6:Bd1,d2,d3:C10')));
  await visit.verdict('A draw');
  await visit.page.getByText('Under other rules').click();
  const row = (name) => visit.page.locator('.compare tr', { has: visit.page.getByRole('link', { name, exact: true }) });
  await row('plain').getByText('lost in 16 plies').waitFor();
  await row('gar').getByText('blessed loss').waitFor();
  await visit.page.getByRole('link', { name: 'plain', exact: true }).click();
  await visit.verdict('Dark wins');
  assert.equal(visit.asked().rules, 'plain');
  await visit.end();
});

test('a class has its counts, a histogram with the position at hand marked, and its longest position', async () => {
  const visit = await Visit.to(at(small, position(NINE)));
  await visit.verdict('Light wins');
  await visit.page.getByRole('link', { name: 'Class 4-4' }).click();
  await visit.page.getByRole('heading', { name: 'Class 4-4' }).waitFor();
  await visit.page.locator('.chart .here').waitFor();
  assert.ok((await visit.page.locator('.chart rect').count()) > 5);
  const row = await visit.page.locator('table tbody tr').first().textContent();
  assert.match(row, /every placement/);
  await visit.page.getByRole('link', { name: 'Open on the board' }).last().click();
  await visit.page.locator('.status:not([aria-busy]) .detail').waitFor();
  await visit.page.goBack();
  await visit.page.getByRole('heading', { name: 'Class 4-4' }).waitFor();
  await visit.page.getByRole('link', { name: 'Tables', exact: true }).click();
  await visit.page.getByRole('heading', { name: 'Tables' }).waitFor();
  assert.equal(await visit.page.locator('tbody tr').count(), 6);
  await visit.end();
});

test('the records lead to their positions', async () => {
  const visit = await Visit.to(at(small, 'view=records&rules=plain'));
  await visit.page.getByRole('heading', { name: 'Records' }).waitFor();
  const first = visit.page.locator('tbody tr').first();
  const plies = (await first.locator('td').nth(1).textContent()).match(/(\d+) pl/)[1];
  await first.locator('a').first().click();
  await visit.page.locator('.status:not([aria-busy]) .detail', { hasText: `in ${plies} plies` }).waitFor();
  await visit.end();
});
