// What a page asks its server: documents, and the log of a room as one stream, however often that is cut.
"use strict";

/** How long a server may take to answer: the page says within 3 s that it does not. */
const PATIENCE_MS = 1500;
/** The longest document, in characters: a status of a thousand clients has less. */
const DOCUMENT_MAX = 16_000_000;
/** When a log that was cut or refused is asked for again. */
const AGAIN_MS = 2000;
/** After which time without a byte of a log the page says what may hold it. */
const HELD_MS = 3000;
/** A browser has six connections to a server, for all its tabs. Streams take four at most: the others are for questions. */
const STREAMS_MAX = 4;
/** The frames of a log, as common/record/README.md has them. */
const HEADER_BYTES = 192, RECORD_BYTES = 28, RECORD_BYTES_MAX = RECORD_BYTES + 16 * 1024 * 1024, RECORD_SYNC = 0x5db17ec0, KEYFRAME = 1;

/** What a server refuses, in words for a reader. */
class Refusal extends Error {
  constructor(status, text) {
    super(text.split("\n")[0].slice(0, 300) || `status ${status}`);
    this.status = status;
  }
}

/** Asks the server that the page is from. The token is in a header, never in an address. */
class AdminSide {
  #token = "";

  set token(token) { this.#token = token.trim(); }

  /** Returns the response of a path, which is relative to the page: a proxy may have it below a path of its own. Fails:
   *  with a Refusal, or if no header comes in time. */
  async ask(path, signal = undefined, patience = PATIENCE_MS) {
    signal?.throwIfAborted();
    const abort = new AbortController();
    const timer = patience !== null && setTimeout(() => abort.abort(), patience);
    const stop = () => abort.abort();
    signal?.addEventListener("abort", stop);
    try {
      const headers = this.#token ? { Authorization: `Bearer ${this.#token}` } : {};
      const response = await fetch(path, { headers, signal: abort.signal, cache: "no-store", credentials: "omit", redirect: "error" });
      if (!response.ok) throw new Refusal(response.status, await response.text());
      return response;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Returns a whole document. Fails: as ask(), and if it does not come in time. */
  async document(path) {
    const reader = (await this.ask(path)).body.getReader();
    // What is cut there is no JSON.
    const timer = setTimeout(() => reader.cancel(), PATIENCE_MS);
    const decoder = new TextDecoder();
    let text = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return JSON.parse(text + decoder.decode());
        text += decoder.decode(value, { stream: true });
        if (text.length > DOCUMENT_MAX) throw new Error("the answer is too long");
      }
    } finally {
      clearTimeout(timer);
      reader.cancel().catch(() => {});
    }
  }
}

/** Does some work in one of the places for streams that the tabs of a browser share. Returns false if all are taken. */
async function withStreamPlace(work) {
  // A page that is not secure has no locks.
  if (!navigator.locks) return work().then(() => true);
  for (let n = 0; n < STREAMS_MAX; ++n) {
    const isDone = await navigator.locks.request(`stream ${n}`, { ifAvailable: true }, (lock) => lock && work().then(() => true));
    if (isDone) return true;
  }
  return false;
}

/** The bytes of a log out of its streams. Each stream begins some seconds back, and what came before is left out. So a
 *  stream that was cut is one log with the next. */
class LogPieces {
  #rest = new Uint8Array(0);
  #salt = "";
  #hasHeader = false;
  /** Where the log ends: a segment and a tick. Where the stream is. */
  #segment = 0;
  #tick = 0;
  #streamSegment = 0;
  #isBehind = false;
  /** Whether what is new begins a log. */
  isAnother = false;

  /** Notes that a stream begins. */
  begin() {
    this.#rest = new Uint8Array(0);
    this.#hasHeader = false;
  }

  /** Returns what is new in some bytes, in whole records. */
  take(bytes) {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const view = new DataView(all.buffer);
    let at = 0, from = 0;
    if (!this.#hasHeader && all.length >= HEADER_BYTES) {
      const salt = String(all.subarray(16, 32));
      this.isAnother = this.#salt !== salt;
      this.#isBehind = !this.isAnother;
      at = HEADER_BYTES;
      from = this.#isBehind ? at : 0;
      this.#salt = salt;
      this.#hasHeader = true;
    }
    while (this.#hasHeader && all.length - at >= RECORD_BYTES) {
      const size = RECORD_BYTES + view.getUint32(at + 4, true);
      const isRecord = view.getUint32(at, true) === RECORD_SYNC && size <= RECORD_BYTES_MAX;
      if (isRecord && size > all.length - at) break;
      if (isRecord && this.#isOld(view, at)) from = at + size;
      // What is no record is for the module to refuse.
      at = isRecord ? at + size : all.length;
    }
    this.#rest = all.slice(at);
    return all.subarray(from, at);
  }

  /** Whether the log has the record at a place; else it ends with that now. */
  #isOld(view, at) {
    const isKeyframe = view.getUint16(at + 8, true) === KEYFRAME, tick = view.getUint32(at + 12, true);
    // The number of a keyframe's segment; else of ticks.
    const count = view.getUint32(at + 16, true), last = isKeyframe ? tick : tick + count - 1;
    if (isKeyframe) this.#streamSegment = count;
    const isNext = isKeyframe ? count > this.#segment : this.#streamSegment === this.#segment && last > this.#tick;
    this.#isBehind &&= !isNext;
    if (this.#isBehind) return true;
    this.#segment = this.#streamSegment;
    this.#tick = last;
    return false;
  }
}

/** A room's log, from a fetch to the viewer. It goes on when it is cut. */
class LogReader {
  #abort = new AbortController();
  #follower;
  #pieces = new LogPieces();
  #words = "";
  /** When the last byte came, or was asked for; null: none is awaited. */
  #heardAt = null;

  constructor(side, room, name) {
    this.room = room;
    this.#follower = viewer.follow(name);
    this.#run(side);
  }

  /** Why nothing comes; empty if there is no reason known. */
  get problem() {
    const isHeld = this.#heardAt !== null && performance.now() - this.#heardAt > HELD_MS;
    return isHeld ? "no byte of the log for 3 s: a proxy between may hold it back (it must not buffer it)" : this.#words;
  }

  stop() { this.#abort.abort(); }

  /** Whether it was stopped, or something else was opened in its place. */
  get isOver() { return this.#abort.signal.aborted || !this.#follower.isCurrent; }

  async #run(side) {
    while (!this.isOver) {
      const hasPlace = await withStreamPlace(() => this.#follow(side));
      if (!hasPlace) this.#words = `waits: ${STREAMS_MAX} other tabs of this browser follow rooms of this server; close one`;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }

  async #follow(side) {
    try {
      this.#words = "";
      this.#heardAt = performance.now();
      // A proxy may hold the header back too.
      await this.#read(await side.ask(`rooms/${this.room}/log`, this.#abort.signal, null));
      if (this.isOver) return;
      this.#words = "the match has ended";
      this.#follower.end();
      this.#pieces = new LogPieces();
    } catch (failure) {
      this.#words = failure instanceof Refusal ? failure.message : "the log was cut";
      this.#follower.cut(this.#words);
    } finally {
      this.#heardAt = null;
    }
  }

  /** Reads to the end of a stream, or until something else is opened. */
  async #read(response) {
    const reader = response.body.getReader();
    this.#abort.signal.addEventListener("abort", () => reader.cancel().catch(() => {}), { once: true });
    this.#pieces.begin();
    for (;;) {
      const { done, value } = await reader.read();
      if (this.isOver) {
        reader.cancel().catch(() => {});
        return this.stop();
      }
      if (done) return;
      this.#heardAt = performance.now();
      const fresh = this.#pieces.take(value);
      if (fresh.length > 0 && this.#pieces.isAnother) {
        this.#follower.end();
        await this.#follower.begin();
        this.#pieces.isAnother = false;
      }
      this.#follower.append(fresh);
    }
  }
}
