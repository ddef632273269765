// What the tests share: the program as a server, tables made for the occasion, and a browser.
//
// MORABASE names the program; without it target/debug/morabase, which `cargo build` makes. CHROMIUM names the browser. With
// MORABASE_PAGE=src/serve/page the browser takes the files of the page from there: for work on them without compiling.

import assert from 'node:assert/strict';
import { spawn, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:http';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const program = process.env.MORABASE ?? join(root, 'target/debug/morabase');
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

assert.ok(existsSync(program), `${program} is not there: run cargo build, or set MORABASE`);
assert.ok(existsSync(browserPath), `${browserPath} is not there: install Debian's chromium, or set CHROMIUM`);

// The 4-4 position of the tables inside the program: won in 9 plies, by one turn alone.
export const NINE = 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4';

// Won at once by a shot.
export const SHOT = 'W:Wa7,d7,g1:Bb6,d6,c5';

// The no-remake rule bars a move here, and with it the only way to win.
export const CURSED = 'W:Wg1,a1,d6:Bd1,d2,d3:C10';

// Milliseconds for anything to be seen. Long, as machines may be busy.
const TIME = Number(process.env.MORABASE_TIME ?? 30_000);

const folders = [];
const servers = [];
// A test that fails leaves them behind.
process.on('exit', () => {
  servers.forEach((server) => server.kill('SIGKILL'));
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'morabase-browser-'));
  folders.push(made);
  return made;
}

// A whole small game, from the empty board on, built in a second.
export function smallGame(cows = 3) {
  const tables = folder();
  execFileSync(program, ['build', '--game', '--cows', String(cows), '--tables', tables], { stdio: 'ignore' });
  return tables;
}

// Tables of another rule set.
export function tablesOf(rules, most) {
  const tables = folder();
  execFileSync(program, ['build', '--rules', rules, '--max-cows', String(most), '--tables', tables], { stdio: 'ignore' });
  return tables;
}

// The tables of the repository, which are those inside the program.
export const shipped = join(root, 'tables');

// A copy of them, to be damaged.
export function copyOfTables() {
  const tables = folder();
  cpSync(shipped, tables, { recursive: true });
  return tables;
}

// Starts the program as a server; on a port of the system's choice unless one is given.
export async function serve({ tables = [], port = 0 } = {}) {
  const places = tables.flatMap((each) => ['--tables', each]);
  // Away from directories named tables, so that only those that are given are served beside those inside the program.
  const child = spawn(program, ['serve', '--listen', `127.0.0.1:${port}`, ...places], { cwd: folder(), stdio: ['ignore', 'pipe', 'ignore'] });
  servers.push(child);
  const [line] = await new Promise((done, failed) => {
    createInterface({ input: child.stdout }).once('line', (text) => done([text]));
    child.once('exit', (code) => failed(new Error(`the server ended with ${code}`)));
  });
  const base = line.replace('listening on ', '');
  const stop = () =>
    new Promise((done) => {
      if (child.exitCode !== null) done();
      child.once('exit', done);
      child.kill('SIGKILL');
    });
  return { base, port: Number(new URL(base).port), stop };
}

// A folder for a static host, as the program writes it.
export function site(...tables) {
  const out = folder();
  execFileSync(program, ['site', '--out', out, ...tables.flatMap((each) => ['--tables', each])], { stdio: 'ignore' });
  return out;
}

// Hosts a folder, with parts of files or without. It counts what it sends.
export async function host(place, { ranges = true, port = 0 } = {}) {
  const sent = { requests: 0, bytes: 0 };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://host');
    const file = join(place, pathname === '/' ? 'index.html' : pathname);
    if (!existsSync(file)) return response.writeHead(404).end();
    const bytes = readFileSync(file);
    const part = ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const [first, last] = part ? [Number(part[1]), Math.min(Number(part[2]), bytes.length - 1)] : [0, bytes.length - 1];
    const head = { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'cache-control': 'no-store' };
    if (part) head['content-range'] = `bytes ${first}-${last}/${bytes.length}`;
    sent.requests += 1;
    sent.bytes += last - first + 1;
    return response.writeHead(part ? 206 : 200, head).end(bytes.subarray(first, last + 1));
  });
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { base: `http://127.0.0.1:${server.address().port}`, port: server.address().port, sent, stop };
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };

const pageFolder = process.env.MORABASE_PAGE && resolve(process.env.MORABASE_PAGE);

async function fromFolder(route) {
  const path = join(pageFolder, basename(new URL(route.request().url()).pathname));
  const answer = existsSync(path) ? await route.fetch().catch(() => null) : null;
  if (answer?.ok()) await route.fulfill({ response: answer, body: readFileSync(path) });
  else await route.continue();
}

let browser = null;

export async function launch() {
  browser ??= await chromium.launch({ executablePath: browserPath, args: FLAGS });
  return browser;
}

export async function close() {
  await browser?.close();
  browser = null;
}

// A page of the explorer in a browser of its own, which fails the test on any error in its console.
export class Visit {
  static async to(address, options = {}) {
    const { errors = [], ...rest } = options;
    const blocked = pageFolder ? { serviceWorkers: 'block' } : {};
    const context = await (await launch()).newContext({ viewport: { width: 1280, height: 900 }, ...blocked, ...rest });
    if (pageFolder) await context.route(/\/[\w.]+\.(js|css|svg|webmanifest)$/, fromFolder);
    const visit = new Visit(context, await context.newPage(), errors);
    await visit.open(address);
    return visit;
  }

  constructor(context, page, allowed) {
    this.context = context;
    this.page = page;
    context.setDefaultTimeout(TIME);
    this.faults = [];
    this.requests = [];
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('console', (message) => {
      const text = message.text();
      // Answers such as "there is no table" are errors to the browser and none to the page.
      const expected = [/status of 40[04]/, /Service Worker registration blocked/, ...allowed];
      if (message.type() === 'error' && !expected.some((each) => each.test(text))) this.faults.push(text);
    });
    page.on('request', (request) => this.requests.push(request.url()));
  }

  async open(address) {
    await this.page.goto(address);
  }

  // Waits until the value that is shown is this one.
  async verdict(text) {
    await this.page.locator('.status:not([aria-busy]) .verdict', { hasText: text }).waitFor();
  }

  // The address without its origin.
  asked() {
    return Object.fromEntries(new URL(this.page.url()).searchParams);
  }

  point(name) {
    return this.page.locator(`.board [data-point="${name}"]`);
  }

  async tap(name) {
    await this.point(name).locator('.touch').click({ force: true });
  }

  turns() {
    return this.page.locator('.turns a[data-turn]');
  }

  turn(text) {
    return this.page.locator('.turns a[data-turn]', { has: this.page.locator('.turn', { hasText: new RegExp(`^${text}$`) }) });
  }

  async said() {
    return this.page.locator('[aria-live]').textContent();
  }

  async end() {
    assert.deepEqual(this.faults, []);
    await this.context.close();
  }
}
