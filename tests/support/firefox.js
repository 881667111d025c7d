// Drives a headless Firefox by WebDriver BiDi, over a WebSocket.
"use strict";

const { spawn } = require("node:child_process"), { mkdtempSync, rmSync } = require("node:fs"), { tmpdir } = require("node:os"), { join } = require("node:path");
const WebSocket = require("../../server/gateway/node_modules/ws");
const { until } = require("../web/support.js");

/** The time for the start, for one answer of the browser, and for what a test waits for. */
const PATIENCE_MS = 60_000;
const KEYS = { ArrowLeft: "\uE012", ArrowUp: "\uE013", ArrowRight: "\uE014", ArrowDown: "\uE015" };

class Firefox {
  #process;
  #profile = mkdtempSync(join(tmpdir(), "tickbox-firefox-"));
  #socket;
  #calls = new Map();
  #last = 0;
  #listeners = [];

  /** Starts a browser with the settings of a new user. It is closed with this process, if close() is not called before. */
  static async start() {
    const browser = new Firefox();
    await browser.#begin();
    return browser;
  }

  async #begin() {
    this.#process = spawn("firefox-esr", ["--headless", "--no-remote", "--profile", this.#profile, "--remote-debugging-port", "0"],
      { detached: true, stdio: ["ignore", "ignore", "pipe"] });
    process.on("exit", () => this.#end());
    let said = "";
    this.#process.stderr.setEncoding("utf8").on("data", (text) => { said += text; });
    const [, address] = await until(() => /BiDi listening on (ws:\S+)/.exec(said), "Firefox listens", PATIENCE_MS);
    this.#socket = new WebSocket(`${address}/session`);
    this.#socket.on("message", (text) => this.#receive(JSON.parse(text)));
    this.#socket.on("close", () => {
      for (const { reject } of this.#calls.values()) reject(new Error("Firefox has ended"));
    });
    await new Promise((done, fail) => this.#socket.once("open", done).once("error", fail));
    await this.send("session.new", { capabilities: {} });
    await this.send("session.subscribe", { events: ["log.entryAdded"] });
  }

  /** The process and the group of all its processes. */
  get pid() { return this.#process.pid; }

  #receive(message) {
    const call = this.#calls.get(message.id);
    if (!call) return this.#listeners.forEach((listen) => listen(message));
    this.#calls.delete(message.id);
    if (message.type === "error") call.reject(new Error(`${call.method}: ${message.message}`));
    else call.resolve(message.result);
  }

  /** Calls a method of the protocol. */
  send(method, params) {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), PATIENCE_MS);
      const done = (end) => (value) => { clearTimeout(timer); end(value); };
      this.#calls.set(id, { method, resolve: done(resolve), reject: done(reject) });
    });
  }

  onEvent(listen) { this.#listeners.push(listen); }

  /** Opens a page. */
  async open(url, { width = 1440, height = 900 } = {}) {
    const { context } = await this.send("browsingContext.create", { type: "tab" });
    const page = new Page(this, context);
    await this.send("browsingContext.setViewport", { context, viewport: { width, height } });
    await this.send("browsingContext.navigate", { context, url, wait: "complete" });
    return page;
  }

  /** Ends all processes of the browser: they are one group. */
  #end() {
    if (this.#process.exitCode === null && !this.#process.signalCode) process.kill(-this.pid, "SIGKILL");
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20 });
  }

  async close() {
    const ended = new Promise((done) => this.#process.once("exit", done));
    this.#end();
    await ended;
  }
}

class Page {
  /** What has gone wrong: errors thrown, and errors of the console. */
  errors = [];

  constructor(browser, context) {
    this.browser = browser;
    this.context = context;
    browser.onEvent(({ method, params }) => {
      if (method === "log.entryAdded" && params.level === "error" && params.source.context === context) this.errors.push(params.text);
    });
  }

  send(method, params) { return this.browser.send(method, { ...params, context: this.context }); }

  /** Returns the value of an expression; a promise is awaited. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.browser.send("script.evaluate", {
      expression: `(async () => JSON.stringify(await (${expression}) ?? null))()`, target: { context: this.context }, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return JSON.parse(result.value);
  }

  /** Waits until an expression is true, and returns its value. An expression that throws is not true yet. */
  until(expression) { return until(() => this.evaluate(expression).catch(() => false), expression, PATIENCE_MS); }

  /** Holds a key down, or lets it go. */
  hold(key, isDown) {
    const actions = [{ type: isDown ? "keyDown" : "keyUp", value: KEYS[key] ?? key }];
    return this.send("input.performActions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }
}

module.exports = { Firefox };
