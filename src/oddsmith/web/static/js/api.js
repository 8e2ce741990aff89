// The server: one function to ask it, one to have it work.

/** What the server said is wrong, in its own sentence, with the place if there is one. */
export class Refused extends Error {
  constructor({ message, place } = {}, status = 0) {
    super(message ?? "The server could not answer.");
    this.place = place ?? null;
    this.status = status;
  }
}

/** Told "lost" and "found" as the connection goes and comes back. */
export const connection = new EventTarget();
const tell = (what) => connection.dispatchEvent(new Event(what));

export const stopped = (error) => error?.name === "AbortError";
const halt = () => new DOMException("stopped", "AbortError");
const unlessStopped = (signal) => {
  if (signal?.aborted) throw halt();
};

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const give = () => reject(halt());
    if (signal?.aborted) return give();
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); give(); }, { once: true });
  });
}

// JavaScript moves keys that are whole numbers before all others, but a board's first throws hold in the order
// they are written: such keys carry a blank while they are here. Quotes inside of texts are escaped, so that
// nothing but keys can look like this.
const KEYS = { in: [/"(\d+)":/g, '"$1 ":'], out: [/"(\d+) ":/g, '"$1":'] };
const read = (text) => JSON.parse(text.replace(...KEYS.in));

const LONGEST_WAIT = 5000;

/** Ask the server, again and again while it cannot be reached, and for a while if it is busy. What is stopped answers nothing. */
export async function ask(path, { method = "GET", body, signal } = {}) {
  const options = { method, signal };
  if (body) Object.assign(options, { body: JSON.stringify(body).replace(...KEYS.out), headers: { "Content-Type": "application/json" } });
  for (let wait = 500; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    let reply;
    try {
      reply = await fetch(path, options);
    } catch (error) {
      if (signal?.aborted || stopped(error)) throw halt();
      tell("lost");
      await pause(wait, signal);
      continue;
    }
    tell("found");
    const busy = reply.status === 429 || reply.status === 503;
    if (busy && wait < LONGEST_WAIT) {
      await pause(wait, signal);
      continue;
    }
    const text = await reply.text();
    unlessStopped(signal);
    let said = {};
    try {
      said = read(text);
    } catch { /* no JSON: the status says enough */ }
    if (!reply.ok) throw new Refused(said.error, reply.status);
    return said;
  }
}

const running = new Set();
const cancel = (id) => {
  running.delete(id);
  fetch(`/api/jobs/${id}`, { method: "DELETE", keepalive: true }).catch(() => {});
};
addEventListener("pagehide", () => running.forEach(cancel));

/** What tells a question from all others: the same text, however its parts are ordered. */
export const keyOf = (question) => JSON.stringify(question, (_, value) => (
  value && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value));

/** Whether a job is about this question: the server adds to it what is usual, and changes nothing. */
const about = (job, question) => Object.entries(read(JSON.stringify(question))).every(([name, value]) => keyOf(job.request[name]) === keyOf(value));

/**
 * Have the server work; `watch` is shown the job at every change. Its answer is the job that is done, which says what it
 * answers: `{ id, request, result }`. Stopping the signal cancels it, and what is stopped has no answer, done or not.
 */
export async function work(question, { signal, watch = () => {} } = {}) {
  unlessStopped(signal);
  let job = await ask("/api/jobs", { method: "POST", body: question }); // without the signal: what has begun can be cancelled
  const { id } = job;
  const drop = () => cancel(id);
  running.add(id);
  signal?.addEventListener("abort", drop, { once: true });
  try {
    if (signal?.aborted) drop();
    for (;;) {
      unlessStopped(signal);
      if (job.id !== id || !about(job, question)) throw new Refused({ message: "The server answered another question: load the page again." });
      if (job.status !== "queued" && job.status !== "running") break;
      watch(job);
      job = await ask(`/api/jobs/${id}?after=${job.version}&wait=20`, { signal });
    }
  } finally {
    running.delete(id);
    signal?.removeEventListener("abort", drop);
  }
  if (job.status === "done") return job;
  if (job.status === "cancelled") throw halt();
  throw new Refused(job.error ?? { message: "The job failed." });
}

/** At most `most` pieces of work at a time, in the order they came. */
export function lane(most) {
  let free = most;
  const waiting = [];
  const next = () => {
    while (free > 0 && waiting.length) {
      free -= 1;
      waiting.shift()();
    }
  };
  return async (piece) => {
    await new Promise((ready) => { waiting.push(ready); next(); });
    try {
      return await piece();
    } finally {
      free += 1;
      next();
    }
  };
}

let catalogue;
/** The games of the catalogue, asked for once. */
export function games() {
  catalogue ??= ask("/api/games").then((said) => said.games).catch((error) => { catalogue = null; throw error; });
  return catalogue;
}

const told = new Map();
/** Everything about one game, asked for once. */
export function game(key) {
  if (!told.has(key)) told.set(key, ask(`/api/games/${encodeURIComponent(key)}`).catch((error) => { told.delete(key); throw error; }));
  return told.get(key);
}
