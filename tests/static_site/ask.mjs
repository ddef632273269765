// Asks a static site as its page does: node ask.mjs SITE ADDRESS, requests on lines of standard input. For each a line of JSON: the status, the
// texts, and how many requests to the host and bytes from it that took. Requests joined by " & " are asked at once.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [site, base] = process.argv.slice(2);
const module = readFileSync(`${site}/static.js`).toString('base64');
const { openStatic } = await import(`data:text/javascript;base64,${module}`);

let spent = { requests: 0, bytes: 0 };
const fetcher = async (...asked) => {
  spent.requests += 1;
  const answer = await fetch(...asked);
  const bytes = answer.arrayBuffer.bind(answer);
  answer.arrayBuffer = async () => {
    const found = await bytes();
    spent.bytes += found.byteLength;
    return found;
  };
  return answer;
};

let source;
for await (const line of createInterface({ input: process.stdin })) {
  spent = { requests: 0, bytes: 0 };
  let answer;
  try {
    source ??= await openStatic({ base: new URL(base), fetcher });
    spent = { requests: 0, bytes: 0 };
    const together = line.split(' & ');
    const answers = await Promise.all(together.map((request) => source.text(request)));
    const body = await source.get(together[0]);
    if (JSON.stringify(body.body) + '\n' !== answers[0].text || body.status !== answers[0].status) throw new Error('get says something else');
    answer = { status: answers[0].status, texts: answers.map((each) => each.text) };
  } catch (error) {
    answer = { failed: `${error.name}: ${error.message}` };
  }
  console.log(JSON.stringify({ ...answer, ...spent }));
}
