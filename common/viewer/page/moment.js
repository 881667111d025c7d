// The entities of one tick, and events by tick: what the picture reads, of a recording as of a match that is played.
"use strict";

/** How many numbers of 32 bits a row has, as common/viewer/row.h has it. */
const ROW_LENGTH = 12;

/** The id that stands in numbers of 32 bits as its low half, then its high half. */
function idAt(numbers, at) { return (BigInt(numbers[at + 1] >>> 0) << 32n) | BigInt(numbers[at] >>> 0); }

/** The entities of a tick. */
class Moment {
  constructor(tick, rows) {
    this.tick = tick;
    this.rows = rows;
    this.count = rows.length / ROW_LENGTH;
  }

  /** The offset of an entity in `rows`. */
  at(row) { return row * ROW_LENGTH; }

  idOf(row) { return idAt(this.rows, this.at(row)); }

  /** The row of an id; -1 if it is not there. */
  find(id) {
    for (let row = 0; row < this.count; ++row) if (this.idOf(row) === id) return row;
    return -1;
  }

  /** Place and size in units. */
  box(row) {
    const at = this.at(row) + 4;
    return { x: this.rows[at] / UNIT, y: this.rows[at + 1] / UNIT,
      w: this.rows[at + 2] / UNIT, h: this.rows[at + 3] / UNIT };
  }

  /** Where each entity was in the moment before: offsets in its rows; -1 for what is new. Both are
   *  sorted by id. */
  since(before) {
    const from = new Int32Array(this.count).fill(-1);
    for (let row = 0, other = 0; row < this.count && other < before.count;) {
      const a = this.at(row), b = before.at(other);
      const order = (this.rows[a + 1] >>> 0) - (before.rows[b + 1] >>> 0) ||
        (this.rows[a] >>> 0) - (before.rows[b] >>> 0);
      if (order === 0) from[row++] = before.at(other++);
      else if (order < 0) ++row;
      else ++other;
    }
    return from;
  }
}

/** The events of a match by tick: those that were stepped here, and those that the proof has met. */
class EventIndex {
  #byTick = new Map();
  #ticks = [];
  #isSorted = true;

  /** Adds the events of a tick, once. */
  add(tick, events) {
    if (events.length === 0 || this.#byTick.has(tick)) return;
    this.#byTick.set(tick, events);
    if (this.#ticks.length > 0 && tick < this.#ticks.at(-1)) this.#isSorted = false;
    this.#ticks.push(tick);
  }

  /** The ticks that have events, in order. */
  get ticks() {
    if (!this.#isSorted) this.#ticks.sort((a, b) => a - b);
    this.#isSorted = true;
    return this.#ticks;
  }

  at(tick) { return this.#byTick.get(tick) ?? []; }

  /** The first tick after `tick` that has an event. */
  after(tick) { return this.ticks[firstAbove(this.ticks, tick)]; }
  before(tick) { return this.ticks[firstAbove(this.ticks, tick - 1) - 1]; }

  /** The events of the ticks from `first` to `last`, in order. */
  between(first, last) {
    const found = [];
    const ticks = this.ticks;
    for (let i = firstAbove(ticks, first - 1); i < ticks.length && ticks[i] <= last; ++i) {
      for (const event of this.at(ticks[i])) found.push(event);
    }
    return found;
  }

  removeBefore(tick) {
    const count = firstAbove(this.ticks, tick - 1);
    for (const gone of this.#ticks.splice(0, count)) this.#byTick.delete(gone);
  }
}

/** The number of values that are at most `value`. Requires: `sorted` is. */
function firstAbove(sorted, value) {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
