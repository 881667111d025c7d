// A headless browser as a process of its own, and the calls of a protocol to it.
"use strict";

const { spawn } = require("node:child_process"), { mkdtempSync, rmSync } = require("node:fs"), { tmpdir } = require("node:os"), { join } = require("node:path");

/** The time for one answer of the browser, and for what a test waits for. */
const PATIENCE_MS = 60_000;

class Browser {
  profile = mkdtempSync(join(tmpdir(), "tickbox-browser-"));
  #calls = new Map();
  #last = 0;
  #listeners = [];

  /** Starts a program, which is ended with this process if close() is not called before. */
  launch(program, flags, stdio) {
    this.process = spawn(program, flags, { detached: true, stdio });
    process.on("exit", () => this.#end());
    this.process.on("exit", () => {
      for (const { reject } of this.#calls.values()) reject(new Error(`${program} has ended`));
    });
  }

  /** The process and the group of all its processes. */
  get pid() { return this.process.pid; }

  onEvent(listen) { this.#listeners.push(listen); }

  /** Calls a method: `write(text)` sends it. Fails: an error that has the browser's words. */
  call(call, write) {
    const id = ++this.#last, { method } = call;
    write(JSON.stringify({ id, ...call }));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), PATIENCE_MS);
      const done = (end) => (value) => { clearTimeout(timer); end(value); };
      this.#calls.set(id, { method, resolve: done(resolve), reject: done(reject) });
    });
  }

  /** Takes what the browser has sent: an answer, or an event. */
  receive(text) {
    const message = JSON.parse(text), call = this.#calls.get(message.id);
    if (!call) return this.#listeners.forEach((listen) => listen(message));
    this.#calls.delete(message.id);
    if (message.error) call.reject(new Error(`${call.method}: ${message.error.message ?? message.message}`));
    else call.resolve(message.result);
  }

  /** Ends all processes of the browser: they are one group. */
  #end() {
    if (this.process.exitCode === null && !this.process.signalCode) process.kill(-this.pid, "SIGKILL");
    for (let tries = 20; tries > 0; --tries) {
      try {
        return rmSync(this.profile, { recursive: true, force: true });
      } catch {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      }
    }
  }

  async close() {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.#end();
    await ended;
  }
}

module.exports = { Browser, PATIENCE_MS };
