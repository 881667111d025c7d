// The links of the gateway: what a browser may send, at which servers, and which browsers have a place.
//
// A link is one browser. It has a road to the browser (roads.js) or, while that moves, none; and a connected UDP socket to
// each server that it plays on: one, or two during a hand-over. A datagram up begins with the index of its server. The
// gateway holds no key: of a datagram it reads the type in the first byte, and no other byte.
//
// Invariants: every link is either pending or playing. It plays once a server has accepted it. A closed link has neither
// road nor socket.
"use strict";

const dgram = require("node:dgram"), net = require("node:net");
const { randomBytes } = require("node:crypto");
const { canonical, SERVERS_MAX } = require("./options.js");

const LIMITS = {
  datagramBytes: 1200,
  upPerSecond: 300,            // an input a tick at 240 Hz, and some more
  upBytesPerSecond: 200_000,
  opensPerSecond: 20,          // datagrams that open a session: a client repeats its request four times a second
  opensOfPrefixPerSecond: 128, // a quarter of what a server opens of one network, as which it sees the gateway
  flood: 1_000,                // messages over the rates between two sweeps: this browser does not play
  sweepMs: 250,
  serversOfLink: 2,            // the old one and the next, during a hand-over
  secretMs: 10_000,            // after the road was last heard
  movesPerSecond: 0.2, movesAtOnce: 2,
  openMs: 10_000,              // from the answer until the channel is open
  pendingMs: 10_000,           // until a server accepts the browser
  silenceMs: 15_000,           // of a browser
  serverSilenceMs: 30_000,     // of all servers of a browser that plays
  bothRoadsMs: 1_000,          // the road before stays open, for what is on its way
  lastWordsMs: 100,            // a closed link's last datagrams are on their way
};

/** A rate: `perSecond`, with at most `burst` at once. */
class Bucket {
  #left;
  #at = performance.now();

  constructor(perSecond, burst = perSecond) {
    this.perSecond = perSecond;
    this.burst = this.#left = burst;
  }

  take(count = 1) {
    const now = performance.now();
    this.#left = Math.min(this.burst, this.#left + ((now - this.#at) / 1000) * this.perSecond);
    this.#at = now;
    if (this.#left < count) return false;
    this.#left -= count;
    return true;
  }
}

const PREFIXES_MAX = 4096;

/** A rate for each prefix. The prefix that came first is forgotten where there are too many. */
class Buckets {
  #buckets = new Map();

  constructor(perSecond, burst) {
    Object.assign(this, { perSecond, burst });
  }

  take(prefix) {
    const bucket = this.#buckets.get(prefix) ?? new Bucket(this.perSecond, this.burst);
    this.#buckets.delete(prefix);
    this.#buckets.set(prefix, bucket);
    if (this.#buckets.size > PREFIXES_MAX) this.#buckets.delete(this.#buckets.keys().next().value);
    return bucket.take();
  }
}

/** Returns the prefix that limits count: of IPv4 three bytes, of IPv6 the first three groups of the expanded address. */
function prefixOf(address) {
  if (net.isIPv4(address)) return `${address.split(".").slice(0, 3).join(".")}.0/24`;
  const [head, tail] = canonical(address.replace(/%.*/, "")).split("::");
  const before = head === "" ? [] : head.split(":"), after = tail ? tail.split(":") : [];
  const groups = tail === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") {
    const [high, low] = groups.slice(6).map((group) => parseInt(group, 16));
    return `${high >> 8}.${high & 255}.${low >> 8}.0/24`;
  }
  return `${groups.slice(0, 3).join(":")}::/48`;
}

/** Returns the oldest element of the prefix that has the most; of an iterable in order of age. */
function firstToGiveWay(elements) {
  const byPrefix = new Map();
  for (const element of elements) {
    if (!byPrefix.get(element.prefix)?.push(element)) byPrefix.set(element.prefix, [element]);
  }
  return [...byPrefix.values()].reduce((most, of) => (of.length > most.length ? of : most))[0];
}

/** The servers that links may reach. An index names the same server until that is removed and no link uses it. */
class Servers {
  #all = [];

  /** Lists these servers and no others. Returns whether that changes anything. */
  list(servers) {
    const wanted = new Map(servers.map((server) => [server.text, server]));
    let isChanged = false;
    for (const server of this.#all) {
      const isListed = wanted.delete(server.text);
      isChanged ||= isListed !== server.isListed;
      server.isListed = isListed;
    }
    for (const server of wanted.values()) {
      const free = this.#all.findIndex(({ isListed, links }) => !isListed && links === 0);
      const index = this.#all.length < SERVERS_MAX ? this.#all.length : free;
      if (index < 0) break;  // all others have players; the next change tries again
      this.#all[index] = { ...server, index, isListed: true, links: 0 };
      isChanged = true;
    }
    return isChanged;
  }

  at(index) { return this.#all[index]; }
  get listed() { return this.#all.filter(({ isListed }) => isListed).map(({ index, text }) => ({ index, address: text })); }
}

/** Types of packets, the low six bits of their first byte. A server shows that it takes a browser for a player by an ACCEPT, and
 * by a CHALLENGE to a session that has come from another address. INPUT is the first type after those that open a session. */
const ACCEPT = 4, INPUT = 8, CHALLENGE = 11, TYPE_BITS = 0x3f;

class Link {
  #links;
  #sockets = new Map();  // by server
  #rates;
  #over = 0;

  /** Made by Links.open(). `origin` is that of the page: another one may not take the link over. */
  constructor(links, prefix, origin) {
    const { limits } = this.#links = links;
    this.#rates = { up: new Bucket(limits.upPerSecond), upBytes: new Bucket(limits.upBytesPerSecond), opens: new Bucket(limits.opensPerSecond),
      servers: new Bucket(1, limits.serversOfLink) };
    this.moves = new Bucket(limits.movesPerSecond, limits.movesAtOnce);
    Object.assign(this, { prefix, origin, isClosed: false, road: null, arriving: null, secret: null, began: performance.now() });
    this.heard = this.serverHeard = this.began;
  }

  /** Takes a message of the browser: the index of a server, then a datagram. Without a datagram it only counts. */
  receive(bytes) {
    if (this.isClosed) return;
    const { figures, limits } = this.#links;
    const drop = (reason) => figures.add("dropped_total", { direction: "up", reason });
    this.heard = performance.now();
    if (!this.#rates.up.take() || !this.#rates.upBytes.take(bytes.length) || !this.#mayOpen(bytes)) {
      drop("rate");
      if (++this.#over > limits.flood) this.close("flood");
      return;
    }
    if (bytes.length === 0) return;
    if (bytes.length < 2 || bytes.length > limits.datagramBytes + 1) return drop("size");
    const to = this.#socketTo(bytes[0]);
    if (!to) return drop("server");
    const datagram = bytes.subarray(1);
    if (to.isReady) this.#send(to, datagram);
    else if (to.held.length < 4) to.held.push(datagram);
    else drop("not_ready");
  }

  /** Whether a message is none that opens a session, or is within their rates. Until a server accepts the browser, each is one. */
  #mayOpen(bytes) {
    if (bytes.length < 2 || (this.isPlaying && (bytes[1] & TYPE_BITS) >= INPUT)) return true;
    return this.#rates.opens.take() && this.#links.opensOfPrefix.take(this.prefix);
  }

  #send({ socket }, datagram) {
    this.#links.figures.add("datagrams_total", { direction: "up" });
    this.#links.figures.add("bytes_total", { direction: "up" }, datagram.length);
    socket.send(datagram);
  }

  /** Returns the socket to a server, which is made for its first datagram; nothing for a server that may not be reached. */
  #socketTo(index) {
    const server = this.#links.servers.at(index), there = this.#sockets.get(server);
    if (there) {
      there.used = this.heard;
      return there;
    }
    if (!server?.isListed || !this.#rates.servers.take()) return undefined;
    if (this.#sockets.size >= this.#links.limits.serversOfLink) {
      this.#closeSocket([...this.#sockets.values()].sort((a, b) => a.used - b.used)[0]);
    }
    const made = { server, socket: dgram.createSocket(net.isIPv6(server.host) ? "udp6" : "udp4"), isReady: false, held: [], used: this.heard };
    this.#sockets.set(server, made);
    ++server.links;
    made.socket.on("error", () => this.#links.figures.add("socket_errors_total"));  // a server that is not there, no descriptor
    // A connected socket takes datagrams of its server alone.
    made.socket.connect(server.port, server.host, (failure) => {
      if (failure) return this.#links.figures.add("socket_errors_total");
      made.isReady = true;
      for (const datagram of made.held.splice(0)) this.#send(made, datagram);
    });
    made.socket.on("message", (bytes) => this.#deliver(bytes));
    return made;
  }

  #closeSocket(made) {
    this.#sockets.delete(made.server);
    --made.server.links;
    setTimeout(() => made.socket.close(), this.#links.limits.lastWordsMs);
  }

  /** Takes a datagram of a server to the browser. What the road does not take at once is lost. */
  #deliver(bytes) {
    if (this.isClosed || bytes.length === 0) return;
    const { figures, limits } = this.#links;
    this.serverHeard = performance.now();
    const type = bytes[0] & TYPE_BITS;
    if (type === ACCEPT || type === CHALLENGE) this.#links.admit(this);
    if (this.isClosed) return;
    if (bytes.length > limits.datagramBytes || !this.road?.send(bytes)) {
      figures.add("dropped_total", { direction: "down", reason: this.road ? "road" : "no_road" });
      return;
    }
    figures.add("datagrams_total", { direction: "down" });
    figures.add("bytes_total", { direction: "down" }, bytes.length);
  }

  /** Goes on by this road. The one before stays open for a moment, for what is on its way. */
  take(road) {
    const before = this.road;
    this.road = road;
    this.heard = performance.now();
    if (before) setTimeout(() => before.close("moved"), this.#links.limits.bothRoadsMs);
    this.#links.figures.add(before || this.hadRoad ? "moved_total" : "opened_total", { road: road.kind });
    this.hadRoad = true;
  }

  /** A road has ended: with a goodbye, or else a browser may come back by another road for as long as its secret lives. */
  lose(road, isGoodbye) {
    if (this.isClosed || road !== this.road) return;
    this.road = null;
    if (isGoodbye) this.close("left");
  }

  close(reason) {
    if (this.isClosed) return;
    const { road, arriving } = this;
    Object.assign(this, { isClosed: true, road: null, arriving: null });
    this.#links.forget(this, reason);
    road?.close(reason);
    arriving?.close(reason);
    for (const made of [...this.#sockets.values()]) this.#closeSocket(made);
  }

  /** Returns why the link must end now, if it must. Asked by each sweep. */
  overdue(now) {
    const { limits } = this.#links;
    this.#over = 0;
    if (!this.isPlaying && now - this.began > limits.pendingMs) return "not_accepted";
    if (now - this.heard > (this.road ? limits.silenceMs : limits.secretMs)) return "silent";
    if (this.isPlaying && now - this.serverHeard > limits.serverSilenceMs) return "server_silent";
    return undefined;
  }
}

class Links {
  #pending = new Set();
  #playing = new Set();
  #bySecret = new Map();
  #sweep;

  constructor({ servers, options, figures, log, limits = {} }) {
    Object.assign(this, { servers, options, figures, log, limits: { ...LIMITS, ...limits } });
    this.opensOfPrefix = new Buckets(this.limits.opensOfPrefixPerSecond);
    this.#sweep = setInterval(() => this.#closeOverdue(), this.limits.sweepMs);
    figures.gauges.push(() => ({
      'links{state="pending"}': this.#pending.size,
      'links{state="playing"}': this.#playing.size,
    }));
  }

  /** Returns why no further browser of this prefix can play, if so. */
  refusal(prefix) {
    if (this.#playing.size >= this.options.players) return "full";
    let count = 0;
    for (const link of this.#playing) count += link.prefix === prefix;
    return count >= this.options["players-per-prefix"] ? "prefix_full" : undefined;
  }

  /** Makes a pending link. */
  open(prefix, origin) {
    if (this.#pending.size >= this.options.pending) firstToGiveWay(this.#pending).close("gave_way");
    const link = new Link(this, prefix, origin);
    this.#pending.add(link);
    return link;
  }

  /** A server has accepted the link: it plays, if there is a place. */
  admit(link) {
    if (link.isPlaying) return;
    const refusal = this.refusal(link.prefix);
    if (refusal) return link.close(refusal);
    this.#pending.delete(link);
    this.#playing.add(link);
    link.isPlaying = true;
    this.log("info", "link_accepted", { road: link.road?.kind ?? "none", prefix: link.prefix, playing: this.#playing.size });
  }

  /** Gives the link a secret in place of the one before: who shows it takes the link over by another road. */
  giveSecret(link) {
    this.#bySecret.delete(link.secret);
    link.secret = randomBytes(16).toString("hex");
    this.#bySecret.set(link.secret, link);
    return link.secret;
  }

  /** Returns the link of a secret. Fails: nothing for an unknown, used or late one, or another origin. */
  linkOf(secret, origin) {
    const link = this.#bySecret.get(secret);
    return link && link.origin === origin && performance.now() - link.heard <= this.limits.secretMs ? link : undefined;
  }

  forget(link, reason) {
    this.#pending.delete(link);
    this.#bySecret.delete(link.secret);
    this.figures.add("closed_total", { reason });
    if (!this.#playing.delete(link)) return;
    const played = ((performance.now() - link.began) / 1000).toFixed(1);
    this.log("info", "link_closed", { reason, prefix: link.prefix, played_s: played, playing: this.#playing.size });
  }

  #closeOverdue() {
    const now = performance.now();
    for (const link of [...this.#pending, ...this.#playing]) {
      const reason = link.overdue(now);
      if (reason) link.close(reason);
    }
  }

  get playing() { return this.#playing.size; }

  end() {
    clearInterval(this.#sweep);
    for (const link of [...this.#pending, ...this.#playing]) link.close("stopping");
  }
}

module.exports = { Bucket, Buckets, Links, LIMITS, Servers, firstToGiveWay, prefixOf };
