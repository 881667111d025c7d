// The command line of the gateway: its options, their help, and a one-line error for each wrong one.
"use strict";

const fs = require("node:fs"), net = require("node:net");
const { parseArgs } = require("node:util");

/** An error of usage. Its message is one line: what is wrong, and what to try. */
class UsageError extends Error {}

const isLoopback = (host) => host === "::1" || (net.isIPv4(host) && host.startsWith("127."));
const isWildcard = (host) => host === "0.0.0.0" || host === "::";

/** The one spelling of a numeric address, as servers print it. */
function canonical(host) {
  return net.isIPv6(host) && !host.includes("%") ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host;
}

// Each of these returns the value of an option's text, or nothing for a wrong one.
const numericAddress = (text) => (net.isIP(text) !== 0 && !text.includes("%") ? canonical(text) : undefined);
const publicAddress = (text) => (isWildcard(numericAddress(text)) ? undefined : numericAddress(text));
const origin = (text) => (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text ? text : undefined);
const directory = (text) => (fs.statSync(text, { throwIfNoEntry: false })?.isDirectory() ? text : undefined);

/** Returns {host, port, text} of ADDRESS:PORT. */
function server(text) {
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [], host = publicAddress(six ?? four ?? "");
  if (!host || net.isIP(host) !== (six ? 6 : 4) || port < 1 || port > 65535) return undefined;
  return { host, port: Number(port), text: `${six ? `[${host}]` : host}:${Number(port)}` };
}

const ADDRESS = "is no numeric address; names are not looked up, give for example 192.0.2.1";
const SERVER = "is no numeric address with a port; give for example 127.0.0.1:7777 or [::1]:7777";
const PORTS = [1, 65535], PORTS_OR_FREE = [0, 65535];

// Each: name; placeholder (none for a flag); default; how its text is read, and what is said of a wrong one; help.
const SECTIONS = {
  "Servers": [
    { name: "to", value: "ADDRESS:PORT", many: true, read: server, wrong: SERVER,
      help: "Server that players reach, numeric, as its tokens name it (default: 127.0.0.1:7777). Repeat it for several" },
    { name: "to-file", value: "F", help: "More servers, one ADDRESS:PORT a line; text after # is ignored. The file is read again within " +
      "2 s of a change, and on SIGHUP. Players of a server that is removed stay until they leave" },
    { name: "admin", value: "ADDRESS:PORT", read: server, wrong: SERVER,
      help: "Admin side of the server, numeric. It is asked once, at the start, whether the server has keys" },
    { name: "admin-token-file", value: "F", help: "Bearer token for --admin" },
    { name: "allow-strangers", help: "Serve a --bind that is not loopback, also if the server does not say that it has keys" },
  ],
  "Browsers": [
    { name: "bind", value: "ADDRESS", default: "127.0.0.1", read: numericAddress, wrong: ADDRESS, help: "Address to serve browsers on. " +
      "0.0.0.0 is every IPv4 address, :: every address; both need --public-address. An address other than loopback needs --admin or --allow-strangers" },
    { name: "port", value: "N", default: "8080", range: PORTS_OR_FREE, help: "TCP port for files, offers and WebSockets (0: a free one). TLS is a proxy's" },
    { name: "rtc-port", value: "N", default: "8081", range: PORTS, help: "UDP port for WebRTC, one for all browsers" },
    { name: "public-address", value: "ADDRESS", many: true, read: publicAddress, wrong: ADDRESS,
      help: "Numeric address at which browsers reach --rtc-port (default: --bind). Repeat it for IPv4 and IPv6" },
    { name: "public-rtc-port", value: "N", range: PORTS, help: "Port at which browsers reach --rtc-port, if a router maps it" },
    { name: "origin", value: "ORIGIN", many: true, read: origin, wrong: "is no origin; give scheme, host and port alone, for example https://play.example.org",
      help: "Origin whose pages may play, such as https://play.example.org; it may also have the page in a frame. Pages of " +
        "this gateway may play without it where their host is numeric or localhost" },
    { name: "trust-proxy", help: "Take the last address of X-Forwarded-For for the browser's. Only behind a proxy that sets it" },
    { name: "files", value: "DIR", read: directory, wrong: "is no directory; give the one that has the page",
      help: "Serve the files of this directory (index.html as /). They are read once, at the start" },
  ],
  "Limits": [
    { name: "players", value: "N", default: "200", range: [1, 4096], help: "Browsers that play" },
    { name: "players-per-prefix", value: "N", default: "32", range: [1, 4096], help: "Browsers of one prefix that play: IPv4 /24, IPv6 /48" },
    { name: "pending", value: "N", default: "32", range: [1, 4096],
      help: "Browsers that no server has accepted yet. For one more, the oldest of the prefix that has the most gives way" },
    { name: "opens-per-prefix", value: "N", default: "8", range: [1, 1000], help: "Offers and WebSockets a second of one prefix; twice as many at once" },
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
  const line = ({ name, short, value, default: usual, range, help: text }) =>
    `  ${short ? `-${short},` : ""}--${name}${value ? ` ${value}` : ""}${usual ? ` (default: ${usual})` : ""}\n` +
    (text + (range ? ` (${range[0]} to ${range[1]})` : "")).replace(/(.{1,72})(?: |$)/g, "    $1\n");
  return "Bring browsers to a Tickbox server, by WebRTC and WebSocket.\nUsage: gateway.js [OPTIONS]\n" +
    Object.entries(SECTIONS).map(([title, options]) => `\n${title}:\n${options.map(line).join("")}`).join("") +
    "\nExit: 0 stopped by a signal, 1 something could not be opened, 2 wrong usage.\n";
}

function readText(option, file, wanted) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch ({ code }) {
    throw new UsageError(`--${option}: ${file} cannot be read (${code}); give ${wanted}`);
  }
}

const SERVERS_MAX = 256;

/** Returns the servers of --to-file. Fails: a UsageError. */
function readServers(file) {
  const servers = [];
  for (const [i, line] of readText("to-file", file, "a file with one ADDRESS:PORT a line").split("\n").entries()) {
    const word = line.replace(/#.*/, "").trim();
    if (word !== "" && servers.push(server(word)) && !servers.at(-1)) throw new UsageError(`--to-file: line ${i + 1} of ${file} ${SERVER}`);
  }
  if (servers.length > SERVERS_MAX) throw new UsageError(`--to-file: ${file} has ${servers.length} servers; give ${SERVERS_MAX} at most`);
  return servers;
}

/** Returns the texts of the options, as they are typed. */
function parseWords(words) {
  const types = {};
  for (const { name, short, value } of OPTIONS) types[name] = { type: value ? "string" : "boolean", multiple: true, ...(short && { short }) };
  try {
    return parseArgs({ args: words, options: types, strict: true, allowPositionals: false }).values;
  } catch ({ message }) {
    throw new UsageError(`${message.split(/\n|\. /)[0].replace(/'/g, "").replace(/ <value>/, "")}; see --help`);
  }
}

function readOption({ name, default: usual, range, many, read = (text) => text, wrong }, texts = usual ? [usual] : []) {
  const number = (text) => (/^\d{1,9}$/.test(text) && text >= range[0] && text <= range[1] ? Number(text) : undefined);
  const values = texts.map((text) => {
    const value = range ? number(text) : read(text);
    if (value === undefined) throw new UsageError(`--${name}: ${text} ${wrong ?? `is no number from ${range[0]} to ${range[1]}; give for example ${usual ?? 8081}`}`);
    return value;
  });
  if (!many && values.length > 1) throw new UsageError(`--${name} is given twice; give it once`);
  return many ? values : values[0];
}

/** Returns the options by name, with their defaults, or {help: text}. Fails: a UsageError. */
function parseOptions(words) {
  const texts = parseWords(words), options = {};
  if (texts.help) return { help: help() };
  for (const option of OPTIONS) options[option.name] = readOption(option, texts[option.name]);
  const { bind, "to-file": list, "admin-token-file": token } = options;
  if (list) readServers(list);
  else if (options.to.length === 0) options.to = [server("127.0.0.1:7777")];
  if (token) options.adminToken = readText("admin-token-file", token, "the server's --admin-token-file").trim();
  if (token && !options.admin) throw new UsageError("--admin-token-file: there is no --admin; give both, or neither");
  if (isWildcard(bind) && options["public-address"].length === 0) {
    throw new UsageError(`--bind: ${bind} is every address of this machine, and the answer would list all of them; add --public-address`);
  }
  if (!isLoopback(bind) && !options.admin && !options["allow-strangers"]) {
    throw new UsageError(`--bind: ${bind} is not a loopback address: everybody could play on a server without keys; ` +
      "give --admin of a server with keys, or --allow-strangers");
  }
  if (options.port !== 0 && options.port === options["figures-port"]) throw new UsageError(`--figures-port: ${options.port} is --port too; give another one`);
  return options;
}

module.exports = { UsageError, parseOptions, readServers, canonical, isLoopback, SERVERS_MAX };
