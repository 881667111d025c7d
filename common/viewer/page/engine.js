// Loads the module of the viewer, in a page, in a worker or in Node, and makes its functions easy
// to call.
//
// A classic script, so that a page can have it inline and give its text to a worker. It defines
// `tickbox`; Node requires it.
"use strict";

const tickbox = (() => {
  /** A row of 32-bit numbers, as common/viewer/row.h has it. */
  const ROW = [
    "id_low", "id_high", "kind", "owner", "x", "y", "width", "height", "velocity_x", "velocity_y",
    "look", "flags",
  ];
  const EVENT = ["type", "seat", "x", "y"];
  const CONTACT = ["a_low", "a_high", "b_low", "b_high", "normal_x", "normal_y"];
  /** What an unknown function of WASI returns: that it does not exist. */
  const NO_SUCH_FUNCTION = 52;

  /** One log. Lengths are in sub-units, velocities in sub-units per tick. */
  class Engine {
    #exports;
    #decoder = new TextDecoder();
    #said = "";
    #deadline = Infinity;

    static async load(module) {
      const engine = new Engine();
      const imports = {};
      for (const { module: from, name } of WebAssembly.Module.imports(module)) {
        (imports[from] ??= {})[name] = engine.#function(name);
      }
      engine.#exports = (await WebAssembly.instantiate(module, imports)).exports;
      engine.#exports._initialize();
      return engine;
    }

    /** A function that the module imports. It has no file and no clock: only what it says when an
     *  assertion fails, and the question whether to stop. */
    #function(name) {
      if (name === "stopped") return () => Number(this.#isLate());
      if (name === "fd_write") return (file, at, count, written) => this.#write(at, count, written);
      return () => NO_SUCH_FUNCTION;
    }

    #isLate() {
      return this.#deadline !== Infinity && performance.now() > this.#deadline;
    }

    #write(at, count, written) {
      // A new view each time: memory that grows leaves the old ones empty.
      const memory = new DataView(this.#exports.memory.buffer);
      let all = 0;
      for (let i = 0; i < count; ++i) {
        const begin = memory.getUint32(at + 8 * i, true);
        const size = memory.getUint32(at + 8 * i + 4, true);
        this.#said += this.#decoder.decode(new Uint8Array(memory.buffer, begin, size));
        all += size;
      }
      memory.setUint32(written, all, true);
      return 0;
    }

    /** Calls an export. Fails: with what the module said; then the engine is of no more use. */
    #call(name, ...values) {
      try {
        return this.#exports[`viewer_${name}`](...values);
      } catch (failure) {
        const words = `the viewer has failed: ${this.#said || failure}`;
        throw new Error(words, { cause: failure });
      }
    }

    #text(name, ...values) {
      const at = this.#call(name, ...values);
      const size = this.#call("text_size");
      const bytes = new Uint8Array(this.#exports.memory.buffer, at, size);
      return JSON.parse(this.#decoder.decode(bytes));
    }

    /** Copies numbers: a view would be empty once the memory grows. */
    #numbers(name, width) {
      const at = this.#call(name);
      return new Int32Array(this.#exports.memory.buffer, at, this.#call("count") * width).slice();
    }

    /** Ends what `call` does after some milliseconds, between two ticks or within one; `isLate`
     *  then says so. A verdict that it ends is `interrupted` from then on: to pause, verify record
     *  by record instead. */
    within(milliseconds, call) {
      this.#deadline = performance.now() + milliseconds;
      this.isLate = false;
      try {
        return call();
      } finally {
        this.isLate = this.#isLate();
        this.#deadline = Infinity;
      }
    }

    isLate = false;

    /** Appends bytes of the log. Returns false if it is too long. */
    append(bytes) {
      const at = this.#call("reserve", bytes.length);
      if (at === 0) return bytes.length === 0;
      new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
      this.#call("append", bytes.length);
      return true;
    }

    /** Notes that the log does not grow any more. */
    end() { this.#call("end"); }
    /** Reads what has arrived; false if the log is refused. */
    read() { return Boolean(this.#call("read")); }
    /** Forgets the segments that end before a tick and are verified. */
    removeBefore(tick) { this.#call("remove_before", tick); }
    log() { return this.#text("log"); }
    game() { return this.#text("game"); }

    /** Shows a tick; false if there is none. */
    seek(tick) { return Boolean(this.#call("seek", tick)); }
    /** Shows the next tick; false if there is none yet, or no more. */
    step() { return Boolean(this.#call("step")); }
    get tick() { return this.#call("tick") >>> 0; }
    moment() { return this.#text("moment"); }
    /** The entities, ROW.length numbers each. */
    rows() { return this.#numbers("rows", ROW.length); }
    state(row) { return this.#text("state", row); }
    /** The events of the tick, EVENT.length numbers each. */
    events() { return this.#numbers("events", EVENT.length); }
    event(i) { return this.#text("event", i); }

    /** What touched in the tick, CONTACT.length numbers each. */
    contacts() { return this.#numbers("contacts", CONTACT.length); }

    /** Verifies the next record; false if there is none yet, or no more. */
    verify() { return Boolean(this.#call("verify")); }
    /** The last tick that was verified. */
    get verified() { return this.#call("verified") >>> 0; }
    /** The number of ticks that were compared so far. */
    get compared() { return this.#call("compared") >>> 0; }
    /** The number of ticks that differ so far. */
    get mismatched() { return this.#call("mismatched") >>> 0; }
    verdict() { return this.#text("verdict"); }

    get memoryBytes() { return this.#exports.memory.buffer.byteLength; }
  }

  /** Makes an engine for one log. `wasm`: the module or its bytes. */
  const load = async (wasm) => {
    const isCompiled = wasm instanceof WebAssembly.Module;
    return Engine.load(isCompiled ? wasm : await WebAssembly.compile(wasm));
  };

  return { load, ROW, EVENT, CONTACT };
})();

if (typeof module !== "undefined") module.exports = tickbox;
