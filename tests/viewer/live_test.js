// Follows real servers with the page in Chromium, and has it asked and answered by hostile ones.
//   node live_test.js SERVER TICKBOX RECORDINGS [--seconds N] [--hours H] [--only WORDS] [--shots FOLDER]
// --seconds: how long a room is followed (4 by default). --hours: of live time that pass at 60 times the speed in the
// test of memory (0.05 by default; 8 take eight minutes, and as long to record them).
"use strict";
const assert = require("node:assert/strict");
const { spawn, spawnSync } = require("node:child_process");
const { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const http = require("node:http");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { Chromium, sleep } = require("../support/chromium.js");
const { recordsOf, stretchesAt } = require("./time_line.js");

const [serverProgram, clientProgram, recorder, ...options] = process.argv.slice(2);
const option = (name, otherwise) => (options.includes(`--${name}`) ? options[options.indexOf(`--${name}`) + 1] : otherwise);
const seconds = Number(option("seconds", 4)), hours = Number(option("hours", 0.05));
const shots = option("shots", "");
const TOKEN = "correct-horse-battery";
const SPEED = 60;

const folder = mkdtempSync(join(tmpdir(), "tickbox-live-"));
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function start(program, words) {
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "ignore"] });
  running.add(child);
  child.ended = new Promise((done) => child.on("exit", () => { running.delete(child); done(); }));
  return child;
}

/** Starts a server. Returns it once clients can connect. */
async function serve(...more) {
  const server = start(serverProgram, ["--port", "0", "--json", "--quiet", "--seed", "7", ...(more.includes("--admin-port") ? [] : ["--admin-port", "0"]), ...more]);
  let text = "";
  for await (const piece of server.stdout) {
    text += piece;
    if (text.includes("\n")) break;
  }
  const { address, admin } = JSON.parse(text.split("\n")[0]);
  return Object.assign(server, { address, admin, page: `http://${admin}/` });
}

const play = (server, clients, time) => start(clientProgram, ["load", server.address, "--clients", String(clients),
  "--bot", "mix", "--seconds", String(time), "--rejoin", "--quiet"]);

async function end(child, signal = "SIGKILL") {
  child.kill(signal);
  await child.ended;
}

const get = (url, headers = {}) => new Promise((done, fail) => http.get(url, { headers }, (response) => {
  const pieces = [];
  response.on("data", (piece) => pieces.push(piece));
  response.on("end", () => done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) }));
}).on("error", fail));

/** A server of this test, in place of a real one. */
async function standIn(answer) {
  const made = http.createServer((request, response) => answer(new URL(request.url, "http://x").pathname, response, request));
  await new Promise((done) => made.listen(0, "127.0.0.1", done));
  return Object.assign(made, { page: `http://127.0.0.1:${made.address().port}/view` });
}

/** A server of this test that asks a real one. `below`: the path under which it has that. `holds`: says what it keeps of the
 *  answer to a path: "all" of it, or the "body". */
async function proxy(server, { below = "", holds = () => "" } = {}) {
  const made = await standIn((path, response, { url, headers }) => {
    if (!path.startsWith(`${below}/`)) return response.writeHead(404).end("no such path");
    if (holds(path) === "all") return undefined;
    const from = http.get(`${server.page.slice(0, -1)}${url.slice(below.length)}`, { headers: { ...headers, host: server.admin } }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      if (holds(path) !== "body") answer.pipe(response);
    });
    response.on("close", () => from.destroy());
    return from.on("error", () => response.destroy());
  });
  return Object.assign(made, { page: made.page.replace("/view", `${below}/view`) });
}

function shut(made) {
  made.closeAllConnections();
  made.close();
}

async function photograph(page, name) {
  if (shots) await page.screenshot(join(shots, `live-${name}.png`));
}

const WATCHES = "document.body.dataset.state === 'open' && !document.getElementById('live').hidden";
const IS_NARROW_ENOUGH = "document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('#rooms, #server')].every((part) => part.scrollWidth <= part.clientWidth)";

async function watch(page) {
  await page.until("document.querySelector('.cards a')");
  await page.evaluate("document.querySelector('.cards a').focus()");
  await page.press("Enter");
  await page.until(WATCHES);
}

/** Fails unless every tick that has come was compared, and none differs. */
async function assertCompared(page, ticks) {
  const verdict = await page.evaluate(`new Promise((done) => {
    const look = () => viewer.match.engine.verified >= viewer.match.last - viewer.match.rate ? done(viewer.match.engine.verdict()) : setTimeout(look, 20);
    look();
  })`);
  assert.equal(verdict.mismatched, 0);
  assert.equal(verdict.damages, 0);
  assert.ok(verdict.ticks >= ticks, `${verdict.ticks} ticks of ${ticks}`);
  return verdict;
}

function assertClean(page, origin) {
  assert.deepEqual(page.errors, []);
  for (const url of page.requests) assert.ok(url.startsWith(origin), url);
}

let browser;
const tests = {
  async "a room is followed, and every tick compared"() {
    const recordings = join(folder, "recordings");
    const server = await serve("--record", recordings);
    play(server, 6, seconds + 60);
    const page = await browser.open(server.page);
    assert.equal(await page.evaluate("location.pathname"), "/view");
    await page.until("document.querySelector('.cards dd')?.textContent.startsWith('6 of')");
    await page.until("document.querySelectorAll('#rooms td button').length === 1");
    await photograph(page, "rooms");
    await watch(page);
    const first = await page.evaluate("viewer.match.last");
    const began = Date.now();
    await sleep(seconds * 1000);
    const behind = await page.evaluate("(viewer.match.last - viewer.match.tick) / viewer.match.rate");
    const ticks = await page.evaluate("viewer.match.last") - first;
    const rate = ticks / ((Date.now() - began) / 1000);
    assert.ok(rate > 50, `the log comes with ${rate} ticks a second`);
    assert.ok(behind < 0.6, `${behind} s behind the newest tick`);
    const verdict = await assertCompared(page, ticks);
    console.log(`  ${verdict.ticks} ticks compared, ${verdict.mismatched} differ; ${behind.toFixed(2)} s behind the newest`);
    assert.equal(await page.evaluate("document.querySelectorAll('.clients tbody tr').length"), 6);
    const figures = await page.evaluate("[...document.querySelectorAll('.clients tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))");
    for (const [seat, client, rtt, , rate_] of figures) {
      assert.match(seat, /^\d$/);
      assert.match(client, /^…?\d+$/);
      assert.ok(Number(rtt) > 0 && Number(rate_) > 0, JSON.stringify(figures));
    }
    assert.ok(await page.evaluate("document.querySelectorAll('.lines li').length") > 3);
    assert.equal(await page.evaluate("document.querySelector('.lines').textContent.includes('address=')"), false, "addresses need a token");
    await page.until("document.querySelector('.values b').textContent !== '–'");
    await photograph(page, "room");
    // Back to the list, by the browser's own button; then the recording that is being written.
    await page.evaluate("history.back()");
    await page.until("!document.getElementById('rooms').hidden");
    await page.until("document.querySelector('#rooms td button')");
    await page.evaluate("document.querySelector('#rooms td button').click()");
    await page.until("document.body.dataset.verdict");
    const recorded = JSON.parse(await page.evaluate("document.body.dataset.verdict"));
    assert.equal(recorded.mismatched, 0);
    assert.ok(recorded.ticks > ticks);
    assertClean(page, server.page);
    await page.close();
    await end(server);
  },

  async "fits narrow and wide, light and dark"() {
    const server = await serve("--record", join(folder, "fits"));
    play(server, 12, 60);
    for (const [width, height] of [[390, 844], [1024, 768], [1440, 900]]) {
      for (const colours of ["light", "dark"]) {
        const page = await browser.open(server.page, { width, height, colours });
        await page.until("document.querySelectorAll('#rooms td button').length === 1");
        assert.ok(await page.evaluate(IS_NARROW_ENOUGH), `${width} px: the list`);
        await photograph(page, `rooms-${width}-${colours}`);
        await watch(page);
        await page.until("document.querySelectorAll('.clients tbody tr').length === 12 && document.querySelector('.values b').textContent !== '–'");
        if (shots) await sleep(6000);
        assert.ok(await page.evaluate(IS_NARROW_ENOUGH), `${width} px: the room`);
        await photograph(page, `room-${width}-${colours}`);
        await page.send("Emulation.setDeviceMetricsOverride", { width: 568, height: 320, mobile: false, deviceScaleFactor: 1 });
        await page.until("innerHeight === 320 && document.getElementById('field').clientHeight >= 159");
        assert.ok(await page.evaluate(IS_NARROW_ENOUGH), "a low window");
        assertClean(page, server.page);
        await page.close();
      }
    }
    await end(server);
  },

  async "asks for the token, and sends it in a header alone"() {
    const file = join(folder, "token");
    writeFileSync(file, `${TOKEN}\n`);
    chmodSync(file, 0o600);
    const server = await serve("--admin-token-file", file);
    assert.equal((await get(`${server.page}v1/status`)).status, 401);
    assert.equal((await get(`${server.page}view`)).status, 200);
    const page = await browser.open(server.page);
    const enter = async (token) => {
      await page.until("!document.querySelector('#rooms form').hidden && document.activeElement.id === 'token'");
      for (const letter of token) await page.press(letter);
      await page.press("Enter");
    };
    await enter("wrong");
    await page.until("document.querySelector('#rooms form .bad').textContent.includes('refuses')");
    await photograph(page, "token");
    await enter(TOKEN);
    await watch(page);
    assert.ok(await page.evaluate("document.querySelector('#rooms form').hidden"));
    assert.equal(await page.evaluate(`document.documentElement.outerHTML.includes("${TOKEN}")`), false);
    for (const url of page.requests) assert.ok(!url.includes(TOKEN) && url.startsWith(server.page), url);
    // A refused request is an error of the console, and nothing else is.
    assert.deepEqual(page.errors.filter((error) => !error.includes("401")), []);
    await page.close();
    await end(server);
  },

  async "says within 3 s that the server is gone, and comes back by itself"() {
    const server = await serve();
    play(server, 2, 60);
    const page = await browser.open(server.page);
    await watch(page);
    await page.until("document.querySelectorAll('.clients tbody tr').length === 2");
    for (const signal of ["SIGKILL", "SIGSTOP"]) {
      const from = signal === "SIGSTOP" ? await serve("--admin-port", server.admin.split(":")[1]) : server;
      if (from !== server) {
        await page.until(`document.body.dataset.server === 'there' && ${WATCHES} && document.getElementById('live').textContent === 'LIVE'`);
        assert.equal(await page.evaluate("document.getElementById('server').classList.contains('old')"), false);
        const last = await page.evaluate("viewer.match.last");
        await page.until(`viewer.match?.last > ${last} + 30`);
        await assertCompared(page, 30);
      }
      const began = Date.now();
      from.kill(signal);
      await page.until("document.querySelector('#server .sign').textContent.includes('disconnected')");
      const took = Date.now() - began;
      console.log(`  disconnected ${took} ms after ${signal}`);
      assert.ok(took <= 3000, `${took} ms after ${signal}`);
      if (from === server) {
        // Nothing is shown as if it were of now.
        await page.until("document.getElementById('live').textContent === 'CUT OFF' && document.getElementById('now').hidden");
        const [isOld, figures] = await page.evaluate("[document.getElementById('server').classList.contains('old'), document.querySelector('#server .dim').textContent]");
        assert.ok(isOld);
        assert.match(figures, / · figures of \d\d:\d\d:\d\d UTC$/);
        await photograph(page, "gone");
      }
      if (signal === "SIGSTOP") {
        from.kill("SIGCONT");
        await page.until("document.body.dataset.server === 'there'");
        await end(from);
      } else {
        await from.ended;
      }
    }
    await page.close();
  },

  async "a room is found again by its address, behind a path of a proxy, and it is said what may hold its log"() {
    const file = join(folder, "reload-token");
    writeFileSync(file, `${TOKEN}\n`);
    chmodSync(file, 0o600);
    const server = await serve("--record", join(folder, "proxied")), locked = await serve("--admin-token-file", file);
    const below = await proxy(server, { below: "/tickbox" });
    // The list of paths leads to it there too.
    const page = await browser.open(below.page.replace(/view$/, ""));
    await page.send("Emulation.setTimezoneOverride", { timezoneId: "Asia/Kathmandu" });
    await page.until("document.querySelectorAll('#rooms td button').length === 1");
    // The name of a recording has its time in the same zone.
    const [shown, name] = await page.evaluate("(({ textContent, title }) => [textContent, title])(document.querySelector('#rooms td'))");
    assert.match(shown, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    assert.ok(name.replaceAll(/[^0-9]/g, "").startsWith(shown.replaceAll(/[^0-9]/g, "").slice(0, 12)), `${shown} is ${name}`);
    await watch(page);
    assert.ok((await page.evaluate("document.getElementById('about').textContent")).endsWith(" UTC"));
    await page.send("Page.reload");
    await page.until(WATCHES);
    assert.equal(await page.evaluate("location.hash"), "#room-1");
    assert.ok(page.requests.every((url) => new URL(url).pathname.startsWith("/tickbox/")), page.requests.join(" "));
    await page.evaluate("document.getElementById('home').click()");
    await page.until("!document.getElementById('rooms').hidden");
    assert.equal(await page.evaluate("location.hash"), "");
    await page.close();
    // A server that asks for its token, and a room that is not there.
    const asked = await browser.open(`${locked.page}view#room-1`);
    await asked.until("!document.querySelector('#rooms form').hidden && document.activeElement.id === 'token'");
    for (const letter of TOKEN) await asked.press(letter);
    await asked.press("Enter");
    await asked.until(WATCHES);
    await asked.close();
    const absent = await browser.open(`${server.page}view#room-99`);
    await absent.until("/room/.test(document.querySelector('#server .sign').textContent) && !document.getElementById('server').hidden");
    await absent.close();
    for (const held of ["all", "body"]) {
      const holder = await proxy(server, { holds: (path) => (path.endsWith("/log") ? held : "") });
      const waiting = await browser.open(`${holder.page}#room-1`);
      await waiting.until("document.body.dataset.server === 'there'");
      const began = Date.now();
      await waiting.until("document.querySelector('#server .sign').textContent.includes('proxy')");
      assert.ok(Date.now() - began < 5500, `${held}: said after ${Date.now() - began} ms`);
      await waiting.close();
      shut(holder);
    }
    shut(below);
    await end(server);
    await end(locked);
  },

  async "tabs share the connections of a browser, and none says that a server is gone"() {
    const server = await serve();
    const pages = [];
    for (let n = 0; n < 7; ++n) pages.push(await browser.open(`${server.page}view#room-1`));
    const seen = () => Promise.all(pages.map((page) => page.evaluate(`({ state: document.body.dataset.server, follows: ${WATCHES}, sign: document.querySelector("#server .sign")?.textContent ?? "" })`)));
    for (const until = Date.now() + 60_000; (await seen()).filter(({ follows, sign }) => follows || sign.startsWith("waits")).length < 7; await sleep(200)) {
      assert.ok(Date.now() < until, JSON.stringify(await seen()));
    }
    for (let n = 0; n < 8; ++n, await sleep(1000)) {
      const all = await seen();
      assert.deepEqual(all.map(({ state }) => state), Array(7).fill("there"), JSON.stringify(all));
      assert.equal(all.filter(({ follows }) => follows).length, 4, JSON.stringify(all));
      assert.ok(all.every(({ follows, sign }) => follows || /^waits: 4 other tabs/.test(sign)), JSON.stringify(all));
    }
    // The place of one that is closed is taken by one that waits.
    const follows = (await seen()).map((each) => each.follows);
    const [closed] = pages.splice(follows.indexOf(true), 1);
    await closed.close();
    for (const until = Date.now() + 20_000; (await seen()).filter((each) => each.follows).length < 4; await sleep(200)) assert.ok(Date.now() < until);
    for (const page of pages.splice(0)) await page.close();
    // Over plain HTTP to another host a page has no locks: six streams are all connections. Then it does not know.
    for (let n = 0; n < 6; ++n) pages.push(await browser.open(`${server.page}view#room-1`, { before: `Object.defineProperty(navigator, "locks", { value: undefined })` }));
    await pages[0].until("document.querySelector('#server .sign').textContent.includes('or other tabs')");
    for (const { sign } of await seen()) assert.ok(!sign.includes("disconnected"), sign);
    for (const page of pages) await page.close();
    await end(server);
  },

  async "what was found in a room stays found when its log is cut and begins again"() {
    const real = await serve();
    const { body, headers } = await get(`${real.page}view`);
    const status = await get(`${real.page}v1/status`);
    await end(real);
    assert.equal(spawnSync(recorder, [folder]).status, 0);
    const [log, next] = ["wrong_hash", "bomber"].map((name) => readFileSync(join(folder, `${name}.tickbox`)));
    const records = recordsOf(log), keyframes = records.filter((each) => each.isKeyframe), middle = records.findIndex((each) => each.first >= 400);
    // A stream is cut within a record, and the next begins with the segment before it; then another match begins, of which
    // a segment is lost on the way.
    const [gap, afterGap] = recordsOf(next).filter((each) => each.isKeyframe).slice(1, 3);
    const header = log.subarray(0, 192);
    const streams = [[log.subarray(0, records[middle].at + 9)], [header, log.subarray(keyframes[1].at, keyframes[3].at + 100)], [header, log.subarray(keyframes[3].at)], [next.subarray(0, gap.at), next.subarray(afterGap.at)]];
    let opened = 0, held = null;
    const release = () => { held?.destroy(); held = null; };
    const server = await standIn((path, response) => {
      if (path === "/view") return response.writeHead(200, { "content-type": headers["content-type"] }).end(body);
      if (path === "/v1/status") return response.writeHead(200, { "Content-Type": "application/json" }).end(status.body);
      if (!path.endsWith("/log")) return response.writeHead(404).end();
      response.writeHead(200, { "Content-Type": "application/octet-stream" });
      const pieces = streams[opened++];
      if (!pieces) return undefined;
      for (const piece of pieces) response.write(piece);
      held = response;
      return opened === 3 ? response.end() : undefined;
    });
    const page = await browser.open(`${server.page}#room-1`);
    await page.until(`viewer.match?.last >= 390 && document.getElementById("badge").className === "bad"`);
    await page.evaluate("viewer.play(false), viewer.seek(330), viewer.choose(2), viewer.followSeat(1)");
    const state = () => page.evaluate("({ tick: viewer.match.tick, first: viewer.match.first, isPlaying: viewer.isPlaying, chosen: String(viewer.picture.chosen), followed: viewer.picture.followed, ranges: viewer.proof.ranges[0][0] })");
    const before = await state();
    assert.equal(before.ranges, 320);
    assert.equal(await page.evaluate("document.getElementById('live').textContent"), "LIVE");
    release();
    await page.until("document.getElementById('live').textContent === 'CUT OFF'");
    assert.equal(await page.evaluate("document.getElementById('now').hidden"), true);
    await page.until("viewer.match.last === 450");
    assert.deepEqual(await state(), before);
    assert.match(await page.evaluate("document.getElementById('badge').innerText"), /^✗ tick 320: .* · differ: 320 to /);
    release();
    await page.until("viewer.match.last === 600 && viewer.match.engine.verified >= 600 && document.getElementById('live').textContent === 'ENDED'");
    assert.deepEqual(await state(), before);
    // All streams are one log, and the verdict is that on the file.
    const { ticks, mismatched, damages, gaps, first_mismatch: first } = JSON.parse(spawnSync(clientProgram, ["replay", "verify", join(folder, "wrong_hash.tickbox"), "--json"]).stdout);
    const verdict = await page.evaluate("viewer.match.engine.verdict()");
    assert.deepEqual([verdict.ticks, verdict.mismatched, verdict.damages, verdict.gaps, verdict.first_mismatch.got], [ticks, mismatched, damages, gaps, first.got]);
    assert.deepEqual(await stretchesAt(page, [100, 310, 325, 440, 500]), ["good", "good", "bad", "bad", "good"]);
    const words = await page.evaluate("document.getElementById('badge').innerText");
    // Another match in the room.
    await page.until("viewer.match.game.game === 'bomber' && viewer.match.last >= 590");
    assert.ok((await page.evaluate("document.getElementById('badge').innerText")).startsWith(`${words} · since then: `));
    assert.equal(await page.evaluate("document.getElementById('badge').className"), "bad");
    await page.until("/since then: ✗ damaged in \\d place/.test(document.getElementById('badge').innerText) && viewer.match.engine.verified >= 590");
    await page.evaluate("viewer.play(false), viewer.seek(60)");
    assert.deepEqual(await stretchesAt(page, [20, 140, 160, 220, 290, 320, 550]), ["good", "good", "lost", "lost", "lost", "good", "good"]);
    assert.deepEqual(page.errors.filter((error) => !error.startsWith("Failed to load resource")), []);
    await page.close();
    shut(server);
  },

  async "a hidden tab goes on comparing, and is up to date when it is seen again"() {
    const server = await serve();
    play(server, 4, 60);
    const page = await browser.open(server.page);
    await watch(page);
    // Hidden for longer than it keeps, it is still at what is played now.
    await page.evaluate("viewer.keptSeconds = 1, 0");
    const first = await page.evaluate("viewer.match.last");
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
    await browser.send("Target.activateTarget", { targetId });
    const isHidden = await page.evaluate("document.hidden");
    await sleep(Math.max(seconds, 4) * 1000);
    const while_ = await page.evaluate("[viewer.match.last, viewer.match.engine.verified]");
    assert.ok(while_[0] - first > 150, "the log comes while the tab is hidden");
    assert.ok(while_[1] > first + 100, "and is compared");
    await browser.send("Target.activateTarget", { targetId: page.target });
    await browser.send("Target.closeTarget", { targetId });
    await page.until("!document.hidden && (viewer.match.last - viewer.match.tick) / viewer.match.rate < 0.6", 5000);
    await assertCompared(page, 150);
    console.log(`  the tab was ${isHidden ? "hidden" : "NOT hidden by this browser"}`);
    assert.ok(isHidden);
    assertClean(page, server.page);
    await page.close();
    await end(server);
  },

  async "a hostile server cannot run script"() {
    const real = await serve();
    const { body, headers } = await get(`${real.page}view`);
    const status = JSON.parse((await get(`${real.page}v1/status`)).body);
    await end(real);
    const markup = "<img src=x onerror=\"globalThis.hit=1\"><script>globalThis.hit=1</script><svg onload=globalThis.hit=1>\"'`</textarea></script>${globalThis.hit=1}javascript:globalThis.hit=1";
    /** Puts markup into each text and each key. */
    const spoil = (value) => {
      if (typeof value === "string") return markup;
      if (Array.isArray(value)) return value.map(spoil);
      if (value === null || typeof value !== "object") return value;
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, spoil(each)]));
    };
    let n = 0;
    const documents = [
      () => ({ ...spoil(status), drops: { [markup]: 3 }, refusals: { [markup]: 2 }, disconnects: { __proto__: null, [markup]: 1 },
        clients: [{ ...spoil({ client: "x" }), room: 1, seat: 0, rtt_ms: markup, packets_sent: {} }],
        log: [{ number: ++n, time: markup, level: markup, text: markup }, { number: ++n, time: 1e99, level: "error", text: markup }] }),
      // What is no status at all.
      () => ({ rooms: [null, 7, { id: 1, shard: markup, tick_ms: markup, recording: markup }], shards: [{ tick_ns: [[1], null, "x"] }], clients: [null, 3, {}], log: [null, {}], drops: markup, traffic: [] }),
      () => ({ rooms: markup }), () => [], () => null, () => markup,
      () => ({ rooms: Array.from({ length: 5000 }, (_, id) => ({ id, game: markup })), clients: Array.from({ length: 5000 }, (_, seat) => ({ room: 0, seat, client: markup })) }),
    ];
    let asked = 0;
    const hostile = await standIn((path, response) => {
      const send = (type, text) => response.writeHead(200, { "Content-Type": type }).end(text);
      if (path === "/view") return response.writeHead(200, { "content-type": headers["content-type"] }).end(body);
      if (path === "/v1/status") return send("application/json", JSON.stringify(documents[Math.floor(asked++ / 2) % documents.length]()));
      if (path === "/recordings") return send("application/json", JSON.stringify({ recordings: [{ name: markup, start: markup, bytes: markup, written: markup }, null, 7], all: 1e9 }));
      if (path.startsWith("/recordings/")) return send("application/octet-stream", markup);
      if (path.startsWith("/rooms/")) return send("application/octet-stream", markup);
      response.writeHead(404).end(markup);
    });
    const page = await browser.open(hostile.page);
    await page.until("document.querySelector('.cards a')");
    await page.until("document.querySelector('#rooms td button')");
    await photograph(page, "hostile");
    await page.evaluate("document.querySelector('#rooms td button').click()");
    await page.until("document.body.dataset.state === 'refused'");
    await page.evaluate("document.getElementById('home').click()");
    await watchHostile(page);
    for (const end_ = Date.now() + 16_000; Date.now() < end_ && asked < 2 * documents.length + 2;) await sleep(100);
    assert.ok(asked >= 2 * documents.length, `${asked} documents`);
    assert.equal(await page.evaluate("globalThis.hit"), undefined);
    assert.equal(await page.evaluate("document.querySelectorAll('#rooms img, #rooms script, #server img, #server script, #server iframe').length"), 0);
    assert.ok(await page.evaluate("document.documentElement.textContent.includes('onerror')"), "it is shown as text");
    // What a page would do if its script were not its own: the policy lets none of it happen.
    const before = page.errors.length;
    let arrived = 0;
    const other = await standIn((path, response) => { ++arrived; response.end(); });
    const elsewhere = new URL(other.page).origin;
    assert.deepEqual(page.errors.filter((error) => !/the answer|JSON/.test(error)), []);
    await page.evaluate(`(() => {
      const add = (tag, what) => document.body.appendChild(Object.assign(document.createElement(tag), what));
      document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(markup)});
      add("script", { textContent: "globalThis.hit = 2" });
      add("script", { src: "data:text/javascript,globalThis.hit=3" });
      add("iframe", { srcdoc: "<script>parent.hit = 4</script>" });
      add("img", { src: "${elsewhere}/x.png" });
      add("a", { href: "javascript:globalThis.hit=5" }).click();
      const button = add("button", {});
      button.setAttribute("onclick", "globalThis.hit = 6");
      button.click();
      fetch("${elsewhere}/").catch(() => {});
    })()`);
    await sleep(500);
    assert.equal(await page.evaluate("globalThis.hit"), undefined);
    assert.ok(page.errors.length > before + 3, "each is reported as blocked");
    assert.equal(arrived, 0, "no request arrives elsewhere");
    await page.close();
    for (const each of [hostile, other]) shut(each);
  },

  async "hours of a room leave memory flat"() {
    const file = join(folder, "long.tickbox");
    const length = 5 * Math.ceil(hours * 720);  // whole segments
    assert.equal(spawnSync(recorder, [file, "8", String(length)]).status, 0);
    const log = readFileSync(file);
    const real = await serve();
    const { body, headers } = await get(`${real.page}view`);
    const status = JSON.parse((await get(`${real.page}v1/status`)).body);
    await end(real);
    const records = recordsOf(log);
    let began = 0;
    const server = await standIn((path, response) => {
      if (path === "/view") return response.writeHead(200, { "content-type": headers["content-type"] }).end(body);
      if (path === "/v1/status") {
        // The server's clock is the page's: a page takes one that runs ahead for another server.
        const up = began ? Date.now() - began : 0, tick = Math.floor(up * SPEED * 0.06);
        const clients = Array.from({ length: 8 }, (_, seat) => ({ room: 1, seat, client: String(seat), rtt_ms: 20, packets_sent: tick, packets_received: tick, snapshot_bytes: tick * 50, margin_ticks: 1 }));
        return response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ ...status, uptime_ms: up, at_ms: up, clients_at_ms: up, clients,
          rooms: status.rooms.map((room) => ({ ...room, tick, players: 8 })),
          shards: status.shards.map((shard) => ({ ...shard, tick_ns: [[300_000, tick], [900_000, Math.floor(tick / 50)]] })),
          log: [{ number: tick, time: new Date().toISOString(), level: "info", text: `summary ticks_per_second=60 tick=${tick}` }] }));
      }
      if (!path.endsWith("/log")) return response.writeHead(200, { "Content-Type": "application/json" }).end('{"recordings":[]}');
      response.writeHead(200, { "Content-Type": "application/octet-stream" });
      began = Date.now();
      let sent = 0, at = 0;
      const timer = setInterval(() => {
        const until = (Date.now() - began) * SPEED * 0.06;
        let next = at;
        while (next < records.length && records[next].last <= until) ++next;
        if (next === at) return;
        const to = next < records.length ? records[next].at : log.length;
        response.write(log.subarray(sent, to));
        [sent, at] = [to, next];
        if (next === records.length) {
          clearInterval(timer);
          response.end();
        }
      }, 100);
      response.on("close", () => clearInterval(timer));
    });
    const page = await browser.open(server.page);
    await watch(page);
    await page.evaluate("viewer.keptSeconds = 10, 0");
    const heap = async () => {
      await page.send("HeapProfiler.enable");
      await page.send("HeapProfiler.collectGarbage");
      const { usedSize } = await page.send("Runtime.getHeapUsage");
      const [module, nodes] = await page.evaluate("[viewer.match.engine.memoryBytes, document.querySelectorAll('*').length]");
      return { heap: usedSize / 1e6, module: module / 1e6, nodes };
    };
    const seen = [];
    const whole = length * 60 - 60;
    for (let last = 0; last < whole;) {
      await sleep(Math.min(10_000, length / SPEED * 100));
      last = await page.evaluate("viewer.match.last");
      seen.push({ hours: last / 216_000, ...await heap() });
      console.log(`  ${seen.at(-1).hours.toFixed(2)} h  heap ${seen.at(-1).heap.toFixed(1)} MB  module ${seen.at(-1).module.toFixed(1)} MB  ${seen.at(-1).nodes} elements`);
    }
    const verdict = await assertCompared(page, whole);
    console.log(`  ${verdict.ticks} ticks compared, ${verdict.mismatched} differ`);
    assert.notEqual(await page.evaluate("document.querySelector('.values b').textContent"), "–", "the charts have figures");
    // The last third against the third before.
    {
      const mean = (from, to, key) => seen.slice(from, to).reduce((sum, each) => sum + each[key], 0) / (to - from);
      const third = Math.floor(seen.length / 3);
      for (const key of ["heap", "module"]) {
        const [before, after] = [mean(third, 2 * third, key), mean(2 * third, 3 * third, key)];
        console.log(`  ${key}: ${before.toFixed(2)} MB in the second third, ${after.toFixed(2)} MB in the last`);
        assert.ok(after <= before * 1.05 + 1, `${key} grows from ${before} to ${after} MB`);
      }
    }
    assertClean(page, new URL(server.page).origin);
    await page.close();
    shut(server);
  },
};

/** Watches a room whose log is none. */
async function watchHostile(page) {
  await page.until("document.querySelector('.cards a')");
  await page.evaluate("document.querySelector('.cards a').click()");
  await page.until("document.body.dataset.state === 'refused' || !document.getElementById('server').hidden");
}

(async () => {
  browser = new Chromium();
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(option("only", ""))) continue;
    const began = Date.now();
    try {
      await test();
      console.log(`ok ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (failure) {
      console.error(`FAILED ${name}\n${failure.stack}`);
      ++failed;
    }
  }
  await browser.close();
  process.exit(failed ? 1 : 0);
})();
