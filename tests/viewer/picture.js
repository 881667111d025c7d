// Makes the picture of the top README: a match of the arena in the page.
//   node picture.js VIEWER.HTML RECORDINGS OUT.PNG
// The recording and the tick are the same each time; fonts differ from machine to machine. From the top of the tree:
//   node tests/viewer/picture.js build/release/bin/viewer.html build/release/bin/viewer-recordings .github/match.png
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { mkdtempSync, rmSync, statSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Chromium } = require("../support/chromium.js");

const [pageFile, recorder, out] = process.argv.slice(2);
/** What a README may cost. */
const BYTES_MAX = 250_000;
const PLAYERS = 16, SECONDS = 40, TICK = 2071;

const folder = mkdtempSync(join(tmpdir(), "tickbox-picture-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

(async () => {
  const recording = join(folder, "match.tickbox");
  execFileSync(recorder, [recording, String(PLAYERS), String(SECONDS)]);
  const browser = new Chromium();
  const page = await browser.open(String(pathToFileURL(pageFile)), { width: 1200, height: 760 });
  await page.until("document.body.dataset.state === 'waits'");
  await page.chooseFile("#file", recording);
  await page.until("document.body.dataset.events === 'whole'");
  await page.evaluate(`viewer.play(false), viewer.seek(${TICK})`);
  await page.until("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
  await page.screenshot(out);
  await browser.close();
  const { size } = statSync(out);
  console.log(`${out}: ${size} bytes`);
  assert.ok(size <= BYTES_MAX);
})();
