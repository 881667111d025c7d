// The command line of the gateway: its options, their help, and a one-line error for each wrong one.
"use strict";

const fs = require("node:fs"), net = require("node:net"), path = require("node:path");
const { parseArgs } = require("node:util");

/** An error of usage. Its message is one line: what is wrong, and what to try. */
class UsageError extends Error {}

const PORTS = [1, 65535], PORTS_OR_FREE = [0, 65535];

// Each: name, placeholder (none for a flag), default, range of a number, help.
const SECTIONS = {
  "Servers": [
    { name: "to", value: "ADDRESS:PORT", many: true,
      help: "Server that players reach, numeric, as its tokens name it (default: 127.0.0.1:7777). Repeat it for several" },
    { name: "to-file", value: "F",
      help: "More servers, one ADDRESS:PORT a line; text after # is ignored. The file is read again within 2 s of a change, " +
        "and on SIGHUP. Players of a server that is removed stay until they leave" },
    { name: "admin", value: "ADDRESS:PORT",
      help: "Admin side of the server, numeric. It is asked once, at the start, whether the server has keys" },
    { name: "admin-token-file", value: "F", help: "Bearer token for --admin" },
    { name: "allow-strangers", help: "Serve a --bind that is not loopback, also if the server does not say that it has keys" },
  ],
  "Browsers": [
    { name: "bind", value: "ADDRESS", default: "127.0.0.1",
      help: "Address to serve browsers on. 0.0.0.0 is every IPv4 address, :: every address; both need --public-address. An " +
        "address other than loopback needs --admin or --allow-strangers" },
    { name: "port", value: "N", default: "8080", range: PORTS_OR_FREE, help: "TCP port for files, offers and WebSockets (0: a free one). TLS is a proxy's" },
    { name: "rtc-port", value: "N", default: "8081", range: PORTS, help: "UDP port for WebRTC, one for all browsers" },
    { name: "public-address", value: "ADDRESS", many: true,
      help: "Numeric address at which browsers reach --rtc-port (default: --bind). Repeat it for IPv4 and IPv6" },
    { name: "public-rtc-port", value: "N", range: PORTS, help: "Port at which browsers reach --rtc-port, if a router maps it" },
    { name: "origin", value: "ORIGIN", many: true,
      help: "Origin whose pages may play, such as https://play.example.org; it may also have the page in a frame. Pages of " +
        "this gateway may play without it where their host is numeric or localhost" },
    { name: "trust-proxy", help: "Take the last address of X-Forwarded-For for the browser's. Only behind a proxy that sets it" },
    { name: "files", value: "DIR", help: "Serve the files of this directory (index.html as /). They are read once, at the start" },
  ],
  "Limits": [
    { name: "players", value: "N", default: "200", range: [1, 4096], help: "Browsers that play" },
    { name: "players-per-prefix", value: "N", default: "32", range: [1, 4096], help: "Browsers of one prefix that play: IPv4 /24, IPv6 /48" },
    { name: "pending", value: "N", default: "32", range: [1, 4096],
      help: "Browsers whom no server has accepted yet. For one more, the oldest of the prefix that has the most gives way" },
    { name: "opens-per-prefix", value: "N", default: "4", range: [1, 1000], help: "Offers and WebSockets a second of one prefix; twice as many at once" },
    { name: "opens", value: "N", default: "32", range: [1, 1000], help: "Offers and WebSockets a second in all; twice as many at once" },
  ],
  "Output": [
    { name: "figures-port", value: "N", default: "9280", range: PORTS_OR_FREE, help: "TCP port of 127.0.0.1 for /metrics (0: a free one)" },
    { name: "json", help: 'Print {"event":"ready",...} on stdout when browsers can connect' },
    { name: "help", short: "h", help: "Print this help and exit" },
  ],
};
const OPTIONS = Object.values(SECTIONS).flat();

function help() {
  const wrap = (text) => text.replace(/(.{1,72})(?: |$)/g, "    $1\n");
  const line = ({ name, short, value, default: usual, range, help: text }) =>
    `  ${short ? `-${short},` : ""}--${name}${value ? ` ${value}` : ""}${usual ? ` (default: ${usual})` : ""}\n` +
    wrap(text + (range ? ` (${range[0]} to ${range[1]})` : ""));
  return "Bring browsers to a Tickbox server, by WebRTC and WebSocket.\nUsage: gateway.js [OPTIONS]\n" +
    Object.entries(SECTIONS).map(([title, options]) => `\n${title}:\n${options.map(line).join("")}`).join("") +
    "\nExit: 0 stopped by a signal, 1 something could not be opened, 2 wrong usage.\n";
}

const isLoopback = (host) => host === "::1" || (net.isIPv4(host) && host.startsWith("127."));
const isWildcard = (host) => net.isIP(host) !== 0 && canonical(host) === (net.isIPv4(host) ? "0.0.0.0" : "::");

/** The one spelling of a numeric address, as servers print it. */
function canonical(host) {
  return net.isIPv6(host) && !host.includes("%") ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host;
}

/** Returns {host, port, text} of ADDRESS:PORT; nothing if the address is not numeric or has no port. */
function parseAddress(text) {
  const [, six, four, port] = /^(?:\[([^\]%]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? four;
  if (!host || net.isIP(host) !== (six ? 6 : 4) || isWildcard(host) || !(port >= 1 && port <= 65535)) return undefined;
  return { host: canonical(host), port: Number(port), text: six ? `[${canonical(host)}]:${Number(port)}` : `${host}:${Number(port)}` };
}

function address(option, text) {
  const parsed = parseAddress(text);
  if (!parsed) throw new UsageError(`--${option}: ${text} is no numeric address with a port; give for example 127.0.0.1:7777 or [::1]:7777`);
  return parsed;
}

const SERVERS_MAX = 256;

/** Returns the servers of --to-file. Throws an error of one line. */
function readServers(file) {
  let text;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch (failure) {
    throw new UsageError(`--to-file: ${file} cannot be read (${failure.code}); give a file with one ADDRESS:PORT a line`);
  }
  const servers = [];
  for (const [i, line] of text.split("\n").entries()) {
    const word = line.replace(/#.*/, "").trim();
    if (word === "") continue;
    const server = parseAddress(word);
    if (!server) throw new UsageError(`--to-file: line ${i + 1} of ${file} is no numeric address with a port; write for example 192.0.2.1:7777`);
    servers.push(server);
  }
  if (servers.length > SERVERS_MAX) throw new UsageError(`--to-file: ${file} has ${servers.length} servers; the most are ${SERVERS_MAX}`);
  return servers;
}

function numeric(option, host) {
  if (net.isIP(host) === 0 || host.includes("%")) {
    throw new UsageError(`--${option}: ${host} is no numeric address; give for example 192.0.2.1, names are not looked up`);
  }
  return canonical(host);
}

function origin(text) {
  let parsed;
  try {
    parsed = new URL(text);
  } catch { /* said below */ }
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.origin !== text) {
    throw new UsageError(`--origin: ${text} is no origin; give scheme, host and port alone, for example https://play.example.org`);
  }
  return text;
}

function token(file) {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch (failure) {
    throw new UsageError(`--admin-token-file: ${file} cannot be read (${failure.code}); give the file of the server's --admin-token-file`);
  }
}

/** Parses the command line's words, as typed. */
function parseWords(words) {
  const types = {};
  for (const { name, short, value, many } of OPTIONS) {
    types[name] = { type: value ? "string" : "boolean", ...(many && { multiple: true }), ...(short && { short }) };
  }
  try {
    return parseArgs({ args: words, options: types, strict: true, allowPositionals: false, tokens: true });
  } catch (failure) {
    const [first] = failure.message.split(/\n|\. /);
    throw new UsageError(`${first.replace(/'/g, "").replace(/ <value>/, "")}; see --help`);
  }
}

/** Returns the options by name, checked and with their defaults, or {help: text}. Throws a UsageError. */
function parseOptions(words) {
  const { values, tokens } = parseWords(words);
  if (values.help) return { help: help() };
  const seen = new Set();
  for (const { kind, name } of tokens) {
    if (kind !== "option") continue;
    if (seen.has(name) && !OPTIONS.find((option) => option.name === name).many) {
      throw new UsageError(`--${name} is given twice; give it once`);
    }
    seen.add(name);
  }
  for (const { name, default: usual, range, many } of OPTIONS) {
    values[name] ??= many ? [] : usual;
    if (!range || values[name] === undefined) continue;
    const number = Number(values[name]);
    if (!/^\d+$/.test(values[name]) || number < range[0] || number > range[1]) {
      throw new UsageError(`--${name}: ${values[name]} is no number from ${range[0]} to ${range[1]}; give for example ${usual ?? 8081}`);
    }
    values[name] = number;
  }
  const servers = (values.to.length || values["to-file"] ? values.to : ["127.0.0.1:7777"]).map((text) => address("to", text));
  if (servers.length > SERVERS_MAX) throw new UsageError(`--to: ${servers.length} servers are given; the most are ${SERVERS_MAX}`);
  const options = { ...values, to: servers, bind: numeric("bind", values.bind), origin: values.origin.map(origin),
    "public-address": values["public-address"].map((host) => numeric("public-address", host)) };
  if (options.admin) options.admin = address("admin", options.admin);
  if (options["to-file"]) readServers(options["to-file"]);
  if (options["admin-token-file"]) options.adminToken = token(options["admin-token-file"]);
  checkReach(options);
  return options;
}

/** Checks what may only be told of the options together. */
function checkReach(options) {
  const { bind } = options, published = options["public-address"];
  if (isWildcard(bind) && published.length === 0) {
    throw new UsageError(`--bind: ${bind} is every address of this machine, and browsers would be told all of them; add --public-address`);
  }
  if (published.some(isWildcard)) throw new UsageError("--public-address: a wildcard is no address that browsers reach; give the one they use");
  if (!isLoopback(bind) && !options.admin && !options["allow-strangers"]) {
    throw new UsageError(`--bind: ${bind} is not a loopback address: everybody could play on a server without keys; ` +
      "give --admin of a server with keys, or --allow-strangers");
  }
  if (options.port !== 0 && options.port === options["figures-port"]) {
    throw new UsageError(`--figures-port: ${options.port} is --port too; give another one`);
  }
  if (options["admin-token-file"] && !options.admin) throw new UsageError("--admin-token-file: there is no --admin; give both, or neither");
  if (options.files) {
    const found = fs.statSync(path.resolve(options.files), { throwIfNoEntry: false });
    if (!found?.isDirectory()) throw new UsageError(`--files: ${options.files} is no directory; give the one that has the page`);
  }
}

module.exports = { UsageError, parseOptions, parseAddress, readServers, canonical, isLoopback, SERVERS_MAX };
