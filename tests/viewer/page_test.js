// Opens recordings in the page, in headless Chromium, and compares what it shows with the native commands.
//   node page_test.js VIEWER.HTML TICKBOX RECORDINGS [--shots FOLDER] [--hours N] [--only WORDS]
// --shots: also writes pictures of the page, to be looked at. --hours N: also opens a recording of N hours.
"use strict";
const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { basename, join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Chromium, sleep } = require("../support/chromium.js");
const { provenTicks, recordsOf, stretchesAt } = require("./time_line.js");

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

/** Opens another recording in a page, once its verdict is there. */
async function openNext(page, file) {
  await page.chooseFile("#file", file);
  await page.until(`viewer.name === ${JSON.stringify(basename(file))} && document.body.dataset.verdict`);
  await page.evaluate("viewer.play(false), viewer.seek(0)");
  return JSON.parse(await page.evaluate("document.body.dataset.verdict"));
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

  async "the time line is never greener than the proof"() {
    const page = await open(recorded("arena"), { width: 1400 });
    /** Fails unless each tick has its colour, but close to the ends of a stretch, which are no whole pixels. */
    const assertStretches = async (proven, name) => {
      // The mark of the shown tick, which is 0, covers the first ones.
      const all = Array.from({ length: 590 }, (_, i) => i + 10);
      const inner = all.filter((tick) => [-3, 3].every((by) => proven.has(tick + by) === proven.has(tick) || tick + by > 600));
      const shown = await stretchesAt(page, inner);
      const wrong = inner.map((tick, i) => [tick, shown[i]]).filter(([tick, colour]) => colour !== (proven.has(tick) ? "good" : "lost"));
      assert.deepEqual(wrong, [], name);
      // What is lost is seen, however few pixels it has.
      const firstLost = all.filter((tick) => !proven.has(tick) && proven.has(tick - 1));
      assert.deepEqual((await stretchesAt(page, firstLost.map((tick) => tick + 0.5))).filter((colour) => colour === "good"), [], name);
    };
    let lost = 0, seed = 5;
    const below = (most) => (seed = (seed * 48271) % 2147483647) % most;
    for (const game of ["arena", "platformer", "bomber"]) {
      const log = readFileSync(recorded(game)), records = recordsOf(log);
      const keyframes = records.filter((each) => each.isKeyframe), ticks = records.filter((each) => each.hasTicks);
      const inside = ({ at, end }) => at + 20 + below(end - at - 28);
      const places = { nothing: [], ticks: [inside(ticks[40])], keyframe: [inside(keyframes[1])], first: [inside(keyframes[0])], last: [inside(ticks.at(-1))],
        twice: [inside(ticks[10]), inside(keyframes[2])], few: Array.from({ length: 3 }, () => 192 + below(log.length - 192)) };
      for (const [name, offsets] of Object.entries(places)) {
        const changed = Buffer.from(log);
        for (const offset of offsets) changed[offset] ^= 0x40;
        const file = recorded(`${game}-${name}`);
        writeFileSync(file, changed);
        const verdict = await openNext(page, file), expected = native("verify", file), proven = provenTicks(log, offsets);
        assert.deepEqual([verdict.ticks, verdict.damages, verdict.gaps], [expected.ticks, expected.damages, expected.gaps], file);
        assert.equal(proven.size, expected.ticks, file);
        const { first, last } = await page.evaluate("({ first: viewer.match.first, last: viewer.match.last })");
        if (first === 0 && last === 600) await assertStretches(proven, file);
        const badge = await page.evaluate("document.getElementById('badge').className");
        assert.equal(badge, expected.mismatched + expected.damages > 0 ? "bad" : "good", file);
        lost += 600 - proven.size;
        if (name !== "ticks") continue;
        // A lost tick is said to be one.
        const tick = ticks[40].first + 4;
        await page.evaluate(`viewer.seek(${tick})`);
        assert.match(await text(page, "clock"), new RegExp(`^${tick} is lost: ${ticks[40].first - 1} /`));
        // What replay cut leaves of it has a gap.
        const gapped = recorded(`${game}-gapped`);
        assert.equal(run(program, "replay", "cut", file, "-o", gapped).status, 0);
        const { gaps } = await openNext(page, gapped);
        assert.equal(gaps, 1);
        assert.match(await text(page, "badge"), / · 0 differ · 1 gap$/);
        const segment = Math.floor(ticks[40].first / 150);
        await assertStretches(new Set([...proven].filter((each) => each <= 150 * segment || each > 150 * (segment + 1))), gapped);
      }
    }
    assert.ok(lost > 1000);
    // The end that a cut took has a mark at the end of the line.
    assert.equal((await openNext(page, recorded("cut"))).ends_early, true);
    const last = await page.evaluate("viewer.match.last");
    assert.deepEqual(await stretchesAt(page, [last / 2, last]), ["good", "lost"]);
    // What has right checksums and cannot be: from there to the next keyframe nothing is compared.
    assert.equal((await openNext(page, recorded("impossible"))).ticks, native("verify", recorded("impossible")).ticks);
    assert.deepEqual(await stretchesAt(page, [310, 330, 440, 460]), ["good", "lost", "lost", "good"]);
    // A keyframe that differs is red, though no tick does.
    assert.deepEqual([(await openNext(page, recorded("keyframe"))).mismatched, native("verify", recorded("keyframe")).mismatched], [1, 1]);
    assert.deepEqual(await stretchesAt(page, [440, 450.5, 460]), ["good", "bad", "good"]);
    // No tick is called good before it was compared.
    await page.evaluate("viewer.proof.good = [], viewer.toggleRoom()");
    assert.equal(await page.evaluate("document.querySelectorAll('#inspector td.good').length"), 0);
    await close(page);
  },

  async "what cannot be shown leaves what is open, and the last choice wins"() {
    const drop = (name, bytes) => `(() => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(${JSON.stringify([...bytes])})], ${JSON.stringify(name)}));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`;
    const page = await open(recorded("arena"));
    await page.evaluate("viewer.play(false), viewer.seek(100)");
    const before = await text(page, "about");
    for (const [name, bytes, words] of [["noise.tickbox", Buffer.alloc(500, 7), /not a recording/i], ["version.tickbox", readFileSync(recorded("version")), /arena 5, not 2/], ["broken.json", Buffer.from("{}"), /not the file of a desync/]]) {
      await page.evaluate(drop(name, bytes));
      await page.until(`!document.getElementById("problem").hidden && document.getElementById("problem").innerText.includes(${JSON.stringify(name)})`);
      assert.match(await text(page, "problem"), words);
      assert.deepEqual(await page.evaluate("[document.body.dataset.state, viewer.match.tick, document.getElementById('world').hidden]"), ["open", 100, false]);
      assert.equal(await text(page, "about"), before);
      await page.evaluate("document.querySelector('#problem button').click()");
      assert.equal(await page.evaluate("document.getElementById('problem').hidden"), true);
    }
    // The first file takes longer to read than the second.
    await page.evaluate(`void (globalThis.files = Promise.all([["large.tickbox", 300], ["small.tickbox", 10]].map(([name, ms]) =>
      viewer.openFile({ name, arrayBuffer: () => new Promise((done) => setTimeout(() => done(viewer.match && Uint8Array.from(${JSON.stringify([...readFileSync(recorded("bomber"))])}).buffer), ms)) }))))`);
    await page.evaluate("globalThis.files");
    assert.equal(await page.evaluate("viewer.name"), "small.tickbox");
    await close(page);
    // One that is dropped before the module is there.
    const early = await browser.open(pageAddress, { before: `addEventListener("DOMContentLoaded", () => setTimeout(() => {
      globalThis.droppedIn = document.body.dataset.state;
      ${drop("early.tickbox", readFileSync(recorded("bomber")))};
    }))` });
    await early.until("document.body.dataset.verdict");
    assert.deepEqual(await early.evaluate("[globalThis.droppedIn, viewer.name]"), ["loads", "early.tickbox"]);
    await close(early);
  },

  async "a player has the colour of its seat or of its team, other things that of the game"() {
    const page = await open(recorded("arena"));
    // Where the picture has drawn, and the colour that it should have there.
    const drawn = (team) => page.evaluate(`(() => {
      const field = document.getElementById("field"), g = field.getContext("2d"), { picture, match } = viewer, { now } = match;
      if (${team} >= 0) {
        const rows = now.rows.slice();
        for (let row = 0; row < now.count; ++row) if (rows[now.at(row) + 11] & 1) [rows[now.at(row) + 10], rows[now.at(row) + 11]] = [${team} << 8, 1 | 16 | 32];
        match.now = new Moment(now.tick, rows);
        picture.draw(1, true);
        viewer.drawPanels();
      }
      const [from, to] = [picture.worldAt(0, 0), picture.worldAt(100, 100)], pixel = (to.y - from.y) / 100;
      const at = (x, y) => [...g.getImageData(Math.round((x - from.x) / pixel), Math.round((y - from.y) / pixel), 1, 1).data].slice(0, 3);
      const parts = (colour) => { g.fillStyle = colour; return g.fillStyle.match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16)); };
      const boxes = Array.from({ length: now.count }, (_, row) => ({ row, seat: now.rows[now.at(row) + 3], isPlayer: Boolean(now.rows[now.at(row) + 11] & 1), box: picture.placeOf(row) }));
      // A label beside another one goes up.
      const alone = boxes.filter(({ row, box }) => boxes.every((each) => each.row === row || Math.abs(each.box.x - box.x) > 45 * pixel || Math.abs(each.box.y - box.y) > 45 * pixel));
      const score = Object.fromEntries([...document.querySelectorAll("#players tr[data-seat] path")].map((path) => [path.closest("tr").dataset.seat, parts(path.getAttribute("fill"))]));
      return alone.map(({ seat, isPlayer, box }) => ({ isPlayer, body: at(box.x + box.w / 2, box.y + box.h * (isPlayer ? 0.8 : 0.5)), mark: at(box.x + box.w / 2 - 7 * pixel, box.y - 9 * pixel),
        score: score[seat], seat: parts(isPlayer ? look.seatColour(seat) : COLOURS.dark[1]), teams: ${team} < 0 ? null : parts(COLOURS.dark[${team}]) }));
    })()`);
    await page.evaluate("viewer.play(false), viewer.seek(300)");
    const away = (a, b) => Math.hypot(...a.map((part, i) => part - b[i]));
    for (const team of [-1, 4]) {
      const all = await drawn(team), players = all.filter(({ isPlayer }) => isPlayer);
      assert.ok(players.length > 2 && all.length > players.length, JSON.stringify(all));
      for (const { body, mark, score, seat, teams, isPlayer } of all) {
        assert.ok(away(body, seat) < 70, `the body is ${body}, not ${seat}`);
        if (!isPlayer) continue;
        if (team >= 0) assert.deepEqual(seat, teams);
        assert.ok(away(mark, seat) < 60, `the mark is ${mark}, not ${seat}`);
        assert.deepEqual(score, seat);
      }
    }
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
    const failure = await page.evaluate(`viewer.wasm.then((compiled) => new Promise((done) => {
      const proof = new Proof();
      proof.start(viewer.source, compiled, new Uint8Array(3), new EventIndex(), () => {
        viewer.proof.failure = proof.failure;
        viewer.drawPanels();
        done(document.getElementById("badge").innerText);
      });
    }))`);
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
    for (const [key, layer] of ["velocities", "contacts", "sensors", "sight", "ids", "letters", "names"].entries()) {
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

  async "keys go by their place where letters are others, held ones do not toggle, and other buttons do nothing"() {
    const page = await open(recorded("arena"));
    await page.evaluate("viewer.play(false), viewer.seek(0)");
    const hold = async (key, code, times, more = {}) => {
      for (let n = 0; n < times; ++n) await page.send("Input.dispatchKeyEvent", { type: "keyDown", key, code, autoRepeat: n > 0, text: key.length === 1 ? key : undefined, ...more });
      await page.send("Input.dispatchKeyEvent", { type: "keyUp", key, code, ...more });
    };
    const tick = () => page.evaluate("viewer.match.tick");
    await page.press("n");
    const event = await tick();
    for (const [key, code] of [["т", "KeyN"], ["ν", "KeyN"], ["Process", "KeyN"]]) {
      await page.evaluate("viewer.seek(0)");
      await hold(key, code, 1);
      assert.equal(await tick(), event, key);
    }
    await hold("ю", "Period", 1);
    assert.equal(await tick(), event + 1);
    await hold("&", "Digit1", 1);
    assert.equal(await page.evaluate("viewer.picture.layers.has('velocities')"), true);
    // A layout of Latin letters in other places says its own.
    await page.evaluate("viewer.seek(0)");
    await hold("n", "KeyL", 1);
    assert.equal(await tick(), event);
    for (const focus of ["field", "play"]) {
      await page.evaluate(`document.getElementById("${focus}").focus()`);
      for (const [key, code] of [[" ", "Space"], ["Enter", "Enter"]].slice(0, focus === "play" ? 2 : 1)) {
        const before = await page.evaluate("viewer.isPlaying");
        await hold(key, code, 31, key === "Enter" ? { text: "\r", windowsVirtualKeyCode: 13 } : { windowsVirtualKeyCode: 32 });
        assert.equal(await page.evaluate("viewer.isPlaying"), !before, `${key} on ${focus}`);
      }
    }
    await page.evaluate("viewer.play(false), viewer.seek(0), document.getElementById('field').focus()");
    await hold(".", "Period", 5);
    assert.equal(await tick(), 5, "a step is taken again while its key is held");
    const drag = async (id, button) => {
      const [x, y] = await page.evaluate(`(({ left, top, width, height }) => [left + width / 2, top + height * 0.6])(document.getElementById("${id}").getBoundingClientRect())`);
      await page.send("Input.dispatchMouseEvent", { type: "mousePressed", x, y, button, clickCount: 1 });
      await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: x + 60, y, button });
      await page.send("Input.dispatchMouseEvent", { type: "mouseReleased", x: x + 60, y, button, clickCount: 1 });
      return page.evaluate("[viewer.picture.free !== null, viewer.match.tick !== 5]");
    };
    for (const button of ["right", "middle"]) for (const id of ["field", "time"]) assert.deepEqual(await drag(id, button), [false, false], `${button} on ${id}`);
    assert.deepEqual(await drag("field", "left"), [true, false]);
    assert.deepEqual(await drag("time", "left"), [true, true]);
    await close(page);
  },

  async "a low window keeps half of itself for the picture, and the rest is reached"() {
    for (const [width, height] of [[320, 180], [568, 320], [1024, 300]]) {
      const page = await open(recorded("wrong_hash"), { width, height });
      assert.ok(await page.evaluate("document.getElementById('field').clientHeight >= innerHeight / 2 - 1"), `${width} × ${height}`);
      const missed = await page.evaluate(`[...document.querySelectorAll("header button, footer button, #time")].filter((each) => {
        each.scrollIntoView();
        const { left, right, top, bottom, width } = each.getBoundingClientRect();
        return width > 0 && (left < 0 || right > innerWidth + 0.5 || top < -0.5 || bottom > innerHeight + 0.5);
      }).map((each) => each.id)`);
      assert.deepEqual(missed, [], `${width} × ${height}`);
      if (shots) await page.screenshot(join(shots, `page-${width}x${height}.png`));
      await close(page);
    }
  },

  async "signs are seen in forced colours"() {
    const page = await open(recorded("arena"));
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }, { name: "prefers-color-scheme", value: "dark" }] });
    const same = await page.evaluate(`["play", "back", "on"].filter((id) => {
      const button = document.getElementById(id);
      return getComputedStyle(button).backgroundColor === getComputedStyle(button, "::before").backgroundColor;
    })`);
    assert.ok(await page.evaluate("matchMedia('(forced-colors: active)').matches"));
    assert.deepEqual(same, []);
    if (shots) await page.screenshot(join(shots, "page-forced.png"));
    await close(page);
  },

  async "a desync opens as two worlds, with what differs in red"() {
    const page = await open(join(folder, "desync.json"), { until: "document.body.dataset.state === 'desync'" });
    const { difference, explanation, tick } = JSON.parse(readFileSync(join(folder, "desync.json")));
    assert.ok((await text(page, "worlds")).includes(`tick ${tick} of seat 3`));
    assert.ok((await text(page, "worlds")).includes(explanation.split("\n")[2].trim()));
    const rows = await page.evaluate("[...document.querySelectorAll('.differences tr')].slice(1).map((row) => [...row.cells].map((cell) => cell.innerText))");
    const [{ field, server, client }] = difference.first.fields;
    assert.deepEqual(rows, [[`Crate #${difference.first.entity}`, field, String(server), String(client)]]);
    for (const [name, bytes] of [["empty.json", "{}"], ["list.json", "[]"], ["markup.json", '{"desync":4,"tick":"<img src=x onerror=alert(1)>","client_view":{"entities":[{"id":"1","kind":"<b>x</b>","x":0,"y":0}]},"explanation":"<img src=x onerror=alert(2)>"}'], ["broken.json", '{"desync":4,"client_view":7}']]) {
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

  async "the badge is never cut, however long the name of the file"() {
    const long = (name) => join(folder, `${name}-${"x".repeat(120)}.tickbox`);
    for (const name of ["arena", "damaged", "wrong_hash"]) copyFileSync(recorded(name), long(name));
    for (const [width, height] of [[390, 844], [760, 700], [1024, 700], [1440, 900]]) {
      const page = await open(null, { width, height, until: "document.body.dataset.state === 'waits'" });
      for (const name of ["arena", "damaged", "wrong_hash"]) {
        await openNext(page, long(name));
        const cut = await page.evaluate(`[...document.querySelectorAll("header button")].filter((each) => {
          const { left, right, bottom } = each.getBoundingClientRect();
          return each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight || left < 0 || right > innerWidth || bottom > each.parentElement.getBoundingClientRect().bottom;
        }).map((each) => each.id)`);
        assert.deepEqual(cut, [], `${name} at ${width}`);
        if (shots) await page.screenshot(join(shots, `badge-${name}-${width}.png`));
      }
      await close(page);
    }
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
    if (!name.includes(option("--only") ?? "")) continue;
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
