// Keeps what was loaded, so that the page goes on without a network. What the network has is newer and comes first.

const CACHE = 'morabase-1';
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

// A page has the same parts whatever its address asks.
const kept = (request) => (request.mode === 'navigate' ? './' : request);

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
    if (answer.status === 200) event.waitUntil(keep(request, answer.clone()).catch(() => {}));
    return answer;
  } catch (error) {
    const cache = await caches.open(CACHE);
    const known = await cache.match(kept(request));
    if (known) return known;
    throw error;
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const own = new URL(request.url).origin === self.location.origin;
  // Parts of files are the business of who asks for them.
  if (request.method === 'GET' && own && !request.headers.has('range')) event.respondWith(answerTo(event));
});
