// The proof: a worker steps the whole recording with a module of its own, and compares every hash. Then it steps it once
// more for the events. It is the same script as the page.
"use strict";

/** How long the worker works before it tells the page how far it is. */
const REPORT_MS = 60;

/** Adds [first, last] to ranges that are in order. */
function addRange(ranges, first, last) {
  const previous = ranges.at(-1);
  if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
  else ranges.push([first, last]);
}

/** Verifies what there is, until the time is over. Adds to `found` the ranges of ticks that were compared (`good`) and of
 *  those that differ (`ranges`). Returns false if nothing more is there. */
function verifyFor(engine, found, milliseconds) {
  const end = performance.now() + milliseconds;
  let { verified, compared, mismatched } = engine;
  while (performance.now() < end) {
    const before = verified, counts = [compared, mismatched];
    if (!engine.verify()) return false;
    ({ verified, compared, mismatched } = engine);
    // The ticks of a world that cannot be, and those behind an impossible tick, are not compared.
    const count = compared - counts[0];
    if (count > 0) addRange(found.good, before, before + count);
    if (mismatched === counts[1]) continue;
    // Where the first tick of all that differs is known, the range begins there. A keyframe is one tick.
    const first = found.ranges.length === 0 ? engine.verdict().first_mismatch?.tick : undefined;
    addRange(found.ranges, first ?? (count > 0 ? before + 1 : verified), Math.max(verified, first ?? 0));
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
  const found = { good: [], ranges: [] };
  while (verifyFor(engine, found, REPORT_MS)) {
    postMessage({ verified: engine.verified, mismatched: engine.mismatched, ...found });
  }
  const verdict = engine.verdict();
  postMessage({ verdict, verified: verdict.last_tick, mismatched: verdict.mismatched, ...found });
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
  /** The ranges of ticks that were compared, and of those that differ: [first, last], in order. */
  good = [];
  ranges = [];
  /** What was found in the room before this log began, in lines. */
  earlier = [];
  /** The keys of `tickbox replay verify --json`, at the end; while a room is followed, so far. */
  verdict = null;
  isWhole = false;
  #worker = null;

  /** Starts the worker on a recording. `changed` is called when it has told something. */
  start(source, wasm, bytes, events, changed) {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.#worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.#worker.onmessage = ({ data }) => {
      const { events: found = [], ...told } = data;
      for (const tick of found) events.add(tick[0].tick, tick);
      Object.assign(this, told);
      changed();
    };
    this.#worker.onerror = (event) => { this.failure = event.message || "the worker has failed"; changed(); };
    // The page has given its own copy to its engine.
    this.#worker.postMessage({ wasm, bytes }, [bytes.buffer]);
  }

  stop() { this.#worker?.terminate(); }

  /** Verifies what a followed room has sent, for some milliseconds at most; more only for one costly tick. */
  follow(engine, milliseconds) {
    engine.within(TICK_MS_MAX, () => verifyFor(engine, this, milliseconds));
    if (engine.isLate) this.failure = "one of its ticks takes too long: it may be forged";
    this.verified = engine.verified;
    this.mismatched = engine.mismatched;
    const verdict = engine.verdict();
    // The log of a room has no gaps: what is missing was lost on the way, as for `replay verify --follow`.
    this.verdict = { ...verdict, damages: verdict.damages + verdict.gaps };
  }

  /** Whether a tick was compared, and is as it was recorded. */
  holds(tick) {
    const isIn = ([first, last]) => first <= tick && tick <= last;
    return this.good.some(isIn) && !this.ranges.some(isIn);
  }

  /** The stretches of a match in which no tick is proven, nor can be: lost, or impossible. */
  lostOf({ first, last, log }) {
    const waiting = log.segments.filter((segment) => segment.last > this.verified);
    const known = [...this.good, ...waiting.map((segment) => [Math.max(segment.first, this.verified), segment.last]), [last, last]];
    const lost = [];
    let at = first;
    for (const [begin, end] of known) {
      if (begin > at) lost.push([at, begin]);
      at = Math.max(at, end);
    }
    // What was lost without a tick has its place all the same.
    for (const { last: end, whole } of log.segments) if (!whole) lost.push([end, end]);
    if (this.verdict?.ends_early) lost.push([last, last]);
    return lost;
  }
}
