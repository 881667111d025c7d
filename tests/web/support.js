// What the tests of the player's page share: servers and gateways as programs of their own, and the paths of the build.
"use strict";

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const TREE = join(__dirname, "../..");
const BIN = process.env.PLAY_BIN ?? join(TREE, "build/release/bin");
const GATEWAY = process.env.PLAY_GATEWAY ?? join(TREE, "server/gateway");

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Waits until `isTrue()` returns something, and returns that. */
async function until(isTrue, what, ms = 30_000) {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(20)) {
    const value = await isTrue();
    if (value) return value;
  }
  throw new Error(`after ${ms} ms not yet: ${what}`);
}

/** Starts a program that prints a ready event as JSON on stdout, and ends it with the test. */
async function start(t, program, ...words) {
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  const made = { child, log: "", ready: null };
  const ended = new Promise((done) => child.once("exit", done));
  child.stderr.on("data", (data) => { made.log += data; });
  child.stdout.on("data", (data) => {
    for (const line of String(data).split("\n")) if (line.includes('"ready"')) made.ready = JSON.parse(line);
  });
  made.stop = async (signal = "SIGTERM") => {
    if (child.exitCode === null && !child.signalCode) child.kill(signal);
    await ended;
  };
  t.after(() => made.stop());
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${program} has ended: ${made.log}`);
    return made.ready;
  }, `${program} is ready`);
  return made;
}

/** Starts a server of a game on a free port of this machine. Its address is `address`. */
async function startServer(t, game, ...words) {
  const port = words.includes("--port") ? [] : ["--port", "0"];
  const server = await start(t, join(BIN, "tickbox-server"), "--game", game, "--admin-port", "0", "--json", ...port, ...words);
  server.address = server.ready.address;
  return server;
}

/** Starts bots that play, and ends them with the test. */
function startBots(t, server, ...words) {
  const child = spawn(join(BIN, "tickbox"), ["load", server.address, "--seconds", "10m", ...words], { stdio: "ignore" });
  const ended = new Promise((done) => child.once("exit", done));
  t.after(async () => {
    child.kill();
    await ended;
  });
}

const freePort = (type) => new Promise((done) => {
  const socket = type === "udp" ? require("node:dgram").createSocket("udp4") : require("node:net").createServer();
  const found = () => {
    const { port } = socket.address();
    socket.close(() => done(port));
  };
  if (type === "udp") socket.bind(0, "127.0.0.1", found);
  else socket.listen(0, "127.0.0.1", found);
});

/** Starts a gateway that serves the page of a game in front of servers. Its address is `url`. */
async function startGateway(t, game, servers, ...words) {
  const usual = Object.entries({ "--port": "0", "--figures-port": "0", "--rtc-port": String(await freePort("udp")) })
    .filter(([name]) => !words.includes(name)).flat();
  const gateway = await start(t, process.execPath, join(GATEWAY, "gateway.js"), "--files", join(BIN, `${game}-play`), ...usual, "--json", ...servers.flatMap(({ address }) => ["--to", address]), ...words);
  gateway.url = `http://${gateway.ready.address}/`;
  return gateway;
}

const hasGateway = existsSync(join(GATEWAY, "node_modules/ws"));

module.exports = { BIN, TREE, freePort, hasGateway, sleep, start, startBots, startGateway, startServer, until };
