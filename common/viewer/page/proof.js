// The proof: a worker steps the whole recording with a module of its own, and compares every hash. Then it steps it once
// more for the events. It is the same script as the page.
"use strict";

/** How long the worker works before it tells the page how far it is. */
const REPORT_MS = 60;

/** Ranges of ticks that differ: [first, last], in order. */
class Differences {
  ranges = [];

  add(first, last) {
    const previous = this.ranges.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = last;
    else this.ranges.push([first, last]);
  }
}

/** Verifies what there is, until the time is over. Returns false if nothing more is there. */
function verifyFor(engine, differences, milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const mismatched = engine.mismatched, verified = engine.verified;
    if (!engine.verify()) return false;
    if (engine.mismatched === mismatched) continue;
    // Where the first tick of all that differs is known, the range begins there.
    const first = differences.ranges.length === 0 ? engine.verdict().first_mismatch?.tick : undefined;
    differences.add(first ?? verified + 1, Math.max(engine.verified, first ?? 0));
  }
  return true;
}

/** Steps every segment for its events. */
function* eventsOfAll(engine) {
  for (const segment of engine.log().segments) {
    if (!engine.seek(segment.first)) continue;
    do {
      yield eventsOf(engine);
    } while (engine.tick < segment.last && engine.step());
  }
}

/** The worker. */
async function prove({ wasm, bytes }) {
  const engine = await tickbox.load(wasm);
  if (!engine.append(bytes)) throw new Error("it is too long");
  engine.end();
  if (!engine.read()) throw new Error(engine.log().refusal.words);
  const differences = new Differences();
  const began = performance.now();
  while (verifyFor(engine, differences, REPORT_MS)) {
    postMessage({ verified: engine.verified, mismatched: engine.mismatched, ranges: differences.ranges });
  }
  postMessage({ verdict: engine.verdict(), ranges: differences.ranges, ms: performance.now() - began });
  let events = [], end = performance.now() + REPORT_MS;
  for (const more of eventsOfAll(engine)) {
    if (more.length > 0) events.push(more);
    if (performance.now() < end) continue;
    postMessage({ events });
    events = [];
    end = performance.now() + REPORT_MS;
  }
  postMessage({ events, isWhole: true });
}

/** What is known of a match's hashes. */
class Proof {
  verified = 0;
  mismatched = 0;
  ranges = [];
  /** The keys of `tickbox replay verify --json`, at the end; while a room is followed, so far. */
  verdict = null;
  isWhole = false;
  /** How long the verification took. */
  ms = 0;
  #worker = null;

  /** Starts the worker on a recording. `changed` is called when it has told something. */
  start(source, wasm, bytes, events, changed) {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.#worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.#worker.onmessage = ({ data }) => {
      for (const tick of data.events ?? []) events.add(tick[0].tick, tick);
      if (data.verified !== undefined) this.verified = data.verified;
      if (data.mismatched !== undefined) this.mismatched = data.mismatched;
      if (data.ranges) this.ranges = data.ranges;
      if (data.verdict) {
        this.verdict = data.verdict;
        this.verified = data.verdict.last_tick;
        this.mismatched = data.verdict.mismatched;
        this.ms = data.ms;
      }
      if (data.isWhole) this.isWhole = true;
      if (data.failure) this.failure = data.failure;
      changed();
    };
    this.#worker.onerror = (event) => { this.failure = event.message || "the worker has failed"; changed(); };
    // The page has given its own copy to its engine.
    this.#worker.postMessage({ wasm, bytes }, [bytes.buffer]);
  }

  stop() { this.#worker?.terminate(); }

  #live = new Differences();

  /** Verifies what a followed room has sent, for some milliseconds at most; more only for one costly tick. */
  follow(engine, milliseconds) {
    engine.within(TICK_MS_MAX, () => verifyFor(engine, this.#live, milliseconds));
    if (engine.isLate) this.failure = "one of its ticks takes too long: it may be forged";
    this.verified = engine.verified;
    this.mismatched = engine.mismatched;
    this.ranges = this.#live.ranges;
  }

}
