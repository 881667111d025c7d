// The roads between a browser and a server, and the move from one to the other.
"use strict";

const assert = require("node:assert/strict"), dgram = require("node:dgram"), test = require("node:test");
const { CONNECT, INPUT, PeerBrowser, SNAPSHOT, WebSocketBrowser, fakeServer, makeOffer, post, sleep, startGateway, until } = require("./support.js");

for (const [name, Kind] of [["a WebSocket", WebSocketBrowser], ["a data channel", PeerBrowser]]) {
  test(`datagrams of every size travel both ways by ${name}, unchanged`, async (t) => {
    const server = await fakeServer(t), gateway = await startGateway(t, [server]);
    const browser = await (await Kind.open(t, gateway)).join();
    for (const size of [1, 2, 500, 1198, 1199]) await browser.echo("x".repeat(size));
    assert.equal(server.from.size, 1, "one UDP socket a browser");
    assert.equal(await gateway.figure('links{state="playing"}'), 1);
    browser.write(0, Buffer.concat([Buffer.from([INPUT]), Buffer.alloc(1200)]));  // 1,201 bytes
    browser.write(0, Buffer.alloc(0));
    browser.write(7, Buffer.from([INPUT]));  // no such server
    if (Kind === PeerBrowser) await browser.echo("after");  // a WebSocket with too long a message is closed
    assert.ok(server.got.every((bytes) => bytes.length <= 1200 && bytes.length > 0));
  });
}

test("the answer has the public address as its only candidate, and nothing of the offer's lines but the needed", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--public-address", "192.0.2.9", "--public-address", "2001:db8::9", "--public-rtc-port", "555"]);
  const { sdp } = await makeOffer(t);
  const hostile = sdp.replace("a=setup", "a=candidate:1 1 UDP 2122317823 203.0.113.5 9 typ host\r\na=remote-candidates:1 203.0.113.5 9\r\na=setup");
  const { status, text } = await post(gateway, JSON.stringify({ offer: hostile }));
  assert.equal(status, 200);
  const { answer } = JSON.parse(text);
  assert.match(answer, /^(?:[a-z]=[^\r\n]+\r\n)+$/, "each line as browsers want it");
  assert.deepEqual(answer.match(/^a=candidate.*$/gm).map((line) => line.trim().split(" ").slice(4, 6).join(" ")), ["192.0.2.9 555", "2001:db8::9 555"]);
  assert.doesNotMatch(answer.replace(/^(o=.*|a=candidate.*)$/gm, ""), /203\.0\.113|127\.0\.0\.1/);
});

test("a browser moves from the WebSocket to the channel: one socket, one place, nothing lost on the way", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--players", "1"], { bothRoadsMs: 300 });
  const first = await (await WebSocketBrowser.open(t, gateway)).join();
  const [secret] = await until(() => first.secrets.length === 1 && first.secrets, "a secret");
  assert.match(secret, /^[0-9a-f]{32}$/);
  const channel = await PeerBrowser.open(t, gateway, { secret });
  await channel.echo("by the channel");
  first.send(INPUT, "late on the old road");
  await until(() => channel.got.some((bytes) => String(bytes.subarray(1)) === "late on the old road"), "the old road's last datagram");
  assert.deepEqual(await first.closed, [1000, "moved"]);
  assert.equal(server.from.size, 1);
  assert.equal(await gateway.figure('links{state="playing"}'), 1);

  // And back, when UDP dies in play: by the secret of the answer.
  const back = await WebSocketBrowser.open(t, gateway, { secret: channel.secret });
  await back.echo("by the WebSocket again");
  assert.equal(server.from.size, 1, "no new seat: the server sees the same address");
  await until(() => channel.isClosed, "the end of the channel");
  assert.equal(await gateway.figure('links{state="playing"}'), 1);
  assert.equal(await gateway.figure('moved_total{road="webrtc"}'), 1);
  assert.equal(await gateway.figure('moved_total{road="websocket"}'), 1);
  assert.ok(!gateway.lines.some((line) => line.includes(secret) || line.includes(channel.secret)), "no secret is in the log");
});

// Before the fix, SCTP let datagrams wait for seconds, and the gateway took them for sent.
test("over a channel that loses packets no datagram is late: what SCTP holds up is dropped", async (t) => {
  const relay = dgram.createSocket("udp4");
  await new Promise((done) => relay.bind(0, "127.0.0.1", done));
  let rtcPort = 0, browser = 0, drawn = 7, isLossy = false, isOver = false;
  t.after(() => {
    isOver = true;
    relay.close();
  });
  const draw = () => (drawn = (drawn * 16807) % 2147483647) / 2147483647;
  relay.on("message", (bytes, { port }) => {
    if (port !== rtcPort) browser = port;
    if (isLossy && draw() < 0.05) return;
    setTimeout(() => isOver || relay.send(bytes, port === rtcPort ? browser : rtcPort, "127.0.0.1"), 60 + 40 * draw());
  });
  const server = await fakeServer(t);
  const gateway = await startGateway(t, [server], ["--public-rtc-port", String(relay.address().port)]);
  rtcPort = gateway.options["rtc-port"];
  const player = await (await PeerBrowser.open(t, gateway)).join(), [port] = server.from, delays = [];
  isLossy = true;
  player.take = (bytes) => { if (bytes.length === 1150) delays.push(performance.now() - bytes.readDoubleLE(1)); };
  for (let i = 0; i < 300; ++i) {
    const snapshot = Buffer.alloc(1150, SNAPSHOT);
    snapshot.writeDoubleLE(performance.now(), 1);
    server.socket.send(snapshot, port, "127.0.0.1");
    player.send(INPUT, "x".repeat(40));
    await sleep(16);
  }
  await sleep(300);
  assert.ok(delays.length > 200, `${delays.length} of 300 have arrived`);
  const late = delays.filter((each) => each > 500).length;
  assert.ok(late < 100, `${late} of 300 took more than 500 ms`);
});

test("a WebSocket that breaks comes back by its secret; one that says goodbye is gone", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server]);
  const first = await (await WebSocketBrowser.open(t, gateway)).join();
  first.socket.terminate();
  await sleep(50);
  const second = await WebSocketBrowser.open(t, gateway, { secret: first.secrets[0] });
  await second.echo("here again");
  assert.equal(server.from.size, 1);
  second.socket.close(1001);
  await until(async () => (await gateway.figure('closed_total{reason="left"}')) === 1, "the goodbye");
  const peer = await (await PeerBrowser.open(t, gateway)).join();
  peer.peer.close();
  await until(async () => (await gateway.figure('closed_total{reason="left"}')) === 2, "the goodbye of a channel");
  const third = await WebSocketBrowser.open(t, gateway, { secret: second.secrets[0] });
  assert.deepEqual(await third.closed, [1013, "secret"]);
});

test("a secret is good once, for 10 s after its road was heard, and for the same origin", async (t) => {
  const server = await fakeServer(t), other = "https://other.example";
  const gateway = await startGateway(t, [server], ["--origin", other], { secretMs: 400 });
  const offer = async (secret, as) => (await post(gateway, JSON.stringify({ offer: (await makeOffer(t)).sdp, secret }), as)).status;
  const open = async () => {
    const browser = await (await WebSocketBrowser.open(t, gateway)).join();
    return until(() => browser.secrets[0], "a secret");
  };
  assert.equal(await offer("0".repeat(32)), 403, "an unknown one");
  assert.equal(await offer(7), 400, "no text");
  const used = await open();
  assert.equal(await offer(used), 200);
  assert.equal(await offer(used), 403, "twice");
  assert.equal(await offer(await open(), { origin: other }), 403, "another origin");
  const late = await open();
  await sleep(500);
  assert.equal(await offer(late), 403, "late");
  assert.equal(await gateway.figure('refused_total{reason="secret"}'), 4);
});

test("a move that does not come about leaves the WebSocket as it is, and gives it another secret", async (t) => {
  const server = await fakeServer(t), gateway = await startGateway(t, [server], [], { openMs: 300 });
  const browser = await (await WebSocketBrowser.open(t, gateway)).join();
  const { sdp } = await makeOffer(t);  // whose peer never gets the answer, as where UDP is blocked
  assert.equal((await post(gateway, JSON.stringify({ offer: sdp, secret: browser.secrets[0] }))).status, 200);
  await browser.echo("still here");
  await until(() => browser.secrets.length === 2, "another secret");
  const channel = await PeerBrowser.open(t, gateway, { secret: browser.secrets[1] });
  await channel.echo("moved");
  assert.equal((await post(gateway, JSON.stringify({ offer: sdp }))).status, 200);  // without a WebSocket nothing is left
  await until(async () => (await gateway.figure('closed_total{reason="no_channel"}')) === 1, "the end of an offer alone");
  assert.equal(server.from.size, 1);
});

test("a datagram goes to the server of its index; a hand-over has two sockets, and a server of the file may go", async (t) => {
  const fs = require("node:fs"), os = require("node:os"), path = require("node:path");
  const servers = [await fakeServer(t), await fakeServer(t), await fakeServer(t)];
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "gateway-")), "servers");
  t.after(() => fs.rmSync(path.dirname(file), { recursive: true }));
  fs.writeFileSync(file, `# the next one\n${servers[1].address}\n`);
  const gateway = await startGateway(t, [servers[0]], ["--to-file", file]);
  const listed = async () => (await (await fetch(`${gateway.base}/gateway`)).json()).servers;
  assert.deepEqual(await listed(), servers.slice(0, 2).map(({ address }, index) => ({ index, address })));
  const browser = await (await WebSocketBrowser.open(t, gateway)).join();
  browser.send(CONNECT, "hand-over", 1);
  await until(() => servers[1].got.length === 1, "the other server's datagram");
  assert.equal(servers[0].from.size + servers[1].from.size, 2);

  fs.writeFileSync(file, `${servers[2].address}\n`);
  await until(async () => (await listed()).some(({ address }) => address === servers[2].address), "the changed file");
  assert.deepEqual((await listed()).map(({ index }) => index), [0, 2], "an index keeps its server");
  browser.send(INPUT, "stays", 1);
  await until(() => browser.got.some((bytes) => bytes[0] === SNAPSHOT && String(bytes.subarray(1)) === "stays"), "the removed server's answer");
  const fresh = await WebSocketBrowser.open(t, gateway);
  fresh.send(CONNECT, "too late", 1);
  await sleep(100);
  assert.ok(servers[1].from.size === 1, "no new browser reaches a removed server");
  fs.writeFileSync(file, "nonsense\n");
  await until(() => gateway.lines.some((line) => line.startsWith("servers_not_reloaded")), "a line about the wrong file");
  assert.equal((await listed()).length, 2);
});
