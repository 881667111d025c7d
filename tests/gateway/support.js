// What the tests of the gateway share: a server that answers by UDP as tickbox-server does, a gateway in this process, and
// browsers: a WebSocket, or a WebRTC peer, with the messages that a page would send.
"use strict";

const dgram = require("node:dgram"), http = require("node:http"), path = require("node:path"), test = require("node:test");
const { once } = require("node:events");
const GATEWAY = path.join(__dirname, "../../server/gateway");
const rtc = require(`${GATEWAY}/node_modules/node-datachannel`), WebSocket = require(`${GATEWAY}/node_modules/ws`);
const { parseOptions } = require(`${GATEWAY}/options.js`), { start } = require(`${GATEWAY}/gateway.js`);

const HELLO = 1, COOKIE = 2, CONNECT = 3, ACCEPT = 4, INPUT = 8, SNAPSHOT = 9;
// The threads of the library keep a process alive, and its cleanup() frees some channels twice.
test.after(() => { setTimeout(() => process.exit(), 300); });

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Waits until `isTrue()` returns something, and returns that. */
async function until(isTrue, what, ms = 4000) {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(10)) {
    const value = await isTrue();
    if (value) return value;
  }
  throw new Error(`after ${ms} ms not yet: ${what}`);
}

/** HELLO is answered by COOKIE, CONNECT by ACCEPT, INPUT by SNAPSHOT with the rest of the datagram. */
async function fakeServer(t, host = "127.0.0.1") {
  const socket = dgram.createSocket(host.includes(":") ? "udp6" : "udp4");
  const server = { got: [], from: new Set(), accepts: true, socket };
  socket.on("message", (bytes, { port, address }) => {
    server.got.push(bytes);
    server.from.add(port);
    const type = { [HELLO]: COOKIE, [CONNECT]: server.accepts ? ACCEPT : 0, [INPUT]: SNAPSHOT }[bytes[0]];
    if (type) socket.send(Buffer.concat([Buffer.from([type]), bytes.subarray(1)]), port, address);
  });
  await new Promise((done) => socket.bind(0, host, done));
  server.address = `${host.includes(":") ? `[${host}]` : host}:${socket.address().port}`;
  t.after(() => socket.close());
  return server;
}

async function freeUdpPort(host = "127.0.0.1") {
  const socket = dgram.createSocket(host.includes(":") ? "udp6" : "udp4");
  await new Promise((done) => socket.bind(0, host, done));
  const { port } = socket.address();
  await new Promise((done) => socket.close(done));
  return port;
}

/** Starts a gateway in front of `servers`. Its rates of opens are high, unless `words` has others. */
async function startGateway(t, servers, words = [], limits = {}) {
  const lines = [], bind = words.includes("--bind") ? words[words.indexOf("--bind") + 1] : "127.0.0.1";
  const raised = words.includes("--opens-per-prefix") ? [] : ["--opens-per-prefix", "1000", "--opens", "1000"];
  const options = parseOptions([...servers.flatMap(({ address }) => ["--to", address]), "--port", "0", "--figures-port", "0",
    "--rtc-port", String(await freeUdpPort(bind)), ...raised, ...words]);
  const log = (level, event, fields) => lines.push(`${event} ${JSON.stringify(fields ?? {})}`);
  const gateway = await start(options, { log, limits });
  const host = bind.includes(":") ? `[${bind}]` : bind;
  const made = { ...gateway, lines, options, base: `http://${host}:${gateway.port}`,
    /** Returns the value of a figure, by the end of its name, such as 'links{state="playing"}'. */
    async figure(name) {
      const text = await (await fetch(`http://127.0.0.1:${gateway.figuresPort}/metrics`)).text();
      return Number(text.split("\n").find((line) => line.startsWith(`tickbox_gateway_${name} `))?.split(" ").at(-1) ?? 0);
    } };
  t.after(() => made.stop());
  return made;
}

/** What both kinds of browsers can do. A road has send(index, datagram). */
class Browser {
  got = [];

  send(type, content = "", index = 0) { this.write(index, Buffer.concat([Buffer.from([type]), Buffer.from(content)])); }
  take(bytes) { this.got.push(Buffer.from(bytes)); }

  /** Sends an input until it comes back: some may be lost. */
  async echo(content) {
    await until(async () => {
      this.send(INPUT, content);
      await sleep(20);
      return this.got.some((bytes) => bytes[0] === SNAPSHOT && bytes.subarray(1).equals(Buffer.from(content)));
    }, `the echo of ${content}`);
  }

  /** Is accepted by the server. */
  async join() {
    await until(async () => {
      this.send(CONNECT, "let me in");
      await sleep(20);
      return this.got.some((bytes) => bytes[0] === ACCEPT);
    }, "an ACCEPT");
    return this;
  }
}

class WebSocketBrowser extends Browser {
  arrived = 0;
  secrets = [];
  confirms = true;

  /** Fails: an error that has the status, if the gateway refuses. */
  static async open(t, gateway, { origin = gateway.base, secret, forwarded } = {}) {
    const browser = new WebSocketBrowser();
    const headers = forwarded ? { "X-Forwarded-For": forwarded } : {};
    const socket = new WebSocket(`${gateway.base.replace("http", "ws")}/ws`, secret ? ["tickbox", `secret.${secret}`] : ["tickbox"],
      { origin, headers, perMessageDeflate: false });
    browser.socket = socket;
    browser.closed = new Promise((done) => socket.on("close", (code, reason) => done([code, String(reason)])));
    socket.on("message", (bytes, isBinary) => {
      if (!isBinary) return browser.secrets.push(JSON.parse(bytes).secret);
      ++browser.arrived;
      return browser.take(bytes);
    });
    t.after(() => socket.terminate());
    await once(socket, "open");
    socket.on("error", () => {});
    return browser;
  }

  write(index, datagram) {
    const head = Buffer.alloc(3);
    head.writeUInt16LE(this.confirms ? this.arrived & 0xffff : 0);
    head[2] = index;
    this.socket.send(Buffer.concat([head, datagram]));
  }
}

/** Posts a body to /rtc. Returns {status, text}. */
function post(gateway, body, { origin = gateway.base, forwarded } = {}) {
  return new Promise((done, fail) => {
    const headers = { ...(origin && { Origin: origin }), ...(forwarded && { "X-Forwarded-For": forwarded }) };
    const request = http.request(`${gateway.base}/rtc`, { method: "POST", headers }, (response) => {
      let text = "";
      response.on("data", (data) => { text += data; });
      response.on("end", () => done({ status: response.statusCode, text, headers: response.headers }));
    });
    request.on("error", fail);
    request.end(body);
  });
}

let peers = 0;

/** A peer with its offer. */
async function makeOffer(t, bindAddress = "127.0.0.1") {
  const peer = new rtc.PeerConnection(`test ${++peers}`, { iceServers: [], bindAddress });
  t.after(() => peer.close());
  const gathered = new Promise((done) => peer.onGatheringStateChange((state) => state === "complete" && done()));
  const channel = peer.createDataChannel("datagrams", { unordered: true, maxPacketLifeTime: 100 });
  const isOpen = new Promise((done) => channel.onOpen(done));
  await gathered;
  return { peer, channel, isOpen, sdp: peer.localDescription().sdp };
}

class PeerBrowser extends Browser {
  /** Fails: an error that has the status, if the gateway refuses. */
  static async open(t, gateway, { secret, ...as } = {}) {
    const browser = new PeerBrowser(), { peer, channel, isOpen, sdp } = await makeOffer(t, gateway.options?.bind);
    const { status, text } = await post(gateway, JSON.stringify({ offer: sdp, secret }), as);
    if (status !== 200) throw new Error(`${status} ${text}`);
    const said = JSON.parse(text);
    Object.assign(browser, { peer, channel, answer: said.answer, secret: said.secret, isClosed: false });
    channel.onMessage((bytes) => browser.take(bytes));
    channel.onClosed(() => { browser.isClosed = true; });
    // A hostile peer does not care what the gateway takes.
    peer.setRemoteDescription(said.answer.replace(/^(a=max-message-size:).*$/m, "$1262144"), "answer");
    await isOpen;
    return browser;
  }

  write(index, datagram) { if (this.channel.isOpen()) this.channel.sendMessageBinary(Buffer.concat([Buffer.from([index]), datagram])); }
}

module.exports = { ACCEPT, CONNECT, COOKIE, GATEWAY, HELLO, INPUT, PeerBrowser, SNAPSHOT, WebSocketBrowser, fakeServer, freeUdpPort,
  makeOffer, post, sleep, startGateway, until };
