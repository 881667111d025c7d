// Drives a headless Chromium by the DevTools protocol, over its two pipes.
"use strict";
const { writeFileSync } = require("node:fs");
const { Browser, PATIENCE_MS } = require("./browser.js");

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

class Chromium extends Browser {
  constructor() {
    super();
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
      "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking",
      "--disable-component-update", "--remote-debugging-pipe", `--user-data-dir=${this.profile}`,
      "about:blank"];
    this.launch("chromium", flags, ["ignore", "ignore", "ignore", "pipe", "pipe"]);
    let rest = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      for (const message of messages) this.receive(message);
    });
  }

  /** Calls a method of the protocol. */
  send(method, params = {}, sessionId = undefined) {
    return this.call({ method, params, sessionId }, (text) => this.process.stdio[3].write(`${text}\0`));
  }

  /** Opens a page. `colours`: "light" or "dark". */
  async open(url, { width = 1440, height = 900, colours = "dark", before = "" } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.begin({ width, height, colours, before });
    await page.send("Page.navigate", { url });
    await page.until("document.readyState === 'complete'");
    return page;
  }
}

class Page {
  /** What has gone wrong: errors thrown, errors of the console, what a policy blocked. */
  errors = [];
  /** The address of every request, but those that stay inside of the page (data:, blob:). */
  requests = [];

  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
    browser.onEvent((event) => event.sessionId === session && this.#receive(event));
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  #receive({ method, params }) {
    if (method === "Runtime.exceptionThrown") {
      const { text, exception } = params.exceptionDetails;
      this.errors.push(exception?.description ?? text);
    } else if (method === "Runtime.consoleAPICalled" && params.type === "error") {
      this.errors.push(params.args.map((value) => value.value ?? value.description).join(" "));
    } else if (method === "Log.entryAdded" && params.entry.level === "error") {
      this.errors.push(params.entry.text);
    } else if (method === "Network.requestWillBeSent") {
      const { url } = params.request;
      if (!/^(data|blob):/.test(url)) this.requests.push(url);
    }
  }

  async begin({ width, height, colours, before }) {
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"]) await this.send(`${domain}.enable`);
    const mobile = width < 600;
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, mobile, deviceScaleFactor: mobile ? 2 : 1 });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: colours }] });
    if (before) await this.send("Page.addScriptToEvaluateOnNewDocument", { source: before });
  }

  /** Returns the value of an expression; a promise is awaited. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate",
      { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true, and returns its value. An expression that throws is not true yet: what it reads
   *  may not be in the page so far. */
  async until(expression, patience = PATIENCE_MS) {
    let thrown;
    for (const end = Date.now() + patience; Date.now() < end; await sleep(20)) {
      try {
        thrown = undefined;
        const value = await this.evaluate(expression);
        if (value) return value;
      } catch (error) {
        thrown = error;
      }
    }
    throw new Error(`never true: ${expression}`, { cause: thrown });
  }

  /** Presses a key, such as "ArrowLeft" or "a", on what has the focus. */
  async press(key, modifiers = 0) {
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    const codes = { Enter: 13, Tab: 9, Escape: 27, " ": 32, End: 35, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
    const windowsVirtualKeyCode = codes[key] ?? key.toUpperCase().charCodeAt(0);
    const event = { key, text, modifiers, windowsVirtualKeyCode };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  /** Holds a key down, or lets it go. */
  hold(key, isDown) {
    const code = key === " " ? "Space" : key.length > 1 ? key : `Key${key.toUpperCase()}`;
    return this.send("Input.dispatchKeyEvent", { type: isDown ? "keyDown" : "keyUp", key, code });
  }

  /** Gives files to the input element that a selector names. */
  async chooseFile(selector, ...files) {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files });
  }

  async screenshot(file) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    writeFileSync(file, Buffer.from(data, "base64"));
  }

  close() { return this.browser.send("Target.closeTarget", { targetId: this.target }); }
}

module.exports = { Chromium, sleep };
