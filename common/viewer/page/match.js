// A match at one tick: what the picture and the panels read. It moves by ticks, and draws nothing.
"use strict";

/** Reads the events of the tick that an engine shows. */
function eventsOf(engine) {
  const rows = engine.events(), tick = engine.tick, events = [];
  for (let i = 0; i * tickbox.EVENT.length < rows.length; ++i) {
    const [type, seat, x, y] = rows.subarray(i * tickbox.EVENT.length);
    events.push({ tick, type, seat, x: x / UNIT, y: y / UNIT, ...engine.event(i) });
  }
  return events;
}

/** The longest that a page may be busy with one tick or one seek, in milliseconds: the ticks of a forged recording can
 *  take any time. An honest seek steps one segment. */
const TICK_MS_MAX = 10_000;

class Match {
  /** The moment that is shown, and the one before it, if it was stepped from there. */
  now;
  before = null;
  events = new EventIndex();

  /** Requires: the engine's log is open, and has a tick. */
  constructor(engine) {
    this.engine = engine;
    this.game = engine.game();
    this.readLog();
    this.rate = this.log.recorded.tick_rate;
    this.#within(() => engine.seek(this.first));
    this.#show(null);
  }

  /** Fails: with an Error, if that takes too long. */
  #within(call) {
    const result = this.engine.within(TICK_MS_MAX, call);
    if (!result && this.engine.isLate) throw new Error("one of its ticks takes too long: it may be forged");
    return result;
  }

  /** Reads which ticks there are, again. */
  readLog() {
    this.log = this.engine.log();
    this.first = this.log.first;
    this.last = this.log.last;
  }

  get tick() { return this.now.tick; }

  /** Shows a tick, or the nearest. */
  seek(tick) {
    const wanted = Math.max(this.first, Math.min(this.last, Math.round(tick)));
    if (wanted === this.tick) { this.before = null; return; }
    if (wanted === this.tick + 1 && this.step()) { this.before = null; return; }
    if (this.#within(() => this.engine.seek(wanted))) this.#show(null);
  }

  /** Shows the next tick; over damage, the next that there is. Returns false at the end. */
  step() {
    if (this.#within(() => this.engine.step())) {
      this.#show(this.now);
      return true;
    }
    const next = this.log.segments.find((segment) => segment.first > this.tick);
    if (!next) return false;
    if (!this.#within(() => this.engine.seek(next.first)) || this.engine.tick <= this.tick) return false;
    this.#show(null);
    return true;
  }

  #show(before) {
    this.before = before;
    this.now = new Moment(this.engine.tick, this.engine.rows());
    this.#details = null;
    this.events.add(this.tick, eventsOf(this.engine));
  }

  #details = null;

  /** Hashes, room and seats of the tick. */
  get details() { return (this.#details ??= this.engine.moment()); }

  get contacts() { return this.engine.contacts(); }
}
