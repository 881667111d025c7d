// Opens the page of a studio's game in Chromium, and a recording of that game in it.
//   node page_test.js PAGE RECORDING
"use strict";
const assert = require("node:assert/strict");
const { pathToFileURL } = require("node:url");
const { Chromium } = require("../support/chromium.js");

const [pageFile, recording] = process.argv.slice(2);

(async () => {
  const browser = new Chromium();
  const url = String(pathToFileURL(pageFile));
  const page = await browser.open(url);
  await page.until("document.body.dataset.state === 'waits'");
  await page.chooseFile("#file", recording);
  const verdict = JSON.parse(await page.until("document.body.dataset.verdict"));
  assert.equal(await page.evaluate("document.body.dataset.state"), "open");
  assert.ok(verdict.ticks > 20);
  assert.equal(verdict.mismatched, 0);
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests, [url]);
  console.log(`${verdict.ticks} ticks verified`);
  await browser.close();
})();
