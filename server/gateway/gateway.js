#!/usr/bin/env node
// Brings browsers to a Tickbox server: serves the page's files, answers WebRTC offers, takes WebSockets.
//
// links.js has what a browser may do, roads.js how its datagrams travel, options.js the command line.
"use strict";

const fs = require("node:fs"), http = require("node:http"), net = require("node:net"), path = require("node:path");
const zlib = require("node:zlib");
const { promisify } = require("node:util");
const { WebSocketServer } = require("ws");
const { UsageError, isLoopback, parseOptions, readServers } = require("./options.js");
const { Bucket, Buckets, Links, Servers, firstToGiveWay, prefixOf } = require("./links.js");
const { Channels, plainOffer, takeWebSocket } = require("./roads.js");

const HTTP_LIMITS = {
  sockets: 256,             // that are no WebSockets; for one more, the oldest of the prefix that has the most gives way
  socketMs: 30_000,         // a socket's whole life, answers included
  headersMs: 5_000, requestMs: 10_000, idleMs: 5_000, headerBytes: 8192, offerBytes: 16 * 1024,
  fileBytes: 64 << 20,      // of all files together, which are in memory
};
const TYPES = {
  html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8", json: "application/json", txt: "text/plain; charset=utf-8", svg: "image/svg+xml",
  wasm: "application/wasm", png: "image/png", ico: "image/x-icon", woff2: "font/woff2", webmanifest: "application/manifest+json",
};

/** Writes a line of the log: an event and its fields. Lines that browsers can cause are limited. */
function makeLog(write) {
  const lines = new Bucket(2, 20);
  return (level, event, fields = {}) => {
    if (event.startsWith("link_") && !lines.take()) return;
    const text = Object.entries(fields).map(([name, value]) => ` ${name}=${/^[^\s"=]+$/.test(value) ? value : JSON.stringify(String(value))}`);
    write(`${new Date().toISOString()} ${level} ${event}${text.join("")}\n`);
  };
}

/** Counters, and gauges that are asked when somebody reads them, as text for Prometheus. */
class Figures {
  #counts = new Map();
  gauges = [];

  add(name, labels = {}, by = 1) {
    const of = Object.entries(labels).map(([label, value]) => `${label}="${value}"`).join(",");
    const key = of ? `${name}{${of}}` : name;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
  }

  text() {
    const cpu = process.cpuUsage();
    const rows = [...this.#counts, ...this.gauges.flatMap((gauge) => Object.entries(gauge()))].map(([key, value]) => [`tickbox_gateway_${key}`, value]);
    rows.push(["process_cpu_seconds_total", (cpu.user + cpu.system) / 1e6], ["process_resident_memory_bytes", process.memoryUsage.rss()]);
    let last = "";
    return rows.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => {
      const name = key.replace(/\{.*/, ""), type = name === last ? "" : `# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}\n`;
      last = name;
      return `${type}${key} ${value}\n`;
    }).join("");
  }
}

/** Reads the files to serve, by path, each as it is and compressed. Files of another type are left out, and links. */
async function readFiles(directory, log) {
  const files = new Map();
  let all = 0;
  for (const name of fs.readdirSync(directory, { recursive: true }).map((entry) => entry.split(path.sep).join("/"))) {
    const file = path.join(directory, name), type = TYPES[path.extname(name).slice(1)], about = fs.lstatSync(file);
    if (about.isDirectory()) continue;
    if (!about.isFile() || !type || /(^|\/)\./.test(name)) {
      log("warning", "file_left_out", { file: name, reason: "a hidden file, a link, or of a type that pages do not have" });
      continue;
    }
    if ((all += about.size) > HTTP_LIMITS.fileBytes) throw new UsageError(`--files: ${directory} has more than ${HTTP_LIMITS.fileBytes >> 20} MiB; give the folder of the page alone`);
    const plain = fs.readFileSync(file);
    const coded = { br: await promisify(zlib.brotliCompress)(plain), gzip: await promisify(zlib.gzip)(plain, { level: 9 }) };
    const tag = `"${require("node:crypto").createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
    files.set(name === "index.html" ? "/" : encodeURI(`/${name}`), { type, plain, coded, tag });
  }
  return files;
}

/** Asks the server's admin side whether it has keys of its own. Fails: an error of one line. */
function askForKeys({ admin, adminToken, bind }) {
  const wrong = (reason) => new UsageError(`--bind: ${bind} is not a loopback address, and the server's admin side at ${admin.text} ${reason}`);
  return new Promise((done, fail) => {
    const headers = adminToken ? { Authorization: `Bearer ${adminToken}` } : {};
    const request = http.get({ host: admin.host, port: admin.port, path: "/v1/status?clients=0", headers, timeout: 5000 }, (response) => {
      let text = "";
      response.on("data", (data) => { if ((text += data).length > 1 << 20) request.destroy(new Error("says too much")); });
      response.on("end", () => {
        let keys;
        try {
          ({ keys } = JSON.parse(text));
        } catch { /* said below */ }
        if (response.statusCode === 401) fail(wrong("wants a token; give it with --admin-token-file"));
        else if (keys === "own") done();
        else fail(wrong("does not say that it has keys; start the server with --key-file, or add --allow-strangers"));
      });
    });
    request.on("timeout", () => request.destroy(new Error("does not answer within 5 s")));
    request.on("error", (failure) => fail(wrong(`does not answer (${failure.code ?? failure.message}); start the server first, or add --allow-strangers`)));
  });
}

/** Starts a gateway. `limits` replaces some of LIMITS. Fails: an error of one line. */
async function start(options, { log = makeLog((line) => process.stderr.write(line)), limits = {} } = {}) {
  if (!isLoopback(options.bind) && !options["allow-strangers"]) await askForKeys(options);
  const figures = new Figures(), servers = new Servers(), most = { ...HTTP_LIMITS, ...limits };
  const readList = () => [...options.to, ...(options["to-file"] ? readServers(options["to-file"]) : [])];
  servers.list(readList());
  const links = new Links({ servers, options, figures, log, limits });
  const files = options.files ? await readFiles(options.files, log) : new Map();
  const opensOfPrefix = new Buckets(options["opens-per-prefix"], 2 * options["opens-per-prefix"]);
  const opens = new Bucket(options.opens, 2 * options.opens);
  const frames = options.origin.length ? options.origin.join(" ") : "'none'";
  const HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
      `manifest-src 'self'; connect-src 'self'; frame-ancestors ${frames}; base-uri 'none'; form-action 'none'`,
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
  };

  const prefixOfRequest = (request) => {
    const last = options["trust-proxy"] ? String(request.headers["x-forwarded-for"] ?? "").split(",").at(-1).trim() : "";
    return prefixOf(net.isIP(last) ? last : request.socket.remoteAddress ?? "::");
  };
  const isOwn = ({ headers: { origin, host } }) => {
    const [, name] = /^https?:\/\/(\[[0-9a-f:]+\]|[^:]+)(:\d+)?$/.exec(origin) ?? [];
    // A name of somebody else's may lead to this address, so other names need --origin.
    return name !== undefined && origin.slice(origin.indexOf("/") + 2) === host && (name === "localhost" || net.isIP(name.replace(/[[\]]/g, "")) !== 0);
  };
  const isAllowed = (request) => options.origin.includes(request.headers.origin) || isOwn(request);
  /** Returns why the browser may not open a road now: a status and a sentence. */
  const refusal = (request, prefix) => {
    const refuse = (reason, ...answer) => { figures.add("refused_total", { reason }); return answer; };
    if (!isAllowed(request)) return refuse("origin", 403, "this origin may not play here; the gateway names others with --origin");
    if (!opensOfPrefix.take(prefix)) return refuse("prefix_rate", 429, "too many tries from your network; wait a second");
    if (!opens.take()) return refuse("rate", 429, "too many tries; wait a second");
    return undefined;
  };
  /** Returns the link that a road is for: the one of the secret, or a new one. Fails: {refused}. */
  const linkFor = (secret, origin, prefix) => {
    const refuse = (refused) => { figures.add("refused_total", { reason: refused }); return { refused }; };
    if (secret !== undefined) return links.takeSecret(secret, origin) ?? refuse("secret");
    const reason = links.refusal(prefix);
    return reason ? refuse(reason) : links.open(prefix, origin);
  };

  let channels;
  const answerOffer = async (text, origin, prefix, say) => {
    let asked;
    try {
      asked = JSON.parse(text);
    } catch { /* said below */ }
    const offer = typeof asked?.offer === "string" && plainOffer(asked.offer);
    if (!offer || !["string", "undefined"].includes(typeof asked.secret)) {
      figures.add("refused_total", { reason: "offer" });
      return say(400, 'the body is no offer of a data channel; send {"offer": SDP} as JSON\n');
    }
    const link = linkFor(asked.secret, origin, prefix);
    if (link.refused === "secret") return say(403, "the secret is unknown, used or late; open another link\n");
    if (link.refused) return say(503, "there is no free place; try again later\n");
    try {
      const answer = await channels.answer(link, offer);
      say(200, JSON.stringify({ answer, secret: links.giveSecret(link) }), "application/json");
    } catch {
      if (!link.road) link.close("no_channel");
      say(400, "the offer cannot be answered; reload the page\n");
    }
  };
  const server = http.createServer({ maxHeaderSize: most.headerBytes, headersTimeout: most.headersMs, requestTimeout: most.requestMs,
    keepAliveTimeout: most.idleMs, connectionsCheckingInterval: 1000 }, (request, response) => {
    const { method, headers: { origin } } = request, [url] = request.url.split("?");
    const say = (status, body, type = TYPES.txt, also = { "Cache-Control": "no-store" }) => {
      if (response.headersSent) return;
      const shared = options.origin.includes(origin) ? { "Access-Control-Allow-Origin": origin, Vary: "Origin" } : {};
      response.writeHead(status, { ...HEADERS, ...shared, "Content-Type": type, ...also, Connection: status === 200 ? "keep-alive" : "close" });
      response.end(body);
    };
    if (method === "POST" && url === "/rtc") {
      const prefix = prefixOfRequest(request), refused = refusal(request, prefix);
      if (refused) return say(refused[0], `${refused[1]}\n`);
      let offer = "";
      request.setEncoding("latin1");
      request.on("data", (text) => {
        if ((offer += text).length <= most.offerBytes) return;
        say(413, "an offer has 16 KiB at most\n");
        request.destroy();
      });
      request.on("end", () => answerOffer(offer, origin, prefix, say));
      return undefined;
    }
    if (method !== "GET" && method !== "HEAD") return say(405, "use GET for files and POST for /rtc\n");
    if (url === "/livez") return say(200, "ok\n");
    if (url === "/gateway") return say(200, JSON.stringify({ servers: servers.listed, origins: options.origin }), "application/json");
    const file = files.get(url);
    if (!file) return say(404, files.size ? "there is no such file\n" : "no files are served here; start the gateway with --files DIR\n");
    const also = { ETag: file.tag, Vary: "Accept-Encoding", "Cache-Control": "no-cache" };
    if (request.headers["if-none-match"] === file.tag) return say(304, undefined, file.type, also);
    const accepted = String(request.headers["accept-encoding"] ?? "");
    const coding = ["br", "gzip"].find((name) => new RegExp(`\\b${name}\\b(?!;q=0(\\.0*)?(,|$))`).test(accepted) && file.coded[name].length < file.plain.length);
    return say(200, coding ? file.coded[coding] : file.plain, file.type, coding ? { ...also, "Content-Encoding": coding } : also);
  });

  const plainSockets = new Set();
  server.on("connection", (socket) => {
    if (plainSockets.size >= most.sockets) {
      figures.add("sockets_gave_way_total");
      firstToGiveWay(plainSockets).destroy();
    }
    socket.prefix = prefixOf(socket.remoteAddress ?? "::");
    plainSockets.add(socket);
    socket.late = setTimeout(() => socket.destroy(), most.socketMs);
    socket.on("close", () => leave(socket));
  });
  const leave = (socket) => { plainSockets.delete(socket); clearTimeout(socket.late); };

  // A page cannot set headers of a WebSocket but its protocols: the secret is one of them, `secret.` and 32 digits.
  const sockets = new WebSocketServer({ noServer: true, maxPayload: links.limits.datagramBytes + 3, perMessageDeflate: false, autoPong: false,
    closeTimeout: 1000, maxFragments: 8, handleProtocols: (protocols) => protocols.has("tickbox") && "tickbox" });
  server.on("upgrade", (request, socket, head) => {
    const prefix = prefixOfRequest(request), { origin } = request.headers;
    const refused = request.url === "/ws" ? refusal(request, prefix) : [404, "WebSockets are at /ws"];
    socket.on("error", () => socket.destroy());
    if (refused) return socket.end(`HTTP/1.1 ${refused[0]} Refused\r\nConnection: close\r\nContent-Length: ${refused[1].length + 1}\r\n\r\n${refused[1]}\n`);
    socket.setNoDelay(true);
    return sockets.handleUpgrade(request, socket, head, (made) => {
      leave(socket);
      const [, secret] = /(?:^|[\s,])secret\.([0-9a-f]{32})(?:$|[\s,])/.exec(request.headers["sec-websocket-protocol"] ?? "") ?? [];
      const link = linkFor(secret, origin, prefix);
      if (!link.refused) return takeWebSocket(link, made, links);
      made.on("error", () => made.terminate());
      return made.close(1013, link.refused);
    });
  });
  const figuresServer = http.createServer({ requestTimeout: 5000, connectionsCheckingInterval: 1000 }, (request, response) => {
    const isKnown = request.url === "/metrics" && /^(127\.0\.0\.1|localhost)(:|$)/.test(request.headers.host ?? "");
    response.writeHead(isKnown ? 200 : 404, { "Content-Type": "text/plain; version=0.0.4", "Cache-Control": "no-store", Connection: "close" });
    response.end(isKnown ? figures.text() : "figures are at /metrics\n");
  });
  figuresServer.maxConnections = 16;
  figures.gauges.push(() => ({ servers: servers.listed.length, sockets: plainSockets.size }));

  const listen = (on, port, host, option) => new Promise((done, fail) => {
    on.once("error", (failure) => fail(new Error(`--${option}: ${host} port ${port} cannot be opened (${failure.code}); is another program there? Give another --${option}`)));
    on.listen(port, host, done);
  });
  try {
    try {
      channels = new Channels(links, options);
    } catch {
      throw new Error(`--rtc-port: UDP port ${options["rtc-port"]} of ${options.bind} cannot be opened; is another program there? Give another --rtc-port`);
    }
    await listen(figuresServer, options["figures-port"], "127.0.0.1", "figures-port");
    await listen(server, options.port, options.bind, "port");
  } catch (failure) {
    links.end();
    figuresServer.close();
    channels?.end();
    throw failure;
  }

  const reload = () => {
    try {
      if (servers.list(readList())) log("info", "servers_reloaded", { servers: servers.listed.length });
    } catch (failure) {
      log("error", "servers_not_reloaded", { reason: failure.message, kept: servers.listed.length });
    }
  };
  if (options["to-file"]) fs.watchFile(options["to-file"], { interval: 1000 }, reload);
  return {
    links, figures, reload, port: server.address().port, figuresPort: figuresServer.address().port,
    /** Ends all links, and stops to accept. Browsers are told by WebSocket (1001). */
    async stop() {
      if (options["to-file"]) fs.unwatchFile(options["to-file"], reload);
      log("info", "stopping", { playing: links.playing });
      server.close();
      figuresServer.close();
      links.end();
      for (const socket of plainSockets) socket.destroy();
      for (let i = 0; i < 20 && sockets.clients.size > 0; ++i) await new Promise((done) => setTimeout(done, 50));
      for (const socket of sockets.clients) socket.terminate();
      channels.end();
      log("info", "stopped");
    },
  };
}

async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return process.stdout.write(options.help);
  const log = makeLog((line) => process.stderr.write(line)), gateway = await start(options, { log });
  const host = net.isIPv6(options.bind) ? `[${options.bind}]` : options.bind, address = `${host}:${gateway.port}`;
  const facts = { address, rtc: `${host}:${options["rtc-port"]}`, figures: `127.0.0.1:${gateway.figuresPort}`, servers: gateway.links.servers.listed.length };
  log("info", "ready", facts);
  if (options["allow-strangers"]) log("warning", "strangers_allowed", { address, reason: "--allow-strangers: the gateway does not ask whether the server has keys" });
  if (options.json) process.stdout.write(`${JSON.stringify({ event: "ready", ...facts })}\n`);
  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, async () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      await gateway.stop();
      process.exit(0);
    });
  }
  process.on("SIGHUP", gateway.reload);
  return undefined;
}

if (require.main === module) {
  main().catch((failure) => {
    const isUsage = failure instanceof UsageError;
    process.stderr.write(`gateway: ${failure.message}\n`);
    process.exit(isUsage ? 2 : 1);
  });
}

module.exports = { HTTP_LIMITS, makeLog, start };
