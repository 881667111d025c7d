// Opens recordings in the page, in headless Chromium, and compares what it shows with the native commands.
//   node page_test.js VIEWER.HTML TICKBOX RECORDINGS [--shots FOLDER] [--hours N]
// --shots: also writes pictures of the page, to be looked at. --hours N: also opens a recording of N hours.
"use strict";
const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Chromium } = require("../support/chromium.js");

const [pageFile, program, recorder, ...options] = process.argv.slice(2);
const option = (name) => options[options.indexOf(name) + 1 || options.length];
const shots = option("--shots"), hours = Number(option("--hours") ?? 0);
const pageAddress = pathToFileURL(pageFile).href;

const folder = mkdtempSync(join(tmpdir(), "tickbox-page-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const recorded = (name) => join(folder, `${name}.tickbox`);

const run = (command, ...words) => spawnSync(command, words, { encoding: "utf8", maxBuffer: 1 << 28 });
const native = (...words) => JSON.parse(run(program, "replay", ...words, "--json").stdout);

let browser;

/** Opens the page, and a file in it. */
async function open(file, { address = pageAddress, until = "document.body.dataset.events === 'whole'", ...look } = {}) {
  const page = await browser.open(address, look);
  if (file) {
    await page.until("document.body.dataset.state === 'waits'");
    await page.chooseFile("#file", file);
  }
  await page.until(`${until} || document.body.dataset.state === 'refused'`);
  return page;
}

/** Ends a page that has done nothing that it must not do. */
async function close(page) {
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests.filter((url) => !url.startsWith("file:")), []);
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, "it scrolls sideways");
  await page.close();
}

const text = (page, id) => page.evaluate(`document.getElementById("${id}").innerText`);

/** The pixels of the picture, as a hash. */
const pixels = (page) => page.evaluate(`(async () => {
  const field = document.getElementById("field");
  const data = field.getContext("2d").getImageData(0, 0, field.width, field.height).data;
  return new Uint32Array(await crypto.subtle.digest("SHA-256", data)).join();
})()`);

/** How many colours the picture has, of 4,096. */
const colours = (page) => page.evaluate(`(() => {
  const { data } = document.getElementById("field").getContext("2d").getImageData(0, 0, 1200, 700);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 44) seen.add(data[i] >> 4 << 8 | data[i + 1] >> 4 << 4 | data[i + 2] >> 4);
  return seen.size;
})()`);

const tests = {
  async "each game is shown and verified"() {
    for (const game of ["arena", "platformer", "bomber"]) {
      const page = await open(recorded(game));
      const verdict = JSON.parse(await page.evaluate("document.body.dataset.verdict"));
      const { ticks, mismatched } = native("verify", recorded(game));
      assert.deepEqual([verdict.ticks, verdict.mismatched], [ticks, mismatched]);
      assert.match(await text(page, "badge"), /^✓ verified in your browser · 600 ticks · 0 differ$/);
      assert.equal(await text(page, "title"), game);
      await page.evaluate("viewer.play(false), viewer.seek(300)");
      assert.ok(await colours(page) > 12, "something is drawn");
      await close(page);
    }
  },

  async "a wrong hash is red at its tick, with its field"() {
    const page = await open(recorded("wrong_hash"));
    const { first_mismatch: first, mismatched } = native("verify", recorded("wrong_hash"));
    const badge = await text(page, "badge");
    for (const part of ["✗ tick 320: Hero #", first.field, String(first.expected), String(first.got)]) assert.ok(badge.includes(part), badge);
    assert.equal(await page.evaluate("document.getElementById('badge').className"), "bad");
    await page.press("d");
    assert.equal(await page.evaluate("viewer.match.tick"), 320);
    const red = await page.evaluate(`(() => {
      const time = document.getElementById("time"), row = Math.round(time.height * 0.6);
      const { data } = time.getContext("2d").getImageData(0, row, time.width, 1);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i] > 190 && data[i + 1] < 110) ++count;
      return count / time.width;
    })()`);
    assert.ok(Math.abs(red - mismatched / 600) < 0.06, `${red} of the time line is red`);
    await page.press("r");
    assert.equal(await page.evaluate("document.querySelectorAll('#inspector td.bad').length"), 1);
    await close(page);
  },

  async "a cut and a damaged recording show what is whole"() {
    for (const [name, words] of [["cut", /^✓.* ticks · 0 differ · ends early$/], ["damaged", /^✗ damaged in 1 place · 450 ticks verified/], ["headless", /^✗ damaged in 1 place/]]) {
      const page = await open(recorded(name));
      assert.match(await text(page, "badge"), words);
      // Forwards over the whole of it, damage included.
      await page.evaluate("viewer.play(false), viewer.seek(0)");
      const { first, last } = await page.evaluate("({ first: viewer.match.first, last: viewer.match.last })");
      const steps = await page.evaluate("(() => { let n = 0; while (viewer.match.step()) ++n; return n; })()");
      assert.equal(await page.evaluate("viewer.match.tick"), last);
      assert.ok(steps <= last - first && steps > (last - first) / 2);
      await close(page);
    }
  },

  async "a recording without a tick proves nothing, and a worker that fails says so"() {
    const page = await open(recorded("empty"));
    assert.match(await text(page, "badge"), /^✗ it has no tick/);
    assert.equal(run(program, "replay", "verify", recorded("empty")).status, 3, "as the command says");
    const failure = await page.evaluate(`new Promise((done) => {
      const proof = new Proof();
      proof.start(viewer.source, viewer.wasm, new Uint8Array(3), new EventIndex(), () => {
        viewer.proof.failure = proof.failure;
        viewer.drawPanels();
        done(document.getElementById("badge").innerText);
      });
    })`);
    assert.match(failure, /^✗ not verified: .*not a recording/i);
    await close(page);
  },

  async "foreign recordings are refused, both versions named, markup shown as text"() {
    writeFileSync(recorded("noise"), Buffer.alloc(5000, 7));
    for (const [name, words] of [["version", /arena 5, not 2/], ["rules", /its rules differ here/], ["game", /"<b>chess<\/b>", which/], ["noise", /not a recording/i]]) {
      const page = await open(recorded(name));
      assert.equal(await page.evaluate("document.body.dataset.state"), "refused");
      assert.match(await text(page, "problem"), words);
      assert.equal(await page.evaluate("document.querySelectorAll('#problem b').length"), 0);
      // Another file can still be opened.
      await page.chooseFile("#file", recorded("arena"));
      await page.until("document.body.dataset.verdict");
      await close(page);
    }
  },

  async "the inspector says what replay state says, at ten ticks"() {
    const page = await open(recorded("arena"));
    await page.evaluate("viewer.play(false)");
    for (let tick = 30; tick <= 600; tick += 63) {
      await page.evaluate(`viewer.seek(${tick})`);
      const { bodies, seats, hash } = native("state", recorded("arena"), "--tick", String(tick));
      const shown = await page.evaluate(`Array.from({ length: viewer.match.now.count }, (_, row) => {
        viewer.choose(row);
        const cells = [...document.querySelectorAll("#inspector tr")].map((line) => [line.cells[0].innerText, line.cells[1].innerText]);
        return { kind: document.querySelector("#inspector h2").innerText, ...Object.fromEntries(cells) };
      })`);
      assert.equal(shown.length, bodies.length);
      bodies.forEach(({ id, kind, owner, min, velocity, state }, i) => {
        const line = shown[i];
        assert.deepEqual([line.id, line.kind, line.owner], [id, kind, owner === null ? "nobody" : `P${owner}`]);
        assert.deepEqual(line.min.split(", ").map(Number), min);
        assert.deepEqual(line.velocity.split(", ").map(Number), velocity);
        for (const [name, value] of Object.entries(state)) assert.equal(line[name], value.toLocaleString("en"), name);
      });
      await page.evaluate("viewer.choose(-1), document.getElementById('inspector').dataset.room || viewer.toggleRoom()");
      assert.ok((await text(page, "inspector")).includes(hash));
      const points = await page.evaluate("[...document.querySelectorAll('#players tbody tr')].map((row) => [Number(row.dataset.seat), Number(row.cells[1].innerText)])");
      assert.deepEqual(points, seats.filter((seat) => seat.taken).map((seat) => [seat.seat, seat.state.points]));
    }
    await close(page);
  },

  async "600 ticks forward and back give the same pixels"() {
    // Chromium draws a canvas that is read often with another rasterizer: from the first picture on here.
    const before = `{
      const get = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind) { return get.call(this, kind, { willReadFrequently: true }); };
    }`;
    const page = await open(recorded("bomber"), { before });
    await page.evaluate("viewer.play(false), viewer.toggleLayer(0), viewer.toggleLayer(1), viewer.toggleLayer(3), viewer.seek(0)");
    const there = [await pixels(page)];
    for (let n = 1; n <= 15; ++n) {
      await page.evaluate("for (let n = 0; n < 39; ++n) viewer.match.seek(viewer.match.tick + 1); viewer.step(1)");
      there.push(await pixels(page));
    }
    assert.equal(await page.evaluate("viewer.match.tick"), 600);
    assert.ok(new Set(there).size > 10, "the picture moves");
    for (let n = 14; n >= 0; --n) {
      await page.evaluate("for (let n = 0; n < 39; ++n) viewer.match.seek(viewer.match.tick - 1); viewer.step(-1)");
      assert.equal(await pixels(page), there[n], `tick ${40 * n}`);
    }
    await close(page);
  },

  async "everything goes by keyboard"() {
    const page = await open(recorded("arena"));
    const tick = () => page.evaluate("viewer.match.tick");
    await page.press(" ");
    assert.equal(await page.evaluate("viewer.isPlaying"), false);
    await page.press("Home");
    assert.equal(await tick(), 0);
    for (const [key, to] of [[".", 1], [".", 2], [",", 1], ["ArrowRight", 61], ["ArrowLeft", 1], ["End", 600]]) {
      await page.press(key);
      assert.equal(await tick(), to, key);
    }
    await page.press("ArrowLeft", 8);
    assert.equal(await tick(), 0, "ten seconds back");
    await page.press("n");
    const event = await tick();
    assert.ok(event > 0);
    await page.press("n");
    await page.press("b");
    assert.equal(await tick(), event);
    await page.press("e");
    assert.equal(await page.evaluate("document.getElementById('inspector').hidden"), false);
    await page.press("Escape");
    assert.equal(await page.evaluate("document.getElementById('inspector').hidden"), true);
    await page.press("f");
    assert.notEqual(await page.evaluate("viewer.picture.followed"), null);
    await page.press("0");
    assert.equal(await page.evaluate("viewer.picture.followed"), null);
    for (const [key, layer] of ["velocities", "contacts", "sensors", "sight", "ids"].entries()) {
      const before = await page.evaluate(`viewer.picture.layers.has("${layer}")`);
      await page.press(String(key + 1));
      assert.equal(await page.evaluate(`viewer.picture.layers.has("${layer}")`), !before, layer);
    }
    await page.press("?");
    assert.equal(await page.evaluate("document.getElementById('help').open"), true);
    await page.press("Escape");
    for (let n = 0; n < 20; ++n) await page.press(">");
    assert.equal(await text(page, "speed"), "×64");
    for (let n = 0; n < 20; ++n) await page.press("<");
    assert.equal(await text(page, "speed"), "×⅛");
    // Each control is reached by Tab, and has a name.
    await page.evaluate("document.getElementById('layers').open = true");
    const reached = new Set();
    for (let n = 0; n < 60; ++n) {
      await page.press("Tab");
      reached.add(await page.evaluate("document.activeElement.id || document.activeElement.value || ''"));
      const name = await page.evaluate("(({ ariaLabel, innerText, title, labels }) => ariaLabel || innerText || title || labels?.length)(document.activeElement)");
      assert.ok(name, "it has a name");
    }
    for (const id of ["badge", "other", "keys", "field", "time", "play", "back", "on", "slower", "faster", "ids"]) assert.ok(reached.has(id), id);
    assert.equal(await page.evaluate("document.getElementById('time').getAttribute('aria-valuenow')"), String(await tick()));
    await close(page);
  },

  async "a desync opens as two worlds, with what differs in red"() {
    const page = await open(join(folder, "desync.json"), { until: "document.body.dataset.state === 'desync'" });
    const { difference, tick } = JSON.parse(readFileSync(join(folder, "desync.json")));
    assert.ok((await text(page, "worlds")).includes(`tick ${tick} of seat 3`));
    const rows = await page.evaluate("[...document.querySelectorAll('.differences tr')].slice(1).map((row) => [...row.cells].map((cell) => cell.innerText))");
    const [{ field, server, client }] = difference.first.fields;
    assert.deepEqual(rows, [[`Crate #${difference.first.entity}`, field, String(server), String(client)]]);
    for (const [name, bytes] of [["empty.json", "{}"], ["list.json", "[]"], ["markup.json", '{"desync":4,"tick":"<img src=x onerror=alert(1)>","client_view":{"entities":[{"id":"1","kind":"<b>x</b>","x":0,"y":0}]}}'], ["broken.json", '{"desync":4,"client_view":7}']]) {
      writeFileSync(join(folder, name), bytes);
      await page.chooseFile("#file", join(folder, name));
      await page.until(`document.getElementById("about").innerText.includes("${name}") || document.getElementById("problem").innerText.includes("${name}")`);
      assert.equal(await page.evaluate("document.querySelectorAll('#worlds img, #worlds b').length"), 0);
    }
    await close(page);
  },

  async "replay page makes one file that opens by itself, whatever its name is"() {
    const name = join(folder, `a"><img src=x onerror='document.title=1'>&amp;.tickbox`);
    copyFileSync(recorded("arena"), name);
    const html = join(folder, "match.html");
    assert.equal(run(program, "replay", "page", name, "-o", html).status, 0);
    const page = await open(null, { address: pathToFileURL(html).href, width: 390, height: 844, colours: "light" });
    assert.match(await text(page, "badge"), /^✓ verified/);
    assert.ok((await text(page, "about")).includes(`a"><img src=x onerror='document.title=1'>&amp;.tickbox`));
    assert.equal(await page.evaluate("document.querySelectorAll('img').length"), 0);
    await close(page);
  },

  async "the policy blocks what a hostile text would try"() {
    const page = await open(recorded("arena"));
    const tried = [
      `document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='globalThis.bad = 1'>")`,
      `document.body.append(Object.assign(document.createElement("script"), { textContent: "globalThis.bad = 1" }))`,
      `document.body.append(Object.assign(document.createElement("script"), { src: "data:text/javascript,globalThis.bad = 1" }))`,
      `document.body.insertAdjacentHTML("beforeend", "<iframe srcdoc='<script>parent.bad = 1</script>'></iframe>")`,
      `document.body.insertAdjacentHTML("beforeend", "<a id=link href='javascript:globalThis.bad = 1'>x</a>"), document.getElementById("link").click()`,
      `fetch("http://127.0.0.1:9/").catch(() => {})`,
    ];
    for (const each of tried) await page.evaluate(`void (${each})`);
    await page.until("new Promise((done) => setTimeout(() => done(true), 200))");
    assert.equal(await page.evaluate("globalThis.bad"), undefined);
    assert.ok(page.errors.length >= tried.length - 1, `${page.errors.length} were reported`);
    assert.ok(page.errors.every((error) => /Content Security Policy|Failed to load|ERR_/i.test(error)), page.errors.join("\n"));
    assert.deepEqual(page.requests.filter((url) => url.startsWith("http")), []);
    await page.close();
  },

  async "a small screen and a light one show the same"() {
    for (const colours of ["light", "dark"]) {
      for (const width of [390, 700, 1440]) {
        const page = await open(recorded("platformer"), { width, height: 844, colours });
        await page.evaluate("viewer.play(false), viewer.seek(400), viewer.choose(0)");
        const cut = await page.evaluate(`[...document.querySelectorAll("button, #clock, #badge, #inspector, #players")].filter((each) => {
          const { left, right, bottom, width } = each.getBoundingClientRect();
          return width > 0 && (left < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5);
        }).map((each) => each.id)`);
        assert.deepEqual(cut, [], `${width} ${colours}`);
        if (shots) await page.screenshot(join(shots, `page-${width}-${colours}.png`));
        await close(page);
      }
    }
  },

  async "a long recording opens at once"() {
    if (hours === 0) return;
    const file = recorded("long");
    assert.equal(run(recorder, file, "24", String(hours * 3600)).status, 0);
    const page = await open(null, { until: "document.body.dataset.state === 'waits'" });
    const began = Date.now();
    await page.chooseFile("#file", file);
    await page.until("document.body.dataset.state === 'open'");
    const opened = Date.now() - began;
    await page.evaluate("viewer.play(false)");
    const seeks = await page.evaluate(`Array.from({ length: 40 }, (_, i) => {
      const from = performance.now();
      viewer.seek(viewer.match.last * ((i * 0.618) % 1));
      return performance.now() - from;
    })`);
    console.log(`${hours} h: ${(statSync(file).size / 1e6).toFixed(1)} MB, opened in ${opened} ms, the longest seek took ${Math.max(...seeks).toFixed(0)} ms`);
    assert.ok(opened < 3000 && Math.max(...seeks) < 200);
    await close(page);
  },
};

(async () => {
  assert.equal(run(recorder, folder).status, 0);
  browser = new Chromium();
  let failed = 0, count = 0;
  for (const [name, test] of Object.entries(tests)) {
    const began = Date.now();
    try {
      await test();
      console.log(`ok - ${name} (${Date.now() - began} ms)`);
    } catch (failure) {
      ++failed;
      console.log(`not ok - ${name}: ${failure.stack}`);
    }
    ++count;
  }
  await browser.close();
  console.log(`${count - failed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
})();
