// Questions and their answers. Exact values never change, so answers are kept.

import { BUSY, openSource } from './source.js';

const KEPT = 2000;
// Milliseconds until a question is asked again: where nobody says how many, the fewest, the most.
const WAIT = 1500;
const LEAST_WAIT = 500;
const MOST_WAIT = 600_000;

// Why there is no answer: the object of the service, or that nobody answers.
export class Refused extends Error {
  constructor(body) {
    super(body.error);
    this.code = body.code;
    this.className = body.class;
  }
}

let source = null;
const answers = new Map();
let onTrouble = () => {};

// Calls back with 'gone', 'busy' or null, as questions go unanswered and answered again.
export function watchTrouble(listener) {
  onTrouble = listener;
}

const pause = (time) => new Promise((done) => setTimeout(done, time));

// Asks until somebody answers, as a server may be away for a moment.
async function insist(path) {
  for (;;) {
    let wait = WAIT;
    try {
      source ??= await openSource();
      const answer = await source.get(path);
      if (!BUSY.includes(answer.status)) {
        onTrouble(null);
        return answer;
      }
      wait = Math.min(Math.max(answer.wait ?? WAIT, LEAST_WAIT), MOST_WAIT);
      onTrouble('busy');
    } catch {
      source = null;
      onTrouble('gone');
    }
    await pause(wait);
  }
}

const encoded = (text) => encodeURIComponent(text).replace(/%3A/g, ':').replace(/%2C/g, ',');

export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return given.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
}

// The body of the answer to /v1/… with these parameters.
//
// Fails with Refused where the answer is an error. What was asked before is not asked again, unless it failed.
export function ask(endpoint, parameters = {}) {
  const asked = query(parameters);
  const path = `/v1/${endpoint}${asked && `?${asked}`}`;
  const known = answers.get(path);
  if (known) {
    // What was used last is kept longest.
    answers.delete(path);
    answers.set(path, known);
    return known;
  }
  const answer = insist(path).then(({ status, body }) => {
    if (status >= 400) throw new Refused(body);
    if (body.error) answers.delete(path);
    return body;
  });
  answer.catch(() => answers.delete(path));
  answers.set(path, answer);
  if (answers.size > KEPT) answers.delete(answers.keys().next().value);
  return answer;
}

// The same for what changes when tables come and go.
export function askAgain(endpoint, parameters) {
  const asked = query(parameters ?? {});
  answers.delete(`/v1/${endpoint}${asked && `?${asked}`}`);
  return ask(endpoint, parameters);
}
