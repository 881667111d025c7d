// The page in a headless Chromium, behind the gateway: it plays by keys, and every hash is right.
"use strict";

const assert = require("node:assert/strict"), dgram = require("node:dgram"), fs = require("node:fs"), path = require("node:path"), test = require("node:test");
const { Chromium } = require("../support/chromium.js");
const { BIN, freePort, hasGateway, sleep, startBots, startGateway, startServer, until } = require("./support.js");

const PATIENCE_MS = 60_000;
const options = { skip: !hasGateway && "the gateway's packages are not installed; run tests/gateway/run.sh", timeout: 180_000 };
let browser;
test.before(() => { browser = hasGateway ? new Chromium() : null; });
test.after(() => browser?.close());

/** Opens the page, and fails if anything goes wrong in it. */
async function open(t, url, view = {}) {
  const page = await browser.open(url, { width: 1400, height: 900, ...view });
  page.figures = () => page.evaluate("play.client.figures");
  page.phase = (phase, patience = PATIENCE_MS) => page.until(`play.phase === "${phase}"`, patience);
  page.said = () => page.evaluate("document.querySelector('#card').hidden ? '' : document.querySelector('#card p').textContent");
  t.after(() => page.close());
  return page;
}

const CODES = { ArrowUp: 38, ArrowDown: 40, ArrowLeft: 37, ArrowRight: 39, " ": 32 };
async function key(page, name, isDown) {
  const code = name === " " ? "Space" : name.length === 1 ? `Key${name.toUpperCase()}` : name;
  await page.send("Input.dispatchKeyEvent", { type: isDown ? "keyDown" : "keyUp", key: name, code, windowsVirtualKeyCode: CODES[name] ?? name.toUpperCase().charCodeAt(0) });
}

async function playByKeys(page, seconds, keys = ["w", "d", "ArrowUp", "s", "a", "ArrowLeft", " "]) {
  for (const end = performance.now() + seconds * 1000, i = { at: 0 }; performance.now() < end; ++i.at) {
    const name = keys[i.at % keys.length];
    await key(page, name, true);
    await sleep(200);
    await key(page, name, false);
  }
}

for (const road of ["WebRTC", "WebSocket"]) {
  for (const game of road === "WebRTC" ? ["arena", "bomber", "platformer"] : ["arena"]) {
    test(`a person plays ${game} by keys over a ${road}, and every hash is right`, options, async (t) => {
      const server = await startServer(t, game);
      startBots(t, server, "--clients", "4");
      const gateway = await startGateway(t, game, [server]);
      const page = await open(t, gateway.url + (road === "WebSocket" ? "#road=ws" : ""));
      await page.phase("playing");
      await page.until(`play.link.kind === "${road}"`, PATIENCE_MS);
      const before = await page.evaluate("play.client.camera");
      await playByKeys(page, 8);
      const figures = await page.figures();
      const frames = await page.evaluate("({ frames: play.frames, busy: play.busy, ms: performance.now() })");
      t.diagnostic(JSON.stringify({ road, game, ...frames, ...figures }));
      assert.ok(figures.hashes_checked > 50);
      assert.equal(figures.hashes_wrong, 0);
      assert.ok(figures.predictions > 20);
      assert.notDeepEqual(await page.evaluate("play.client.camera"), before);
      assert.deepEqual(page.errors, []);
      assert.equal(await page.said(), "");
      assert.equal(await page.evaluate("location.hash"), "");
      for (const address of page.requests) assert.ok(address.startsWith(gateway.url) || address.startsWith(gateway.url.replace("http", "ws")), address);
      if (process.env.PLAY_PICTURES) await page.screenshot(path.join(process.env.PLAY_PICTURES, `${game}-${road}.png`));
    });
  }
}
