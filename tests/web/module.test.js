// The module alone, without a page: it plays against tickbox-server by UDP, as any client does.
"use strict";

const assert = require("node:assert/strict"), dgram = require("node:dgram"), test = require("node:test");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { BIN, TREE, sleep, startBots, startServer, until } = require("./support.js");

/** A client whose datagrams go by a UDP socket. */
async function play(t, game, options) {
  const { Client } = await import(pathToFileURL(join(TREE, "client/web/page/client.js")));
  const module = await WebAssembly.compile(readFileSync(join(BIN, `${game}-play/play.wasm`)));
  const socket = dgram.createSocket("udp4");
  await new Promise((done) => socket.bind(0, "127.0.0.1", done));
  let timer;
  const client = await Client.make(module, (bytes, to) => {
    const [host, port] = to.split(":");
    socket.send(bytes, Number(port), host);
  });
  const turn = () => {
    clearTimeout(timer);
    timer = setTimeout(turn, client.step());
  };
  socket.on("message", (bytes) => {
    client.receive(bytes);
    turn();
  });
  client.stop = () => {
    clearTimeout(timer);
    socket.close();
    client.stop = () => {};
  };
  t.after(() => client.stop());
  client.open({ address: options.address, ...options });
  turn();
  return client;
}

/** Holds one of the game's keys after the other. */
async function pressKeys(client, seconds) {
  const keys = [...new Set(client.declared.keys.flatMap(({ keys: names }) => names.split("+")))].filter((name) => name !== "r");
  for (const end = performance.now() + seconds * 1000, i = { at: 0 }; performance.now() < end; ++i.at) {
    const key = keys[i.at % keys.length];
    assert.equal(client.key(key, true), true);
    await sleep(150);
    client.key(key, false);
    client.rows(60);
  }
}

for (const game of ["arena", "bomber", "platformer"]) {
  test(`the module plays ${game} by keys and verifies every hash`, async (t) => {
    const server = await startServer(t, game);
    startBots(t, server, "--clients", "4");
    const client = await play(t, game, { address: server.address });
    await until(() => client.phase === "playing", "it plays");
    assert.equal(client.declared.game, game);
    const { seat, tick_rate: rate } = client.session;
    assert.ok(client.walls.length > 3);
    const own = () => {
      const rows = client.rows(rate);
      for (let at = 0; at < rows.length; at += 12) if (rows[at + 3] === seat && rows[at + 11] & 1) return [rows[at + 4], rows[at + 5]];
      return null;
    };
    const from = await until(own, "the own body is shown");
    assert.match(client.label, { arena: /^$/, platformer: /^$/, bomber: /^\d+ men began|^The next|won the round$/ }[game]);
    await pressKeys(client, 6);
    for (const { text, type } of client.events) assert.match(text, { Hit: /^(You|P\d+) hit (you|P\d+)$/, Burnt: /blew up$|burnt/ }[client.declared.events[type].name] ?? /^/);
    const figures = client.figures;
    t.diagnostic(JSON.stringify({ game, memory: client.memoryBytes, ...figures }));
    assert.ok(figures.hashes_checked > 50);
    assert.equal(figures.hashes_wrong, 0);
    assert.ok(figures.predictions > 20);
    // The server replaces an input that comes late. The views between that and the correction, a few, show another body.
    const wrong = figures.predictions - figures.predictions_exact;
    assert.ok(wrong <= Math.max(3 * figures.inputs_late, 0.02 * figures.predictions), `${wrong} of ${figures.predictions}, ${figures.inputs_late} late`);
    assert.ok(client.camera.halfWidth > 1);
    for (const each of client.seats) assert.equal(each.values.length, client.declared.seat.fields.reduce((sum, { count }) => sum + count, 0));
    assert.notDeepEqual(own(), from);
  });
}

test("a key that the game does not have is not taken, and a value of the input is", async (t) => {
  const client = await play(t, "platformer", { address: (await startServer(t, "platformer")).address });
  assert.equal(client.key("q", true), false);
  assert.equal(client.key("escape", true), false);
  await until(() => client.phase === "playing", "it plays");
  const { first, max } = client.declared.input.fields.find(({ name }) => name === "run");
  const x = () => client.camera.x;
  client.rows(60);
  const before = x();
  client.input(first, max);
  await until(() => (client.rows(60), x() > before + 1), "it runs to the right");
});

test("a session goes on in its seat by its ticket, and after a goodbye it does not", async (t) => {
  const server = await startServer(t, "arena");
  const first = await play(t, "arena", { address: server.address });
  const ticket = await until(() => first.ticket, "it has a ticket");
  const { seat } = first.session;
  first.stop();
  const second = await play(t, "arena", { address: server.address, ticket });
  await until(() => second.phase === "playing", "it plays again");
  assert.equal(second.session.seat, seat);
  second.leave();
  assert.equal(second.phase, "ended");
});

test("what is refused says why in words, and a server that is not there does too", async (t) => {
  const server = await startServer(t, "arena", "--max-clients", "1");
  const first = await play(t, "arena", { address: server.address });
  await until(() => first.phase === "playing", "the first plays");
  const second = await play(t, "arena", { address: server.address });
  await until(() => second.phase === "refused", "the second is refused");
  assert.match(second.why, /full|seat|place/i);
  const other = await play(t, "bomber", { address: (await startServer(t, "arena")).address });
  await until(() => other.phase === "refused", "another game is not played");
  assert.match(other.why, /plays "arena"/);
  await assert.rejects(play(t, "arena", { address: "localhost:7777" }), /address/);
  await assert.rejects(play(t, "arena", { address: server.address, token: "no token" }), /token/);
});
