// Answers without a server: morabase.wasm answers as the HTTP service does, from tables that lie beside this page.
//
// Where it needs bytes of a table that it has not got, it says which, and the same question is asked again once they are there: a
// few kilobytes for a position, fetched by HTTP ranges and kept. Checksums are verified in morabase.wasm, so what a host sends is either
// right or refused.

// Up to so many bytes a file is fetched whole from a host that sends no parts.
const MOST_WHOLE = 8 * 1024 * 1024;

// Parts that are fetched at once, and rounds after which a question is given up: it is never that many.
const AT_ONCE = 8;
const MOST_ROUNDS = 1000;

// A file that cannot be had although the host can be asked.
class NoFile extends Error {
  constructor(number, why) {
    super(why);
    this.number = number;
  }
}

// The exports of morabase.wasm, with texts and bytes in place of places in its memory.
class Program {
  constructor(exports) {
    this.exports = exports;
  }

  put(bytes) {
    const place = this.exports.input(bytes.length);
    new Uint8Array(this.exports.memory.buffer, place, bytes.length).set(bytes);
  }

  putText(text) {
    const bytes = new TextEncoder().encode(text);
    this.put(bytes);
    return bytes.length;
  }

  output() {
    const { memory, output, output_length } = this.exports;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, output(), output_length()));
  }

  open(index) {
    this.putText(index);
    if (!this.exports.open()) throw new Error(this.output());
  }

  // The status, 0 for ranges that are needed, and the text.
  ask(path, query) {
    this.putText(path + query);
    const status = this.exports.ask(new TextEncoder().encode(path).length);
    return { status, text: this.output() };
  }

  give(number, at, bytes) {
    this.put(bytes);
    this.exports.give(number, at);
  }

  cannotFetch(number, why) {
    this.putText(why);
    const status = this.exports.cannot_fetch(number);
    return { status, text: this.output() };
  }
}

// Files beside the page, by parts.
class Files {
  constructor(base, fetcher) {
    this.base = base;
    this.fetcher = fetcher;
    this.ranges = true;
    this.running = new Map();
    this.free = AT_ONCE;
    this.waiting = [];
  }

  // All parts that are needed, as [number, at, bytes].
  async parts(needs) {
    const wanted = needs.flatMap((need) => need.ranges.map(([start, end]) => this.part(need, start, end)));
    return Promise.all(wanted);
  }

  async part(need, start, end) {
    const small = need.bytes <= MOST_WHOLE;
    if (!this.ranges && small) return this.once(`${need.number}`, () => this.whole(need));
    const part = await this.once(`${need.number} ${start} ${end}`, () => this.range(need, start, end));
    if (part) return part;
    this.ranges = false;
    if (small) return this.once(`${need.number}`, () => this.whole(need));
    throw new NoFile(need.number, `this host sends no parts of files (HTTP ranges), and the file has ${need.bytes} bytes`);
  }

  // What is on its way is not fetched again.
  once(key, work) {
    let running = this.running.get(key);
    if (!running) {
      running = this.inTurn(work).finally(() => this.running.delete(key));
      this.running.set(key, running);
    }
    return running;
  }

  async inTurn(work) {
    while (this.free === 0) await new Promise((resolve) => this.waiting.push(resolve));
    this.free -= 1;
    try {
      return await work();
    } finally {
      this.free += 1;
      this.waiting.shift()?.();
    }
  }

  // The hash in the address keeps caches from mixing two versions of a file.
  address(need) {
    return new URL(`${need.file}?v=${need.sha256.slice(0, 16)}`, this.base);
  }

  // A part of a file; nothing where the host sends whole files only.
  async range(need, start, end) {
    const answer = await this.fetcher(this.address(need), { headers: { range: `bytes=${start}-${end - 1}` } });
    if (answer.status === 200) {
      await answer.body?.cancel();
      return null;
    }
    if (answer.status !== 206) throw await refused(need, answer);
    const place = answer.headers.get('content-range');
    if (place !== `bytes ${start}-${end - 1}/${need.bytes}`) {
      throw new NoFile(need.number, `expected bytes ${start}-${end - 1}/${need.bytes}, the host says ${place}: if the site has changed, load the page again`);
    }
    return this.bytes(need, answer, start, end);
  }

  async whole(need) {
    const answer = await this.fetcher(this.address(need));
    if (answer.status !== 200) throw await refused(need, answer);
    return this.bytes(need, answer, 0, need.bytes);
  }

  async bytes(need, answer, start, end) {
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (bytes.length !== end - start) {
      throw new NoFile(need.number, `expected ${end - start} bytes, the host sent ${bytes.length}: if the site has changed, load the page again`);
    }
    return [need.number, start, bytes];
  }
}

async function refused(need, answer) {
  await answer.body?.cancel();
  const why = answer.status === 404 ? 'the host has no such file (status 404)' : `the host answers with status ${answer.status}`;
  return new NoFile(need.number, why);
}

async function loaded(base, fetcher, name) {
  const answer = await fetcher(new URL(name, base), { cache: 'no-cache' });
  if (!answer.ok) throw new Error(`${name}: the host answers with status ${answer.status}`);
  return answer;
}

// What a server beside the page would answer: text(path) promises { status, text }, get(path) { status, body }. Both fail only where
// nothing can be asked.
export async function openStatic({ base = new URL('.', import.meta.url), fetcher = (...asked) => fetch(...asked) } = {}) {
  const code = loaded(base, fetcher, 'morabase.wasm').then((answer) => answer.arrayBuffer());
  const [module, index] = await Promise.all([
    code.then((bytes) => WebAssembly.compile(bytes)),
    loaded(base, fetcher, 'site.json').then((answer) => answer.text()),
  ]);
  const start = async () => {
    const program = new Program((await WebAssembly.instantiate(module, {})).exports);
    program.open(index);
    return program;
  };
  const files = new Files(base, fetcher);
  let program = await start();

  async function answered(path, query) {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const answer = program.ask(path, query);
      if (answer.status !== 0) return answer;
      try {
        for (const part of await files.parts(JSON.parse(answer.text))) program.give(...part);
      } catch (error) {
        if (error instanceof NoFile) return program.cannotFetch(error.number, error.message);
        throw error;
      }
    }
    throw new Error('too many parts of tables are needed: load the page again');
  }

  async function text(address) {
    const mark = address.indexOf('?');
    const [path, query] = mark < 0 ? [address, ''] : [address.slice(0, mark), address.slice(mark + 1)];
    try {
      return await answered(path, query);
    } catch (error) {
      // A program that has failed cannot go on, and a new one can.
      if (error instanceof WebAssembly.RuntimeError) program = await start();
      throw error;
    }
  }

  return {
    text,
    async get(address) {
      const answer = await text(address);
      return { status: answer.status, body: JSON.parse(answer.text) };
    },
  };
}
