// Where the answers come from: the server that sent this page or, on a static host, files read by a module beside it.
//
// A source has one function, get(path), which asks for an address of the HTTP service such as /v1/rules and promises
// { status, body }, the body being the object. Where the answer is to ask later, there is no body, and perhaps `wait`, the
// milliseconds until then. It fails only where nothing can be asked.

// Too many requests, to a proxy or to the server.
export const BUSY = [429, 503];

// The milliseconds that Retry-After says, in seconds or as a date.
function waitOf(answer) {
  const text = answer.headers.get('retry-after') ?? '';
  const time = /^\d+$/.test(text.trim()) ? 1000 * Number(text) : Date.parse(text) - Date.now();
  return Number.isNaN(time) ? undefined : Math.max(time, 0);
}

// A server beside the page.
const overHttp = {
  async get(path) {
    const answer = await fetch(`.${path}`, { headers: { accept: 'application/json' } });
    // What a proxy says is for people.
    if (BUSY.includes(answer.status)) return { status: answer.status, wait: waitOf(answer) };
    return { status: answer.status, body: await answer.json() };
  },
};

// Whether the page lies on a static host, which it says itself.
const isStatic = () => document.querySelector('meta[name="morabase-source"]')?.content === 'static';

export async function openSource() {
  if (!isStatic()) return overHttp;
  const { openStatic } = await import('./static.js');
  return openStatic();
}
