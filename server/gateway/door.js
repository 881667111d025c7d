// The door of the gateway: what browsers ask for by HTTP. Files of the page, offers of WebRTC, WebSockets; README.md has the
// requests and their answers.
"use strict";

const fs = require("node:fs"), http = require("node:http"), net = require("node:net"), path = require("node:path"), zlib = require("node:zlib");
const { createHash } = require("node:crypto");
const { promisify } = require("node:util");
const { WebSocketServer } = require("ws");
const { UsageError } = require("./options.js");
const { Bucket, Buckets, firstToGiveWay, prefixOf } = require("./links.js");
const { plainOffer, takeWebSocket } = require("./roads.js");

const DOOR_LIMITS = {
  sockets: 256,             // that are no WebSockets; for one more, the oldest of the prefix that has the most gives way
  socketMs: 30_000,         // a socket's whole life, answers included
  requestsOfSocket: 100, headersMs: 5_000, requestMs: 10_000, idleMs: 5_000, headerBytes: 8192, offerBytes: 16 * 1024,
};
const FILES_BYTES_MAX = 64 << 20;  // they are in memory
const TYPES = {
  html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8", json: "application/json", txt: "text/plain; charset=utf-8", svg: "image/svg+xml",
  wasm: "application/wasm", png: "image/png", ico: "image/x-icon", woff2: "font/woff2", webmanifest: "application/manifest+json",
};

/** Yields {name, isFile} of what a directory and those in it have. Hidden ones and links are no files. */
function* filesIn(directory, under = "") {
  for (const entry of fs.readdirSync(path.join(directory, under), { withFileTypes: true })) {
    const name = path.join(under, entry.name), isShown = !entry.name.startsWith(".");
    if (entry.isDirectory() && isShown) yield* filesIn(directory, name);
    else yield { name, isFile: entry.isFile() && isShown };
  }
}

/** Reads the files to serve, by path, each as it is and compressed. Hidden files, links and other types are left out. */
async function readFiles(directory, log) {
  const files = new Map();
  let all = 0;
  for (const { name, isFile } of filesIn(directory)) {
    const type = TYPES[path.extname(name).slice(1)], file = path.join(directory, name);
    if (!isFile || !type) {
      log("warning", "file_left_out", { file: name, reason: "hidden, a link, or of a type that pages do not have" });
      continue;
    }
    all += fs.statSync(file).size;
    if (all > FILES_BYTES_MAX) throw new UsageError(`--files: ${directory} has more than 64 MiB; give the folder of the page alone`);
    const plain = fs.readFileSync(file), tag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
    const coded = { br: await promisify(zlib.brotliCompress)(plain), gzip: await promisify(zlib.gzip)(plain, { level: 9 }) };
    files.set(name === "index.html" ? "/" : encodeURI(`/${name}`), { type, plain, coded, tag });
  }
  return files;
}

/** Opens the door: server.listen() is the caller's. `limits` replaces some of DOOR_LIMITS. */
class Door {
  #plain = new Set();  // sockets that are no WebSockets

  constructor({ links, channels, options, files, limits }) {
    const most = { ...DOOR_LIMITS, ...limits };
    Object.assign(this, { links, channels, options, files, limits: most });
    this.headers = {
      "Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        `manifest-src 'self'; connect-src 'self'; frame-ancestors ${options.origin.join(" ") || "'none'"}; base-uri 'none'; form-action 'none'`,
      "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    };
    this.opensOfPrefix = new Buckets(options["opens-per-prefix"], 2 * options["opens-per-prefix"]);
    this.opens = new Bucket(options.opens, 2 * options.opens);
    this.webSockets = new WebSocketServer({ noServer: true, maxPayload: links.limits.datagramBytes + 3, perMessageDeflate: false, autoPong: false,
      closeTimeout: 1000, maxFragments: 8, handleProtocols: (protocols) => protocols.has("tickbox") && "tickbox" });
    this.server = http.createServer({ maxHeaderSize: most.headerBytes, headersTimeout: most.headersMs, requestTimeout: most.requestMs,
      keepAliveTimeout: most.idleMs, connectionsCheckingInterval: 1000 }, (request, response) => this.#serve(request, response));
    this.server.maxRequestsPerSocket = most.requestsOfSocket;
    this.server.on("connection", (socket) => this.#enter(socket));
    this.server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    links.figures.gauges.push(() => ({ sockets: this.#plain.size }));
  }

  #enter(socket) {
    if (this.#plain.size >= this.limits.sockets) {
      this.links.figures.add("sockets_gave_way_total");
      this.#leave(firstToGiveWay(this.#plain).destroy());  // now: its event comes after those of other sockets that have arrived
    }
    socket.prefix = prefixOf(socket.remoteAddress ?? "::");
    socket.late = setTimeout(() => socket.destroy(), this.limits.socketMs);
    this.#plain.add(socket);
    socket.on("close", () => this.#leave(socket));
  }

  #leave(socket) {
    this.#plain.delete(socket);
    clearTimeout(socket.late);
  }

  #prefixOf({ headers, socket }) {
    const last = this.options["trust-proxy"] ? String(headers["x-forwarded-for"] ?? "").split(",").at(-1).trim() : "";
    return net.isIP(last) ? prefixOf(last) : socket.prefix;
  }

  #isAllowed({ headers: { origin, host } }) {
    if (this.options.origin.includes(origin)) return true;
    const [, own, name] = /^https?:\/\/((\[[0-9a-f:]+\]|[^:]+)(?::\d+)?)$/.exec(origin) ?? [];
    // Somebody else's name may lead to this address, so the gateway's own name needs --origin.
    return own !== undefined && own === host && (name === "localhost" || net.isIP(name.replace(/[[\]]/g, "")) !== 0);
  }

  #refuse(reason, ...answer) {
    this.links.figures.add("refused_total", { reason });
    return answer;
  }

  /** Returns why the browser may not open a road now: a status and a sentence. `moving` is the link that a right secret names, if
   * there is one: it has a rate of its own, which strangers cannot use up. */
  #refusal(request, prefix, moving) {
    if (!this.#isAllowed(request)) return this.#refuse("origin", 403, "this origin may not play here; the gateway names others with --origin");
    if (moving?.moves.take()) return undefined;
    if (!this.opensOfPrefix.take(prefix)) return this.#refuse("prefix_rate", 429, "too many tries from your network; wait a second");
    return this.opens.take() ? undefined : this.#refuse("rate", 429, "too many tries; wait a second");
  }

  /** Returns the link that a road is for: the one that moves, or a new one. Fails: {refused}. */
  #linkFor(moving, secret, origin, prefix) {
    if (moving) this.links.giveSecret(moving);  // a secret is good once
    if (moving) return moving;
    const refused = secret === undefined ? this.links.refusal(prefix) : "secret";
    if (!refused) return this.links.open(prefix, origin);
    this.#refuse(refused);
    return { refused };
  }

  #serve(request, response) {
    const { method, headers } = request, [url] = request.url.split("?"), { origin } = headers;
    const say = (status, body, type = TYPES.txt, also = { "Cache-Control": "no-store" }) => {
      if (response.headersSent) return;
      const shared = this.options.origin.includes(origin) ? { "Access-Control-Allow-Origin": origin, Vary: "Origin" } : {};
      response.writeHead(status, { ...this.headers, ...shared, "Content-Type": type, ...(status !== 304 && { "Content-Length": Buffer.byteLength(body) }), ...also, ...(status >= 400 && { Connection: "close" }) });
      response.end(body);
    };
    if (method === "POST" && url === "/rtc") return this.#answer(request, say);
    if (method !== "GET" && method !== "HEAD") return say(405, "use GET for files and POST for /rtc\n");
    if (url === "/livez") return say(200, "ok\n");
    if (url === "/gateway") return say(200, JSON.stringify({ servers: this.links.servers.listed, origins: this.options.origin }), TYPES.json);
    const file = this.files.get(url);
    if (!file) return say(404, this.files.size ? "there is no such file\n" : "no files are served here; start the gateway with --files DIR\n");
    const also = { ETag: file.tag, Vary: "Accept-Encoding, Origin", "Cache-Control": "no-cache" };
    if (headers["if-none-match"] === file.tag) return say(304, "", file.type, also);
    const accepted = String(headers["accept-encoding"] ?? "").split(/, */);
    const coding = ["br", "gzip"].find((name) => accepted.includes(name) && file.coded[name].length < file.plain.length);
    return say(200, coding ? file.coded[coding] : file.plain, file.type, { ...also, ...(coding && { "Content-Encoding": coding, "X-Plain-Length": file.plain.length }) });
  }

  async #answer(request, say) {
    const prefix = this.#prefixOf(request), { origin } = request.headers;
    let text = "", asked;
    try {
      for await (const part of request.setEncoding("latin1")) {
        if ((text += part).length > this.limits.offerBytes) return say(413, "an offer has 16 KiB at most\n");
      }
      asked = JSON.parse(text);
    } catch { /* said below */ }
    const moving = this.links.linkOf(asked?.secret, origin), refused = this.#refusal(request, prefix, moving);
    if (refused) return say(refused[0], `${refused[1]}\n`);
    const offer = typeof asked?.offer === "string" && plainOffer(asked.offer);
    if (!offer || !["string", "undefined"].includes(typeof asked.secret)) {
      this.#refuse("offer");
      return say(400, 'the body is no offer of a data channel; send {"offer": SDP} as JSON\n');
    }
    const link = this.#linkFor(moving, asked.secret, origin, prefix);
    if (link.refused === "secret") return say(403, "the secret is unknown, used or late; open another link\n");
    if (link.refused) return say(503, "there is no free place; try again later\n");
    const answer = await this.channels.answer(link, offer).catch(() => undefined);
    if (answer && !link.isClosed) return say(200, JSON.stringify({ answer, secret: this.links.giveSecret(link) }), TYPES.json);
    if (!link.road) link.close("no_channel");
    return say(400, "the offer cannot be answered; reload the page\n");
  }

  /** A page cannot set headers of a WebSocket but its protocols, so the secret is one of them. */
  #upgrade(request, socket, head) {
    const prefix = this.#prefixOf(request), { origin } = request.headers;
    const [, secret] = /(?:^|[\s,])secret\.([0-9a-f]{32})(?:$|[\s,])/.exec(request.headers["sec-websocket-protocol"] ?? "") ?? [];
    const moving = this.links.linkOf(secret, origin);
    const refused = request.url === "/ws" ? this.#refusal(request, prefix, moving) : [404, "WebSockets are at /ws"];
    socket.on("error", () => socket.destroy());
    if (refused) return socket.end(`HTTP/1.1 ${refused[0]} Refused\r\nConnection: close\r\nContent-Length: ${refused[1].length}\r\n\r\n${refused[1]}`);
    socket.setNoDelay(true);
    return this.webSockets.handleUpgrade(request, socket, head, (made) => {
      this.#leave(socket);
      const link = this.#linkFor(moving, secret, origin, prefix);
      if (!link.refused) return takeWebSocket(link, made, this.links);
      made.on("error", () => made.terminate());
      return made.close(1013, link.refused);
    });
  }

  /** Takes nobody in any more, and waits a second for WebSockets to close. Their links have ended. */
  async close() {
    this.server.close();
    for (const socket of this.#plain) socket.destroy();
    for (let i = 0; i < 20 && this.webSockets.clients.size > 0; ++i) await new Promise((done) => setTimeout(done, 50));
    for (const socket of this.webSockets.clients) socket.terminate();
  }
}

module.exports = { Door, readFiles };
