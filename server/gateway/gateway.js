#!/usr/bin/env node
// Brings browsers to a Tickbox server: the program.
//
// door.js has what browsers ask for by HTTP, links.js what they may do, roads.js how their datagrams travel, options.js the
// command line.
"use strict";

const fs = require("node:fs"), http = require("node:http");
const { Bucket, Links, Servers } = require("./links.js");
const { openChannels } = require("./roads.js");
const { Door, readFiles } = require("./door.js");
const { UsageError, isLoopback, parseOptions, readServers } = require("./options.js");

/** Returns a function that writes a line: an event and its fields. Lines that browsers can cause are limited. */
function makeLog(write) {
  const lines = new Bucket(2, 20);
  return (level, event, fields = {}) => {
    if (event.startsWith("link_") && !lines.take()) return;
    const text = Object.entries(fields).map(([name, value]) => ` ${name}=${/^[!#-<>-~]+$/.test(value) ? value : JSON.stringify(String(value))}`);
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
    const cpu = process.cpuUsage(), rows = [...this.#counts, ...this.gauges.flatMap((gauge) => Object.entries(gauge()))];
    const all = [...rows.map(([key, value]) => [`tickbox_gateway_${key}`, value]), ["process_cpu_seconds_total", (cpu.user + cpu.system) / 1e6],
      ["process_resident_memory_bytes", process.memoryUsage.rss()]];
    let last = "";
    return all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => {
      const [name] = key.split("{"), type = name === last ? "" : `# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}\n`;
      last = name;
      return `${type}${key} ${value}\n`;
    }).join("");
  }
}

/** Returns a server of /metrics. The Host header must name this machine, so that no page of another origin reads them. */
function figuresServer(figures) {
  const server = http.createServer({ requestTimeout: 5000, connectionsCheckingInterval: 1000 }, ({ url, headers }, response) => {
    const isKnown = url === "/metrics" && /^(127\.0\.0\.1|localhost)(:|$)/.test(headers.host ?? "");
    response.writeHead(isKnown ? 200 : 404, { "Content-Type": "text/plain; version=0.0.4", "Cache-Control": "no-store", Connection: "close" });
    response.end(isKnown ? figures.text() : "figures are at /metrics\n");
  });
  server.maxConnections = 16;
  return server;
}

/** Asks the server's admin side whether it has keys of its own. Fails: an error of one line. */
async function askForKeys({ admin, adminToken, bind }) {
  const wrong = (reason) => new UsageError(`--bind: ${bind} is not a loopback address, and the server's admin side at ${admin.text} ${reason}`);
  const headers = adminToken ? { Authorization: `Bearer ${adminToken}` } : {};
  const response = await fetch(`http://${admin.text}/v1/status?clients=0`, { headers, signal: AbortSignal.timeout(5000) }).catch((failure) => {
    throw wrong(`does not answer (${failure.cause?.code ?? failure.name}); start the server first, or add --allow-strangers`);
  });
  if (response.status === 401) throw wrong("wants a token; give it with --admin-token-file");
  const { keys } = await response.json().catch(() => ({}));
  if (keys !== "own") throw wrong("does not say that it has keys; start the server with --key-file, or add --allow-strangers");
}

function listen(server, port, host, option) {
  return new Promise((done, fail) => {
    // Stays after that: accept() may fail when descriptors run out.
    server.on("error", ({ code }) => fail(new Error(`--${option}: ${host} port ${port} cannot be opened (${code}); is another program there? Give another --${option}`)));
    server.listen(port, host, done);
  });
}

/** Starts a gateway. `limits` replaces some of LIMITS and DOOR_LIMITS. Fails: an error of one line. */
async function start(options, { log, limits = {} }) {
  if (!isLoopback(options.bind) && !options["allow-strangers"]) await askForKeys(options);
  const figures = new Figures(), servers = new Servers(), { "to-file": list } = options;
  const readList = () => servers.list([...options.to, ...(list ? readServers(list) : [])]);
  readList();
  figures.gauges.push(() => ({ servers: servers.listed.length }));
  const files = options.files ? await readFiles(options.files, log) : new Map();
  const links = new Links({ servers, options, figures, log, limits }), shown = figuresServer(figures);
  let channels, door;
  try {
    channels = openChannels(links, options);
    door = new Door({ links, channels, options, files, limits });
    await listen(shown, options["figures-port"], "127.0.0.1", "figures-port");
    await listen(door.server, options.port, options.bind, "port");
  } catch (failure) {
    links.end();
    shown.close();
    channels?.end();
    throw failure;
  }
  const reload = () => {
    try {
      if (readList()) log("info", "servers_reloaded", { servers: servers.listed.length });
    } catch (failure) {
      log("error", "servers_not_reloaded", { reason: failure.message, kept: servers.listed.length });
    }
  };
  if (list) fs.watchFile(list, { interval: 1000 }, reload);
  return {
    links, reload, port: door.server.address().port, figuresPort: shown.address().port,
    /** Ends all links, and tells browsers by WebSocket (1001). Takes a second at most. */
    async stop() {
      if (list) fs.unwatchFile(list, reload);
      log("info", "stopping", { playing: links.playing });
      links.end();
      shown.close();
      await door.close();
      channels.end();
      log("info", "stopped");
    },
  };
}

async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return process.stdout.write(options.help);
  const log = makeLog((line) => process.stderr.write(line)), gateway = await start(options, { log });
  const host = options.bind.includes(":") ? `[${options.bind}]` : options.bind, address = `${host}:${gateway.port}`;
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
  return process.on("SIGHUP", gateway.reload);
}

if (require.main === module) {
  main().catch((failure) => {
    process.stderr.write(`gateway: ${failure.message}\n`);
    process.exit(failure instanceof UsageError ? 2 : 1);
  });
}

module.exports = { makeLog, start };
