// Where the answers come from: the server that sent this page or, on a static host, files read by a module beside it.
//
// A source has one function, get(path), which asks for an address of the HTTP service such as /v1/rules and promises
// { status, body }, the body being the object. It fails only where nothing can be asked.

// A server beside the page.
const overHttp = {
  async get(path) {
    const answer = await fetch(`.${path}`, { headers: { accept: 'application/json' } });
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
