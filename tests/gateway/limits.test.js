// Each limit of the gateway, by a browser that tries to get more; and what a player beside it notices.
"use strict";

const assert = require("node:assert/strict"), dgram = require("node:dgram"), fs = require("node:fs"), http = require("node:http"), net = require("node:net");
const os = require("node:os"), path = require("node:path"), test = require("node:test");
const { spawn } = require("node:child_process"), { once } = require("node:events");
const { ACCEPT, CONNECT, COOKIE, GATEWAY, HELLO, INPUT, PeerBrowser, SNAPSHOT, WebSocketBrowser, fakeServer, makeOffer, post, sleep, startGateway, until } = require("./support.js");
const { prefixOf } = require(`${GATEWAY}/links.js`), { plainOffer } = require(`${GATEWAY}/roads.js`);

/** Plays beside an attack: 60 inputs a second. `isUnhurt()` ends that: most of them came back. */
async function playBeside(t, gateway, Kind = PeerBrowser, as = {}) {
  const player = await (await Kind.open(t, gateway, as)).join();
  let sent = 0;
  const timer = setInterval(() => player.send(INPUT, `beside ${++sent}`), 1000 / 60);
  t.after(() => clearInterval(timer));
  return { player, async isUnhurt() {
    clearInterval(timer);
    await sleep(200);
    const share = player.got.filter((bytes) => bytes[0] === SNAPSHOT).length / sent;
    assert.ok(share > 0.8, `${share} of the inputs beside it came back`);  // the attack is in this process too
  } };
}

test("a browser sends at most 300 datagrams and 200 kB a second", async (t) => {
  for (const [size, most] of [[10, 300], [1199, 200_000 / 1201]]) {
    const server = await fakeServer(t), gateway = await startGateway(t, [server]);
    const beside = await playBeside(t, gateway), browser = await (await WebSocketBrowser.open(t, gateway)).join();
    const count = () => server.got.filter((bytes) => bytes[1] === 120).length;
    const began = performance.now();
    for (let i = 0; i < 900; ++i) {
      browser.send(INPUT, "x".repeat(size));
      if (i % 50 === 0) await sleep(2);
    }
    browser.socket.ping();  // which ends the link, after all of them
    await browser.closed;
    const passed = 900 - (await gateway.figure('dropped_total{direction="up",reason="rate"}'));
    const allowed = most * (1 + (performance.now() - began) / 1000);
    assert.ok(passed >= most * 0.9 && passed <= allowed && count() <= passed, `${passed} datagrams of ${size} bytes; ${allowed} may pass`);
    await beside.isUnhurt();
  }
});

// A server opens 512 CONNECTs a second of one network, and the gateway is one. 32 browsers that no server has accepted sent 5,300.
test("datagrams that open a session: 20 a second of a browser, 128 of a prefix, so that a newcomer's is among them", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--trust-proxy"]);
  const beside = await playBeside(t, gateway, PeerBrowser, { forwarded: "192.0.2.1" });
  const count = (text) => server.got.filter((bytes) => bytes.subarray(1).toString() === text).length;
  const flood = async (browsers, type, text, ms) => {
    const began = performance.now();
    for (; performance.now() - began < ms; await sleep(25)) for (const each of browsers) each.send(type, text);
    return (performance.now() - began) / 1000;
  };
  const stranger = await WebSocketBrowser.open(t, gateway, { forwarded: "192.0.2.2" });
  const alone = await flood([stranger], INPUT, "alone", 1500);
  assert.ok(count("alone") >= 20 && count("alone") <= 21 + 20 * alone, `${count("alone")} of a browser that is not accepted, in ${alone} s`);
  const player = await (await WebSocketBrowser.open(t, gateway, { forwarded: "192.0.2.2" })).join();
  const again = await flood([player], CONNECT | 0x40, "again", 1500);
  assert.ok(count("again") >= 20 && count("again") <= 21 + 20 * again, `${count("again")} of a browser that plays, in ${again} s`);

  const crowd = [];
  for (let i = 0; i < 32; ++i) crowd.push(await WebSocketBrowser.open(t, gateway, { forwarded: "203.0.113.1" }));
  server.accepts = false;
  const all = flood(crowd, CONNECT, "crowd", 2000);
  await sleep(1000);
  server.accepts = true;
  await (await WebSocketBrowser.open(t, gateway, { forwarded: "198.51.100.1" })).join();
  const took = await all;
  assert.ok(count("crowd") >= 128 && count("crowd") <= 129 + 128 * took, `${count("crowd")} of a prefix in ${took} s`);
  await beside.isUnhurt();
});

test("a browser that floods is cut, by either road", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server]);
  const beside = await playBeside(t, gateway), browser = await WebSocketBrowser.open(t, gateway);
  for (let i = 0; i < 5000; ++i) browser.send(HELLO);
  assert.deepEqual(await browser.closed, [1008, "flood"]);
  const peer = await PeerBrowser.open(t, gateway);
  for (let i = 0; i < 100 && !peer.isClosed; ++i) {
    for (let j = 0; j < 200 && !peer.isClosed; ++j) peer.send(HELLO);
    await sleep(10);
  }
  await until(async () => (await gateway.figure('closed_total{reason="flood"}')) === 2, "the second cut");
  await beside.isUnhurt();
});

test("messages that are too long, or make no sense, end the browser's own link alone", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server]);
  const beside = await playBeside(t, gateway, WebSocketBrowser);
  const cases = {
    "too long": [(socket) => socket.send(Buffer.alloc(1204)), 1009],
    "a text": [(socket) => socket.send("hello"), 1008],
    "a byte": [(socket) => socket.send(Buffer.alloc(1)), 1008],
    "more confirmed than sent": [(socket) => socket.send(Buffer.from([9, 0, 0, HELLO])), 1008],
    "a ping": [(socket) => socket.ping(), 1006],
    "a pong": [(socket) => socket.pong(), 1006],
    "fragments": [(socket) => { for (let i = 0; i < 20; ++i) socket.send(Buffer.alloc(1), { fin: false }); }, 1008],
    "no WebSocket": [(socket) => socket._socket.write(Buffer.alloc(64, 0xff)), 1002],
  };
  for (const [name, [attack, code]] of Object.entries(cases)) {
    const browser = await WebSocketBrowser.open(t, gateway);
    attack(browser.socket);
    assert.equal((await browser.closed)[0], code, name);
  }
  const malformed = () => gateway.figure('closed_total{reason="malformed"}'), before = await malformed();
  const greedy = await PeerBrowser.open(t, gateway), large = await PeerBrowser.open(t, gateway);
  large.channel.sendMessageBinary(Buffer.alloc(200_000));
  large.channel.sendMessage("a text");
  greedy.peer.createDataChannel("another one");
  await until(async () => greedy.isClosed && (await malformed()) === before + 1, "the end of a peer with two channels");
  assert.ok(server.got.every((bytes) => bytes.length <= 1200));
  await beside.isUnhurt();
});

test("a place is taken when the server accepts the browser, and not before", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--players", "2"], { pendingMs: 2500 });
  const strangers = await Promise.all([1, 2, 3, 4].map(() => WebSocketBrowser.open(t, gateway)));
  for (const stranger of strangers) stranger.send(HELLO);
  await until(() => strangers.every(({ got }) => got.some((bytes) => bytes[0] === COOKIE)), "cookies");
  assert.equal(await gateway.figure('links{state="playing"}'), 0);
  const players = [await (await WebSocketBrowser.open(t, gateway)).join(), await (await PeerBrowser.open(t, gateway)).join()];
  const late = await WebSocketBrowser.open(t, gateway);
  assert.deepEqual(await late.closed, [1013, "full"]);
  assert.equal((await post(gateway, JSON.stringify({ offer: (await makeOffer(t)).sdp }))).status, 503);
  strangers[0].send(CONNECT);  // it was here before there were two
  assert.deepEqual(await strangers[0].closed, [1013, "full"]);
  assert.deepEqual(await strangers[1].closed, [1013, "not_accepted"]);
  for (const player of players) await player.echo("unhurt");
});

test("32 of a prefix may play, and the prefix is the last address of X-Forwarded-For behind a proxy alone", async (t) => {
  const server = await fakeServer(t), words = ["--players-per-prefix", "2"];
  const gateway = await startGateway(t, [server], [...words, "--trust-proxy"]);
  const join = async (forwarded) => (await WebSocketBrowser.open(t, gateway, { forwarded })).join();
  await join("203.0.113.1");
  await join("198.51.100.7, 203.0.113.200");
  for (const forwarded of ["203.0.113.77", "198.51.100.1, 203.0.113.5", "::ffff:203.0.113.9"]) {
    assert.deepEqual(await (await WebSocketBrowser.open(t, gateway, { forwarded })).closed, [1013, "prefix_full"], forwarded);
  }
  await join("203.0.113.1, 198.51.100.7");
  await join("2001:db8:1::1");
  await join("2001:0DB8:0001:0002::1");
  assert.deepEqual(await (await WebSocketBrowser.open(t, gateway, { forwarded: "2001:db8:1:ffff::2" })).closed, [1013, "prefix_full"]);
  await join("2001:db8:2::1");

  const direct = await startGateway(t, [server], words);
  for (const forwarded of ["203.0.113.1", "198.51.100.1"]) await (await WebSocketBrowser.open(t, direct, { forwarded })).join();
  assert.deepEqual(await (await WebSocketBrowser.open(t, direct, { forwarded: "192.0.2.1" })).closed, [1013, "prefix_full"], "nobody is asked who is no proxy");
});

test("a prefix of IPv6 is that of the expanded address", () => {
  const cases = { "203.0.113.9": "203.0.113.0/24", "::ffff:203.0.113.9": "203.0.113.0/24", "::ffff:cb00:7109": "203.0.113.0/24", "::1": "0:0:0::/48",
    "2001:db8::1": "2001:db8:0::/48", "2001:DB8:0:1::": "2001:db8:0::/48", "1:2:3:4:5:6:7:8": "1:2:3::/48", "fe80::1%eth0": "fe80:0:0::/48" };
  for (const [address, prefix] of Object.entries(cases)) assert.equal(prefixOf(address), prefix, address);
});

test("32 browsers may be pending; the oldest of the prefix that has the most gives way", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--pending", "3", "--trust-proxy"]);
  const beside = await playBeside(t, gateway, PeerBrowser, { forwarded: "192.0.2.1" });
  const honest = await WebSocketBrowser.open(t, gateway, { forwarded: "192.0.2.1" });
  const crowd = [];
  for (let i = 0; i < 6; ++i) crowd.push(await WebSocketBrowser.open(t, gateway, { forwarded: `203.0.113.${i}` }));
  for (const gone of crowd.slice(0, 4)) assert.deepEqual(await gone.closed, [1013, "gave_way"]);
  await honest.join();
  for (let i = 0; i < 8; ++i) await post(gateway, JSON.stringify({ offer: (await makeOffer(t)).sdp }), { forwarded: "198.51.100.1" });
  assert.equal(await gateway.figure('links{state="pending"}'), 3);
  assert.equal(await gateway.figure('links{state="playing"}'), 2);
  await beside.isUnhurt();
});

test("offers and WebSockets are limited by prefix, and in all", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--opens-per-prefix", "2", "--opens", "4", "--trust-proxy"]);
  const offer = JSON.stringify({ offer: (await makeOffer(t)).sdp });
  const tries = async (count, forwarded) => {
    const all = [];
    for (let i = 0; i < count; ++i) all.push((await post(gateway, offer, { forwarded: forwarded ?? `10.0.${i}.1` })).status);
    return all.filter((status) => status === 429).length;
  };
  const beside = await playBeside(t, gateway, PeerBrowser, { forwarded: "192.0.2.1" });
  assert.ok((await tries(20, "203.0.113.5")) >= 14, "four at once, two a second");
  await assert.rejects(WebSocketBrowser.open(t, gateway, { forwarded: "203.0.113.6" }), /429/);
  assert.ok((await tries(20)) >= 12, "eight at once, four a second");
  await until(async () => (await tries(1, "192.0.2.1")) === 0, "the next second's offer");
  await beside.isUnhurt();
});

// Four prefixes that open all the time use up the rate for all. Who plays moves on, at a rate of its own.
test("a link that shows its secret moves although strangers use up the rates, twice at once", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--opens-per-prefix", "1", "--opens", "1", "--trust-proxy"], { movesPerSecond: 0.01 });
  const as = { forwarded: "192.0.2.1" }, player = await (await WebSocketBrowser.open(t, gateway, as)).join();
  const [secret] = await until(() => player.secrets.length === 1 && player.secrets, "a secret"), { sdp } = await makeOffer(t);
  const tries = setInterval(() => { for (let i = 0; i < 5; ++i) void post(gateway, "{}", { forwarded: `203.0.${i}.1` }).catch(() => {}); }, 20);
  t.after(() => clearInterval(tries));
  await until(async () => (await gateway.figure('refused_total{reason="rate"}')) > 3, "the end of the rate");
  await assert.rejects(PeerBrowser.open(t, gateway, { forwarded: "198.51.100.1" }), /429/);
  assert.equal((await post(gateway, JSON.stringify({ offer: sdp, secret: "0".repeat(32) }), as)).status, 429, "a wrong secret is a try as others are");
  const channel = await PeerBrowser.open(t, gateway, { ...as, secret });
  await channel.echo("moved");
  const back = await WebSocketBrowser.open(t, gateway, { ...as, secret: channel.secret });
  await back.echo("and back");
  const third = await until(() => back.secrets[0], "another secret"), offer = JSON.stringify({ offer: sdp, secret: third });
  assert.equal((await post(gateway, offer, as)).status, 429, "the third is a try as others are");
  clearInterval(tries);
  await until(async () => (await post(gateway, offer, as)).status === 200, "its secret, which is good after the refusal");
});

test("origins: the gateway's own where its host is a number or localhost, and those of --origin", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--origin", "https://play.example.org"]);
  const ask = (origin, host = `127.0.0.1:${gateway.port}`) => new Promise((done, fail) => {
    const request = http.request(`${gateway.base}/rtc`, { method: "POST", headers: { Host: host, ...(origin && { Origin: origin }) } }, (response) => {
      response.resume();
      done(response.statusCode);
    });
    request.on("error", fail);
    request.end("{}");
  });
  const own = gateway.base;
  for (const origin of [own, "https://play.example.org"]) assert.equal(await ask(origin), 400, `${origin} may: the offer is wrong`);
  assert.equal(await ask(`http://localhost:${gateway.port}`, `localhost:${gateway.port}`), 400);
  for (const origin of [undefined, "null", "http://evil.example", `http://127.0.0.1:${gateway.port + 1}`, "http://play.example.org", "https://play.example.org.evil", `${own}.evil`]) {
    assert.equal(await ask(origin), 403, `${origin} may not`);
  }
  assert.equal(await ask("http://evil.example:80", "evil.example:80"), 403, "a name that leads here is not the gateway's own");
  await assert.rejects(WebSocketBrowser.open(t, gateway, { origin: "http://evil.example" }), /403/);
  const shared = await post(gateway, "{}", { origin: "https://play.example.org" });
  assert.equal(shared.headers["access-control-allow-origin"], "https://play.example.org");
  assert.equal((await post(gateway, "{}")).headers["access-control-allow-origin"], undefined);
});

test("an offer that makes no sense is refused, and costs no peer", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server]);
  const { sdp } = await makeOffer(t);
  const wrong = ["", "[]", "null", "{", '{"offer":7}', '{"offer":""}', JSON.stringify({ offer: sdp.replace(/^a=ice-pwd.*$/m, "a=ice-pwd:short") }),
    JSON.stringify({ offer: sdp.replace("m=application", "m=audio") }), JSON.stringify({ offer: sdp.replace(/sha-256 ..:/, "sha-256 zz:") })];
  for (const body of wrong) assert.equal((await post(gateway, body)).status, 400, body.slice(0, 40));
  assert.equal(await gateway.figure('links{state="pending"}'), 0);
  assert.equal((await post(gateway, JSON.stringify({ offer: sdp, secret: "x" }))).status, 403);
  await assert.rejects(post(gateway, "x".repeat(1 << 20)).then(({ status }) => assert.equal(status, 413, "16 KiB at most") ?? Promise.reject(new Error("413"))), /413|ECONNRESET|EPIPE/);
  const plain = plainOffer(sdp.replace("a=mid", "a=candidate:1 1 UDP 1 203.0.113.5 9 typ host\r\na=crypto:1 x\r\na=mid"));
  assert.doesNotMatch(plain, /203\.0\.113|crypto/);
});

test("sockets that only wait: 256 at most, each with a deadline; players are unhurt", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], [], { headersMs: 4000, requestMs: 5000, socketMs: 6000 });
  const beside = await playBeside(t, gateway), other = await playBeside(t, gateway, WebSocketBrowser);
  let closed = 0;
  const sockets = [];
  const connect = (text) => {
    const socket = net.connect(gateway.port, "127.0.0.1", () => { if (text) socket.write(text); });
    socket.on("error", () => {});
    socket.on("close", () => { ++closed; });
    socket.resume();
    t.after(() => socket.destroy());
    sockets.push(socket);
  };
  for (let i = 0; i < 1000; ++i) {
    connect(i % 2 ? "GET / HTTP/1.1\r\nX: " : "");
    if (i % 100 === 99) await sleep(20);  // the kernel queues 511
  }
  await until(() => closed >= 744, "744 of 1,000 gave way, before any deadline", 3000);
  assert.ok((await gateway.figure("sockets")) <= 256);
  assert.equal((await fetch(`${gateway.base}/livez`)).status, 200, "a browser is served meanwhile");
  connect(`POST /rtc HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nOrigin: ${gateway.base}\r\nContent-Length: 9000\r\n\r\n{`);  // and no more
  connect("");
  const busy = sockets.at(-1), timer = setInterval(() => busy.write("GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 200);
  t.after(() => clearInterval(timer));
  await until(() => closed === sockets.length, "the deadlines", 10_000);
  await beside.isUnhurt();
  await other.isUnhurt();
});

test("a WebSocket that does not read, or lies about it, gets half a second of datagrams and no more memory", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server]);
  const beside = await playBeside(t, gateway);
  const silent = await (await WebSocketBrowser.open(t, gateway)).join(), [port] = [...server.from].slice(-1);
  silent.confirms = false;
  const liar = await (await WebSocketBrowser.open(t, gateway)).join(), [liarPort] = [...server.from].slice(-1);
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 60; ++i) {
    server.socket.send(Buffer.alloc(100, SNAPSHOT), port, "127.0.0.1");
    await sleep(25);
  }
  assert.ok(silent.got.length < 50, `${silent.got.length} datagrams in 1.5 s; after the first round trip and half a second none`);
  liar.send(0);  // confirms what has come
  await sleep(50);
  liar.socket._socket.pause();
  let lies = liar.arrived;
  for (let i = 0; i < 12_000; ++i) {
    for (const to of [port, liarPort]) server.socket.send(Buffer.alloc(1200, SNAPSHOT), to, "127.0.0.1");
    if (i % 20 === 19) await sleep(1);
    if (i % 20 === 19 && i > 200) {
      liar.arrived = lies += 10;  // less than have been sent, until the gateway sends no more
      liar.send(0);
    }
  }
  assert.equal(await gateway.figure('closed_total{reason="malformed"}'), 1, "the liar confirms what was not sent");
  assert.ok(silent.got.length <= 258, `${silent.got.length} datagrams that nobody has confirmed`);
  assert.ok((await gateway.figure('dropped_total{direction="down",reason="road"}')) > 4000);
  assert.ok(process.memoryUsage().rss - before < 40e6, `${(process.memoryUsage().rss - before) / 1e6} MB more`);
  silent.confirms = true;
  await silent.echo("reads again");
  await beside.isUnhurt();
});

// The peer is a process of its own, which is stopped in play: it acknowledges nothing any more.
test("a data channel that does not read gets two datagrams, and no more memory", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server]);
  const beside = await playBeside(t, gateway);
  const code = `const { PeerBrowser } = require(${JSON.stringify(`${__dirname}/support.js`)});
    PeerBrowser.open({ after() {} }, { base: "${gateway.base}" }).then((peer) => peer.join()).then(() => console.log("plays"));`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const [port] = [...server.from].slice(-1), before = process.memoryUsage().rss;
  child.kill("SIGSTOP");
  for (let i = 0; i < 6000; ++i) {
    server.socket.send(Buffer.alloc(1200, SNAPSHOT), port, "127.0.0.1");
    if (i % 20 === 19) await sleep(1);
  }
  const dropped = await gateway.figure('dropped_total{direction="down",reason="road"}');
  assert.ok(dropped > 4000, `${dropped} of 6,000 dropped; SCTP itself takes some before it waits`);
  assert.ok(process.memoryUsage().rss - before < 40e6, `${(process.memoryUsage().rss - before) / 1e6} MB more`);
  await beside.isUnhurt();
});

test("a UDP socket of the gateway takes datagrams of its server alone", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server]);
  server.accepts = false;
  const browser = await WebSocketBrowser.open(t, gateway), stranger = dgram.createSocket("udp4");
  t.after(() => stranger.close());
  browser.send(CONNECT);
  const [port] = await until(() => server.from.size && [...server.from], "the browser's socket");
  for (let i = 0; i < 50; ++i) stranger.send(Buffer.from([ACCEPT]), port, "127.0.0.1");
  await browser.echo("of the server");
  assert.ok(browser.got.every(([type]) => type === SNAPSHOT), "nothing of the stranger came");
  assert.equal(await gateway.figure('links{state="playing"}'), 0, "and it opened no place");
});

test("a download that is not read, and a body without an end, are cut; each file is in memory once", async (t) => {
  const files = fs.mkdtempSync(path.join(os.tmpdir(), "gateway-"));
  t.after(() => fs.rmSync(files, { recursive: true }));
  fs.writeFileSync(path.join(files, "large.wasm"), Buffer.alloc(8e6));
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--files", files], { socketMs: 2000 });
  const beside = await playBeside(t, gateway), sockets = [], before = process.memoryUsage().rss;
  for (const head of [...Array(40).fill("GET /large.wasm"), "GET /livez", "PUT /large.wasm", "POST /rtc"]) {
    const socket = net.connect(gateway.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`${head} HTTP/1.1\r\nHost: ${gateway.base.slice(7)}\r\nOrigin: ${gateway.base}\r\n${head.includes("large") && head.startsWith("GET") ? "" : "Content-Length: 1000000000\r\n"}\r\n`);
    socket.pause();
    const timer = setInterval(() => !head.startsWith("GET /large") && socket.writable && socket.write("x".repeat(1000)), 10);
    t.after(() => clearInterval(timer));
    t.after(() => socket.destroy());
    sockets.push(socket);
  }
  await until(async () => (await gateway.figure("sockets")) >= 40, "all downloads");
  assert.ok(process.memoryUsage().rss - before < 100e6, `${(process.memoryUsage().rss - before) / 1e6} MB for 40 downloads of 8 MB`);
  await until(async () => (await gateway.figure("sockets")) === 0, "the end of all of them", 6000);
  await beside.isUnhurt();
});

test("silence ends a link: of the browser, and of its servers", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], [], { silenceMs: 700, serverSilenceMs: 1500 });
  const gone = await (await WebSocketBrowser.open(t, gateway)).join();
  assert.deepEqual(await gone.closed, [1013, "silent"]);
  const left = await (await PeerBrowser.open(t, gateway)).join();
  const timer = setInterval(() => left.send(0), 50);
  t.after(() => clearInterval(timer));
  await until(() => left.isClosed, "the end of a link whose server is gone");
  assert.equal(await gateway.figure('closed_total{reason="server_silent"}'), 1);
  assert.equal(await gateway.figure('links{state="playing"}'), 0);
});

test("garbage at the UDP port of WebRTC does not reach players", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server]);
  const beside = await playBeside(t, gateway), socket = dgram.createSocket("udp4");
  t.after(() => socket.close());
  const binding = Buffer.concat([Buffer.from([0, 1, 0, 8, 0x21, 0x12, 0xa4, 0x42]), Buffer.alloc(12), Buffer.from([0, 6, 0, 4]), Buffer.from("a:bb")]);
  for (let i = 0; i < 20_000; ++i) {
    socket.send([binding, Buffer.alloc(1200, i), Buffer.from([20 + (i % 44), 0xfe, 0xfd])][i % 3], gateway.options["rtc-port"], "127.0.0.1");
    if (i % 200 === 0) await sleep(1);
  }
  await beside.isUnhurt();
  await beside.player.echo("still here");
});
