// The page in a headless Chromium, behind the gateway: it plays by keys, and every hash is right.
"use strict";

const assert = require("node:assert/strict"), dgram = require("node:dgram"), fs = require("node:fs"), http = require("node:http"), net = require("node:net");
const os = require("node:os"), path = require("node:path"), test = require("node:test");
const { execFileSync } = require("node:child_process");
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
async function key(page, name, isDown, modifiers = 0) {
  const code = name === " " ? "Space" : name.length === 1 ? `Key${name.toUpperCase()}` : name;
  await page.send("Input.dispatchKeyEvent", { type: isDown ? "keyDown" : "keyUp", modifiers, key: name, code, windowsVirtualKeyCode: CODES[name] ?? name.toUpperCase().charCodeAt(0) });
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
      // At some time: who walks in a circle, or begins again, may end where it began.
      const moves = page.until(`JSON.stringify(play.client.camera) !== ${JSON.stringify(JSON.stringify(before))}`);
      await Promise.all([playByKeys(page, 8), moves]);
      const figures = await page.figures();
      const frames = await page.evaluate("({ frames: play.frames, busy: play.busy, ms: performance.now() })");
      t.diagnostic(JSON.stringify({ road, game, ...frames, ...figures }));
      assert.ok(figures.hashes_checked > 50);
      assert.equal(figures.hashes_wrong, 0);
      assert.ok(figures.predictions > 20);
      assert.deepEqual(page.errors, []);
      assert.equal(await page.evaluate("document.querySelector('#label').hidden"), game !== "bomber");
      await page.until("document.querySelector('#card').hidden ? play.phase === 'playing' : /^Wait a moment: your turn comes[.]/.test(document.querySelector('#card p').textContent)");
      assert.equal(await page.evaluate("location.hash"), road === "WebSocket" ? "#road=ws" : "");
      assert.match((await fetch(gateway.url)).headers.get("content-security-policy"), /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
      for (const address of page.requests) assert.ok(address.startsWith(gateway.url) || address.startsWith(gateway.url.replace("http", "ws")), address);
      if (process.env.PLAY_PICTURES) await page.screenshot(path.join(process.env.PLAY_PICTURES, `${game}-${road}.png`));
    });
  }
}

/** Forwards datagrams of one browser to a UDP port, until die() is called: the UDP of this network dies then. */
async function relay(t, port) {
  const outer = dgram.createSocket("udp4"), inner = dgram.createSocket("udp4");
  let from, isDead = false;
  outer.on("message", (bytes, sender) => { from = sender; if (!isDead) inner.send(bytes, port, "127.0.0.1"); });
  inner.on("message", (bytes) => { if (!isDead) outer.send(bytes, from.port, from.address); });
  await new Promise((done) => outer.bind(0, "127.0.0.1", done));
  t.after(() => { outer.close(); inner.close(); });
  return { port: outer.address().port, die() { isDead = true; } };
}

test("UDP that dies in play: the page is back on the WebSocket within two seconds, in the same seat", options, async (t) => {
  const server = await startServer(t, "arena"), port = await freePort("udp"), udp = await relay(t, port);
  const gateway = await startGateway(t, "arena", [server], "--rtc-port", String(port), "--public-rtc-port", String(udp.port));
  const page = await open(t, gateway.url);
  await page.until("play.phase === 'playing' && play.link.kind === 'WebRTC'");
  const { seat } = await page.evaluate("play.client.session");
  const before = await page.figures();
  udp.die();
  const began = performance.now();
  await page.until("play.link.kind === 'WebSocket'", 10_000);
  const moved = performance.now() - began;
  await page.until(`play.client.figures.snapshots > ${before.snapshots + 30}`);
  t.diagnostic(`back after ${moved.toFixed(0)} ms`);
  assert.ok(moved < 2500, `${moved} ms`);
  const session = await page.evaluate("play.client.session");
  assert.equal(session.seat, seat);
  assert.equal(session.number, 1);
  assert.equal((await page.figures()).hashes_wrong, 0);
});

test("a gateway that is killed and comes back: the page goes on in its seat", options, async (t) => {
  const server = await startServer(t, "arena"), port = String(await freePort("tcp"));
  const first = await startGateway(t, "arena", [server], "--port", port);
  const page = await open(t, first.url);
  await page.phase("playing");
  const { seat } = await page.evaluate("play.client.session");
  await first.stop("SIGKILL");
  await page.until("play.link.kind === ''");
  await startGateway(t, "arena", [server], "--port", port);
  await page.until("play.link.kind !== '' && play.phase === 'playing'");
  const { snapshots } = await page.figures();
  await page.until(`play.client.figures.snapshots > ${snapshots + 10}`);
  assert.equal((await page.evaluate("play.client.session")).seat, seat);
});

test("a reload goes on in its seat, a copy of the tab does not, and a page that is closed says goodbye", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, gateway.url);
  await page.phase("playing");
  const { seat } = await page.evaluate("play.client.session");
  const stored = await page.until("sessionStorage.getItem(Object.keys(sessionStorage)[0])");
  await page.evaluate("window.isBefore = true; location.reload(), 0");
  await page.until("!window.isBefore && play.phase === 'playing' && play.frames > 5");
  assert.equal((await page.evaluate("play.client.session")).seat, seat);
  const copy = await open(t, gateway.url, { before: `sessionStorage.setItem("tickbox /", ${JSON.stringify(stored)})` });
  await copy.phase("playing");
  assert.notEqual((await copy.evaluate("play.client.session")).seat, seat);
  assert.equal(await page.evaluate("play.phase"), "playing");
  await page.send("Page.navigate", { url: "about:blank" });
  await until(() => /session_closed .*seat=0 .*reason=client_left/.test(server.log), "the server hears the goodbye");
});

test("a tab in the background says that it is paused, and goes on when it is seen again", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, gateway.url);
  await page.phase("playing");
  const { seat } = await page.evaluate("play.client.session");
  await hide(page, true);
  assert.equal(await page.said(), "paused");
  await page.send("Page.setWebLifecycleState", { state: "frozen" });
  await sleep(8000);
  await page.send("Page.setWebLifecycleState", { state: "active" });
  await hide(page, false);
  await page.phase("playing");
  await page.until("document.querySelector('#card').hidden");
  assert.equal((await page.evaluate("play.client.session")).seat, seat);
  assert.equal((await page.figures()).hashes_wrong, 0);
});

/** Lets a page take itself for hidden, or for seen. */
const hide = (page, isHidden) => page.evaluate(`Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} }); document.dispatchEvent(new Event("visibilitychange")), 0`);

// Once, a page that was hidden at its end said "paused" or "connecting" and had no button.
test("a tab that comes back says what its phase means", options, async (t) => {
  const server = await startServer(t, "arena", "--max-clients", "1"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, gateway.url);
  await page.phase("playing");
  const background = await open(t, gateway.url, { before: `Object.defineProperty(document, "hidden", { configurable: true, value: true })` });
  await background.phase("refused");
  assert.equal(await background.evaluate("play.link.kind"), "", "a link is not kept for a card");
  for (const isHidden of [false, true, false]) {
    await hide(background, isHidden);
    assert.match(await background.said(), /full/);
    assert.equal(await background.evaluate("document.querySelector('#card button').textContent"), "Try again");
  }
  await server.stop();
  await page.phase("ended");
  for (const isHidden of [true, false]) {
    await hide(page, isHidden);
    assert.match(await page.said(), /stopping/);
    assert.equal(await page.evaluate("document.querySelector('#card button').textContent"), "Play again");
  }
});

// Once, a reload forgot the settings of the address, and took the ticket to the gateway's first server.
test("a reload goes to the server of its ticket, and keeps the settings", options, async (t) => {
  const first = await startServer(t, "arena"), second = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [first, second]);
  const page = await open(t, `${gateway.url}#server=${second.address}&road=ws`);
  await page.phase("playing");
  await page.until("sessionStorage.length === 1");
  // As after a hand-over, from a server that the address does not name.
  await page.evaluate("window.isBefore = true; history.replaceState(null, '', '#road=ws'), location.reload(), 0");
  await page.until("!window.isBefore && play.phase === 'playing' && play.frames > 5");
  await until(() => /session_resumed|resumed/.test(second.log), "the second server resumes it");
  assert.doesNotMatch(first.log, /session_opened/);
  assert.equal(await page.evaluate("location.hash"), "#road=ws");
  assert.equal(await page.evaluate("play.link.mayMove"), false);
});

/** Forwards TCP connections to a port. hang() lets those that are open pass nothing more; `isDeaf`: new ones do not either.
 *  stall() lets nothing pass for a time, and then all of it. */
async function relayTcp(t, port) {
  const sockets = new Set(), made = { isDeaf: false, hang: () => sockets.forEach((socket) => socket.unpipe().pause()), async stall(ms) {
    sockets.forEach((socket) => socket.pause());
    await sleep(ms);
    sockets.forEach((socket) => socket.resume());
  } };
  const server = net.createServer((outer) => {
    const inner = net.connect(port, "127.0.0.1");
    for (const socket of [outer, inner]) socket.on("error", () => {}).on("close", () => sockets.delete(socket)) && sockets.add(socket);
    if (!made.isDeaf) outer.pipe(inner).pipe(outer);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => { sockets.forEach((socket) => socket.destroy()); server.close(); });
  return Object.assign(made, { port: server.address().port });
}

// Once, only WebRTC was watched, and a WebSocket that did not open was waited for until TCP gave up.
test("a WebSocket that passes nothing is replaced, and one that does not open is given up", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const relayed = await relayTcp(t, new URL(gateway.url).port), page = await open(t, `http://127.0.0.1:${relayed.port}/#road=ws`);
  await page.phase("playing");
  const { seat } = await page.evaluate("play.client.session");
  for (const isDeaf of [false, true]) {
    const { snapshots } = await page.figures();
    relayed.isDeaf = isDeaf;
    relayed.hang();
    setTimeout(() => { relayed.isDeaf = false; }, 4500);
    await page.until(`play.client.figures.snapshots > ${snapshots + 60} && play.phase === "playing"`);
  }
  assert.equal((await page.evaluate("play.client.session")).seat, seat);
});

// Once, such a page confirmed with its next input alone, a minute later. The gateway sent nothing until then, and the server
// ended the session.
test("a page in the background whose road has stalled plays on, however late its timers are", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const relayed = await relayTcp(t, new URL(gateway.url).port);
  const page = await open(t, `http://127.0.0.1:${relayed.port}/#road=ws`, { before: `window.least = 0;
    { const { setTimeout } = window; window.setTimeout = (run, ms) => setTimeout(run, Math.max(least, ms)); }` });
  await page.phase("playing");
  await hide(page, true);
  await page.evaluate("least = 60000");
  await relayed.stall(1500);
  const { snapshots } = await page.figures();
  await page.until(`play.client.figures.snapshots > ${snapshots + 60}`, 20_000);
  assert.doesNotMatch(server.log, /timed_out/);
});

// Once, only a frame stored the ticket, and a tab in the background has none: the ticket stayed that of the server before.
test("after a hand-over in the background the tab has the ticket of the next server", options, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "play-")), [keys, file] = ["keys", "admin"].map((name) => path.join(folder, name));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  fs.writeFileSync(file, "a-token-of-this-test", { mode: 0o600 });
  const words = ["--key-file", keys, "--create-key", "--admin-token-file", file, "--max-clients", "4"];
  const first = await startServer(t, "arena", ...words), second = await startServer(t, "arena", ...words), gateway = await startGateway(t, "arena", [first, second]);
  const token = execFileSync(path.join(BIN, "tickbox"), ["token", "issue", "--key-file", keys, "--client", "7", "--server", first.address, "--expires", "60s", "--out", "-"], { encoding: "utf8" }).trim();
  const page = await open(t, `${gateway.url}#token=${token}`, { before: "window.requestAnimationFrame = () => 0" });
  await page.phase("playing");
  const { seat } = await page.evaluate("play.client.session");
  const drained = await fetch(`http://${first.ready.admin}/drain?to=${second.address}&admin=${second.ready.admin}`, { method: "POST", headers: { Authorization: "Bearer a-token-of-this-test" } });
  assert.ok(drained.ok, await drained.text());
  await page.until(`JSON.parse(sessionStorage.getItem("tickbox /")).address === "${second.address}" && play.client.session.number === 2 && play.phase === "playing"`);
  assert.equal((await page.evaluate("play.client.session")).seat, seat);
  assert.equal((await page.figures()).hashes_wrong, 0);
});

// Once, the page asked the server that was gone for the seat, again and again, until the tab was closed.
test("a ticket of a server that the gateway does not list any more gives way to another server", options, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "play-")), list = path.join(folder, "servers");
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const first = await startServer(t, "arena"), second = await startServer(t, "arena");
  fs.writeFileSync(list, `${first.address}\n${second.address}\n`);
  const gateway = await startGateway(t, "arena", [], "--to-file", list), page = await open(t, gateway.url);
  await page.phase("playing");
  await first.stop("SIGKILL");
  fs.writeFileSync(list, `${second.address}\n`);
  gateway.child.kill("SIGHUP");
  await until(() => /servers_reloaded/.test(gateway.log), "the gateway reads the list");
  await page.evaluate("window.isBefore = true; location.reload(), 0");
  await page.until("!window.isBefore && play.phase === 'playing'");
  await until(() => /session_opened/.test(second.log), "the second server has it");
});

// Once, the page said how many KB had arrived, and not of how many.
test("the page says how much of the game is there, and of a turn that comes when a player waits for it", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, "about:blank", { before: `window.said = []; setInterval(() => { const text = document.querySelector("#card p")?.textContent; if (said.at(-1) !== text) said.push(text); }, 5);` });
  await page.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: 300_000, uploadThroughput: 300_000 });
  await page.send("Page.navigate", { url: gateway.url });
  await page.phase("playing");
  const said = await page.evaluate("said"), parts = said.map((text) => Number(/^loading, (\d+) %$/.exec(text)?.[1] ?? NaN)).filter((part) => part >= 0);
  assert.ok(parts.length > 5 && parts.every((part, i) => part <= 100 && (i === 0 || part > parts[i - 1])), said.join("; "));
  assert.ok(!said.includes("Wait a moment: your turn comes."), said.join("; "));
  await page.evaluate(`Object.defineProperty(play.client, "phase", { get: () => "loading" })`);
  await page.until("/^Wait a moment/.test(document.querySelector('#card p').textContent) && !document.querySelector('#card').hidden");
});

// Once, an offer that the gateway refused for its rate was the last one.
test("WebRTC is tried again after an offer that fails", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, gateway.url, { before: `{
    const { fetch, setTimeout } = window;
    let isFirst = true;
    window.fetch = (url, how) => (how?.method === "POST" && isFirst ? (isFirst = false, Promise.resolve(new Response("", { status: 429 }))) : fetch(url, how));
    window.setTimeout = (run, ms) => setTimeout(run, ms === 20000 ? 1000 : ms);
  }` });
  await page.until("play.link.kind === 'WebRTC' && play.phase === 'playing'");
});

// Once, the page named the server to the new gateway by its place in the list of the old one.
test("a gateway with another list takes the place of one: the page goes on in its seat", options, async (t) => {
  const other = await startServer(t, "arena"), server = await startServer(t, "arena"), port = String(await freePort("tcp"));
  const first = await startGateway(t, "arena", [other, server], "--port", port);
  const page = await open(t, `${first.url}#server=${server.address}`);
  await page.phase("playing");
  const { seat } = await page.evaluate("play.client.session");
  await first.stop("SIGKILL");
  await startGateway(t, "arena", [server], "--port", port);
  const { snapshots } = await page.figures();
  await page.until(`play.client.figures.snapshots > ${snapshots + 10} && play.phase === 'playing'`);
  assert.equal((await page.evaluate("play.client.session")).seat, seat);
});

/** A server with keys; `issue(client, expires)` returns a token for it. */
async function startWithKeys(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "play-")), keys = path.join(folder, "keys");
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const server = await startServer(t, "arena", "--key-file", keys, "--create-key");
  server.issue = (client, expires) => execFileSync(path.join(BIN, "tickbox"), ["token", "issue", "--key-file", keys, "--client", String(client),
    "--server", server.address, "--expires", expires, "--out", "-"], { encoding: "utf8" }).trim();
  return server;
}

test("a token admits once, and leaves the address; a sentence says, once, that one is used, late or missing", options, async (t) => {
  const server = await startWithKeys(t), gateway = await startGateway(t, "arena", [server]), token = server.issue(7, "60s"), late = server.issue(8, "1s");
  const page = await open(t, `${gateway.url}#token=${token}`);
  await page.phase("playing");
  assert.equal(await page.evaluate("location.hash"), "");
  await until(() => /session_opened .*client=7 /.test(server.log), "the server says for whom");
  await sleep(1500);
  for (const [hash, why] of [[`#token=${token}`, /new link.*has been used/], [`#token=${late}`, /new link.*expired/], ["", /new link.*needs a token/], ["#token=nonsense", /token/]]) {
    const other = await open(t, gateway.url + hash);
    await other.until(`/token/.test(document.querySelector('#card').textContent)`);
    assert.match(await other.said(), why);
    const sent = await other.evaluate("play.client?.figures.bytes_up ?? 0");
    await sleep(1500);
    assert.equal(await other.evaluate("play.client?.figures.bytes_up ?? 0"), sent, "nothing is tried by itself");
  }
  assert.equal(await page.evaluate("play.phase"), "playing");
});

// Once, the page waited for ten seconds before it connected, and took no token after that.
for (const ms of [0, 11_000]) test(`the page around gives the token, ${ms ? "late" : "at once"}, to an origin that the gateway names, and to no other`, options, async (t) => {
  const server = await startWithKeys(t), token = server.issue(9, "60s");
  let gateway = null;
  const site = http.createServer((request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(`<iframe src="${gateway.url}" width="900" height="600"></iframe><script>
      window.asked = 0;
      addEventListener("message", ({ source, origin, data }) => {
        if (origin + "/" !== "${gateway.url}" || data.tickbox !== "token") return;
        ++window.asked;
        setTimeout(() => source.postMessage({ token: "${token}" }, origin), ${ms});
      });</script>`);
  });
  await new Promise((done) => site.listen(0, "127.0.0.1", done));
  t.after(() => { site.closeAllConnections(); site.close(); });
  const origin = `http://localhost:${site.address().port}`;
  gateway = await startGateway(t, "arena", [server], "--origin", origin);
  const page = await open(t, origin);
  await until(() => /session_opened .*client=9 /.test(server.log), "the frame plays");
  assert.equal(await page.evaluate("window.asked"), 1);
});

// Once, the page gave the gateway's first server's address with each token.
test("a token leads to its own server", options, async (t) => {
  const other = await startServer(t, "arena"), server = await startWithKeys(t), gateway = await startGateway(t, "arena", [other, server]);
  const page = await open(t, `${gateway.url}#token=${server.issue(7, "60s")}`);
  await page.phase("playing");
  await until(() => /session_opened .*client=7 /.test(server.log), "the server of the token has it");
});

// Once, the picture stood still, without a word, and threw sixty errors a second.
test("a client that fails: the page says so once, and stops", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, gateway.url);
  await page.phase("playing");
  await page.evaluate("play.client.step = () => { throw new Error('the client has failed: an assertion'); }, 0");
  await page.until("document.querySelector('#card button')?.textContent === 'Reload'");
  assert.match(await page.said(), /^The client has failed/);
  await sleep(500);
  assert.equal(page.errors.length, 1);
  assert.equal(await page.evaluate("play.link.kind"), "");
});

// Once, such a browser said goodbye at a reload, and a player with a token could not come back.
test("a reload goes on in its seat where the browser has no Navigation API, also in the background", options, async (t) => {
  const server = await startWithKeys(t), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, `${gateway.url}#token=${server.issue(7, "60s")}`, { before: `Object.defineProperty(window, "navigation", { value: undefined });
    Object.defineProperty(document, "hidden", { configurable: true, value: true });
    window.requestAnimationFrame = () => 0;` });
  await page.phase("playing");
  await page.until("sessionStorage.length === 1", 1000);
  const { seat } = await page.evaluate("play.client.session");
  await page.evaluate("window.isBefore = true; location.reload(), 0");
  await page.until("!window.isBefore && play.phase === 'playing'");
  assert.equal((await page.evaluate("play.client.session")).seat, seat);
  assert.doesNotMatch(server.log, /client_left/);
});

// Once, these were an error of JavaScript, "You need a new link", or an option of the command line.
test("what does not work is said in the words of a player", options, async (t) => {
  const server = await startServer(t, "arena"), locked = await startWithKeys(t), bomber = await startServer(t, "bomber");
  const [gateway, closed, other] = [await startGateway(t, "arena", [server]), await startGateway(t, "arena", [locked]), await startGateway(t, "arena", [bomber])];
  const answer = (text) => `{ const { fetch } = window; window.fetch = (url, how) => (url === "gateway" ? ${text} : fetch(url, how)); }`;
  for (const [url, before, why, way] of [
    [gateway.url, answer(`Promise.resolve(new Response('{"servers":[],"origins":[]}'))`), /^There is no server now[.]$/, "Reload"],
    [gateway.url, answer(`Promise.reject(new TypeError("Failed to fetch"))`), /^The game cannot be reached now[.]$/, "Reload"],
    [gateway.url, "{ const { now } = Date; Date.now = () => now() + 3600_000; }", /^The clock of this computer is wrong[.]$/, "Try again"],
    [closed.url, "", /^You need a new link: get it where you got this one .this server needs a token.[.]$/, "Go back"],
    [`${gateway.url}#token=nonsense`, "", /^You need a new link: .*damaged.[.]$/, "Reload"],
    [other.url, "", /^The server plays another version of the game[.]$/, "Reload"],
  ]) {
    const page = await open(t, url, { before });
    await page.until(`${why}.test(document.querySelector("#card p").textContent)`);
    assert.equal(await page.evaluate("document.querySelector('#card button')?.textContent ?? ''"), way);
  }
});

// Once, the link was made again four times a second, each time with another copy of the report.
test("a report of a wrong hash is offered by one link, which stays", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, gateway.url);
  await page.phase("playing");
  await page.evaluate(`{
    const { client } = play, reports = ["the first", "", "", "the second"], of = client.figures;
    Object.defineProperty(client, "desync", { get: () => reports.shift() ?? "" });
    Object.defineProperty(client, "figures", { get: () => ({ ...of, hashes_wrong: 1 }) });
    document.querySelector("#figures").open = true;
  }`);
  const link = "document.querySelector('#figures a:not([hidden])')";
  await page.until(`window.link = ${link}`);
  const first = await page.evaluate("link.href");
  await page.until(`link.href !== ${JSON.stringify(first)}`);
  assert.equal(await page.evaluate(`link === ${link}`), true);
});

test("a server that starts again: the page says so, and a button plays on", options, async (t) => {
  const port = String(await freePort("udp")), first = await startServer(t, "arena", "--port", port), gateway = await startGateway(t, "arena", [first]);
  const page = await open(t, gateway.url);
  await page.phase("playing");
  await first.stop();
  await page.until("play.phase !== 'playing'");
  await startServer(t, "arena", "--port", port);
  await page.until("play.phase === 'playing' || !document.querySelector('#card button')?.click()");
});

test("a match that ends: the page plays the next one by itself", options, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "play-")), file = path.join(folder, "admin");
  t.after(() => fs.rmSync(folder, { recursive: true }));
  fs.writeFileSync(file, "a-token-of-this-test", { mode: 0o600 });
  const server = await startServer(t, "arena", "--rooms", "2", "--admin-token-file", file), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, gateway.url);
  await page.phase("playing");
  await page.evaluate("play.told.push({ tick: 1e9, text: 'an event of this match', seat: 0 })");
  const [, room] = /session_opened room=(\d+)/.exec(server.log);
  const closed = await fetch(`http://${server.ready.admin}/rooms/${room}`, { method: "DELETE", headers: { Authorization: "Bearer a-token-of-this-test" } });
  assert.ok(closed.ok, await closed.text());
  await page.until("play.client.session.matches_ended === 1 && play.phase === 'playing'");
  await page.until("document.querySelector('#card').hidden && play.isFramed");
  assert.match(server.log, new RegExp(`session_opened room=${3 - room}`));
  assert.doesNotMatch(await page.evaluate("JSON.stringify(play.told)"), /of this match/);
  assert.equal((await page.figures()).hashes_wrong, 0);
});

// Once, a key that came up while Ctrl was down stayed down, and so did what a gamepad held when it went.
test("what a person lets go of comes up: keys beside Ctrl or on a summary, the sticks of a gamepad, a gamepad that is gone", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, gateway.url, { before: "window.pads = []; navigator.getGamepads = () => pads;" });
  await page.until("play.phase === 'playing' && play.isFramed && play.frames > 5");
  await page.evaluate(`for (const name of ["key", "input"]) {
    const { client } = play, call = client[name];
    window.held = {};
    client[name] = (what, value) => { held[what] = Number(value); return call.call(client, what, value); };
  }`);
  await key(page, "w", true);
  await key(page, "w", false, 2);
  assert.equal(await page.evaluate("held.w"), 0);
  await key(page, "s", true, 2);
  assert.equal(await page.evaluate("held.s"), undefined, "a shortcut of the browser");
  await page.evaluate("document.querySelector('summary').focus()");
  await key(page, "a", true);
  await key(page, " ", true);
  assert.equal(await page.evaluate("held.a === 1 && !('space' in held)"), true);
  await key(page, "a", false);
  await key(page, " ", false);
  const pad = (...axes) => page.evaluate(`pads = [{ connected: true, index: 0, axes: ${JSON.stringify(axes)}, buttons: [] }], 0`);
  const { aim, button } = await page.evaluate(`(({ fields }) => ({ aim: fields.find(({ name }) => name === "aim"), button: fields.find(({ form }) => form === "press" || form === "flag") }))(play.declared.input)`);
  for (const letGo of [() => pad(0, 0, 0, 0), () => page.evaluate("pads = [], 0")]) {
    await pad(1, 0, 0, 1);
    await page.until(`held.d === 1 && held[${aim.first}] > ${aim.min} && held[${button.first}] === 1`);
    await letGo();
    await page.until(`held.d === 0 && held[${aim.first}] === ${aim.min} && held[${button.first}] === 0`);
  }
  assert.deepEqual(page.errors, []);
});

// Once, each frame failed where a page around this one does not allow gamepads.
test("a page that may not read gamepads plays without them, and asks once", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, gateway.url, { before: `window.asked = 0;
    navigator.getGamepads = () => { ++asked; throw new DOMException("disallowed by permissions policy", "SecurityError"); };` });
  await page.until("play.phase === 'playing' && play.frames > 20");
  assert.equal(await page.evaluate("asked"), 1);
  assert.deepEqual(page.errors, []);
});

test("fingers play: the stick moves, on a small screen in daylight", options, async (t) => {
  const server = await startServer(t, "arena"), gateway = await startGateway(t, "arena", [server]);
  const page = await open(t, "about:blank", { width: 390, height: 844, colours: "light" });
  await page.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  await page.send("Page.navigate", { url: gateway.url });
  await page.phase("playing");
  await page.until("play.isFramed && !document.querySelector('#stick').hidden");
  const at = () => page.evaluate("play.client.camera"), before = await at();
  const { x, y, width } = await page.evaluate("document.querySelector('#stick').getBoundingClientRect().toJSON()");
  const touch = (type, ...points) => page.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  let moved = 0;  // there and back
  for (const way of [1, -1]) {
    await touch("touchStart", { x: x + width / 2, y: y + width / 2 });
    await touch("touchMove", { x: x + width * (0.5 + 0.45 * way), y: y + width / 2 });
    await sleep(1200);
    if (process.env.PLAY_PICTURES) await page.screenshot(path.join(process.env.PLAY_PICTURES, "touch.png"));
    await touch("touchEnd");
    const after = await at();
    moved = Math.max(moved, Math.abs(after.x - before.x) + Math.abs(after.y - before.y));
  }
  assert.ok(moved > 0.2, `${moved}`);
  assert.deepEqual(page.errors, []);
});
