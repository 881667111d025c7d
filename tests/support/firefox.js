// Drives a headless Firefox by WebDriver BiDi, over a WebSocket.
"use strict";

const WebSocket = require("../../server/gateway/node_modules/ws");
const { Browser, PATIENCE_MS } = require("./browser.js"), { until } = require("../web/support.js");

const KEYS = { ArrowLeft: "\uE012", ArrowUp: "\uE013", ArrowRight: "\uE014", ArrowDown: "\uE015" };

class Firefox extends Browser {
  #socket;

  /** Starts a browser with the settings of a new user. */
  static async start() {
    const browser = new Firefox();
    await browser.#begin();
    return browser;
  }

  async #begin() {
    this.launch("firefox-esr", ["--headless", "--no-remote", "--profile", this.profile, "--remote-debugging-port", "0"], ["ignore", "ignore", "pipe"]);
    let said = "";
    this.process.stderr.setEncoding("utf8").on("data", (text) => { said += text; });
    const [, address] = await until(() => /BiDi listening on (ws:\S+)/.exec(said), "Firefox listens", PATIENCE_MS);
    this.#socket = new WebSocket(`${address}/session`);
    this.#socket.on("message", (text) => this.receive(text));
    await new Promise((done, fail) => this.#socket.once("open", done).once("error", fail));
    await this.send("session.new", { capabilities: {} });
    await this.send("session.subscribe", { events: ["log.entryAdded"] });
  }

  /** Calls a method of the protocol. */
  send(method, params) { return this.call({ method, params }, (text) => this.#socket.send(text)); }

  /** Opens a page. */
  async open(url, { width = 1440, height = 900 } = {}) {
    const { context } = await this.send("browsingContext.create", { type: "tab" });
    const page = new Page(this, context);
    await this.send("browsingContext.setViewport", { context, viewport: { width, height } });
    await this.send("browsingContext.navigate", { context, url, wait: "complete" });
    return page;
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
