// Keeps what was loaded, so that the page goes on without a network. What the network has is newer and comes first.

const CACHE = 'morabase-2';
const MOST = 3000;

// Everything that the page is made of.
const SHELL = [
  './', 'style.css', 'icon.svg', 'manifest.webmanifest', 'address.js', 'app.js', 'ask.js', 'board.js', 'classes.js', 'compare.js', 'dom.js',
  'explorer.js', 'histogram.js', 'images.js', 'notation.js', 'position.js', 'record.js', 'records.js', 'setup.js', 'source.js',
  'status.js', 'texts.js', 'turns.js', 'words.js', 'v1/rules',
];

self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => Promise.allSettled(SHELL.map((path) => cache.add(path)))));
});

self.addEventListener('activate', (event) => {
  const old = (names) => names.filter((name) => name.startsWith('morabase-') && name !== CACHE);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

const here = new URL('./', self.location).pathname;

// The path of a request from the folder of the page on.
function pathOf(request) {
  const { origin, pathname } = new URL(request.url);
  return origin === self.location.origin && pathname.startsWith(here) ? pathname.slice(here.length) : null;
}

const isPage = (request) => ['', 'index.html'].includes(pathOf(request));

// The page is the same whatever its address asks.
const kept = (request) => (isPage(request) ? './' : request);

// A page that is kept must be one, whatever a host answers at its address.
const mayKeep = (request, answer) => answer.status === 200 && (!isPage(request) || /^text\/html\b/.test(answer.headers.get('content-type') ?? ''));

// Other documents than the page, and what is true only at the moment, are the network's alone. Parts of files are the
// business of who asks for them.
function isOurs(request) {
  const path = pathOf(request);
  if (request.method !== 'GET' || path === null || request.headers.has('range') || ['metrics', 'healthz'].includes(path)) return false;
  return request.mode !== 'navigate' || isPage(request);
}

async function keep(request, answer) {
  const cache = await caches.open(CACHE);
  await cache.put(kept(request), answer);
  const keys = await cache.keys();
  const spare = keys.length - MOST;
  if (spare > 0) await Promise.all(keys.filter((key) => key.url.includes('/v1/')).slice(0, spare).map((key) => cache.delete(key)));
}

async function answerTo(event) {
  const { request } = event;
  try {
    const answer = await fetch(request);
    if (mayKeep(request, answer)) event.waitUntil(keep(request, answer.clone()).catch(() => {}));
    return answer;
  } catch (error) {
    const cache = await caches.open(CACHE);
    const known = await cache.match(kept(request));
    if (known) return known;
    throw error;
  }
}

self.addEventListener('fetch', (event) => {
  if (isOurs(event.request)) event.respondWith(answerTo(event));
});
