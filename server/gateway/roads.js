// The two roads between a browser and its link: a WebRTC data channel, and a WebSocket where UDP is blocked. README.md has the
// messages.
//
// A road is {kind, send, close}: `send` takes a datagram for the browser and returns whether the road has taken it.
//
// WebSocket. What the browser has not confirmed is on its way, or waits somewhere, in a kernel too. TCP that only loses packets
// stalls for a moment and then brings all of it at once, so datagrams wait; a road that is too narrow never catches up, so they
// wait half a second at most.
//
// Data channel. The browser reaches the gateway, never the other way round: its candidates are not needed, for its checks tell
// where it is. So the offer is written again from the few values that are needed, and no line of it can name an address.
// SCTP takes each loss for a jam, and sends no more than its window then: one or two of what it believes to be the MTU. What
// waits meanwhile is late by seconds, where a lost datagram would have cost nothing. So the browser's channel drops what is
// older than 100 ms, and SCTP believes in a larger MTU: the gateway's own limits, of rate and of size, bound what it sends.
"use strict";

const rtc = require("node-datachannel");

/** Of a WebSocket: what waits at most; the longest round trip that counts as the road's own; and a total. */
const BACKLOG_MS = 500, ROUND_TRIP_MAX_MS = 500, WAITING_MAX = 256, WAITING_BYTES_MAX = 300_000;
/** The time in which the least round trip is found again. */
const ROUND_TRIP_WINDOW_MS = 10_000;
/** Of a data channel: what is on the way or waits in SCTP, in bytes, and what waits for that: two datagrams. */
const SCTP_BYTES_MAX = 65_536, CHANNEL_WAITING_MAX = 2400;
/** The least window of SCTP, in bytes. */
const SCTP_WINDOW = 9000;

/** Close codes of a WebSocket, by reason; else 1013, try again later. */
const CLOSE_CODES = { moved: 1000, stopping: 1001, malformed: 1008, flood: 1008 };
/** Codes with which browsers close a WebSocket on purpose: 1005 is a close without a code. */
const GOODBYES = [1000, 1001, 1005];

/** Makes a WebSocket the road of a link. */
function takeWebSocket(link, socket, links) {
  const sent = [];  // times of the messages that are not confirmed
  let confirmed = 0, least = ROUND_TRIP_MAX_MS, leastAt = 0;
  const road = {
    kind: "websocket",
    send(bytes) {
      const now = performance.now();
      if (socket.readyState !== socket.OPEN || sent.length >= WAITING_MAX || socket.bufferedAmount > WAITING_BYTES_MAX) return false;
      if (sent.length > 0 && now - sent[0] > least + BACKLOG_MS) return false;
      sent.push(now);
      socket.send(bytes, { binary: true });
      return true;
    },
    close(reason) {
      socket.close(CLOSE_CODES[reason] ?? 1013, reason);
    },
    offerSecret() {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ secret: links.giveSecret(link) }), { binary: false });
    },
  };
  socket.on("message", (bytes, isBinary) => {
    const count = isBinary && bytes.length >= 2 ? (bytes.readUInt16LE(0) - confirmed) & 0xffff : Infinity;
    if (count > sent.length) {
      if (link.road === road) link.close("malformed");
      else socket.terminate();
      return;
    }
    confirmed = bytes.readUInt16LE(0);
    const now = performance.now(), times = sent.splice(0, count);
    if (times.length > 0) {
      const took = now - times.at(-1);
      if (took < least || now - leastAt > ROUND_TRIP_WINDOW_MS) [least, leastAt] = [Math.min(took, ROUND_TRIP_MAX_MS), now];
    }
    link.receive(bytes.subarray(2));
  });
  // Pages can send neither. An answer to a ping would wait in memory, and no rate counts a pong.
  for (const frame of ["ping", "pong"]) socket.on(frame, () => socket.terminate());
  socket.on("close", (code) => link.lose(road, GOODBYES.includes(code)));
  socket.on("error", () => socket.terminate());
  link.take(road);
  road.offerSecret();
}

/** Returns the offer that says what the gateway needs of a browser's, and nothing else. Fails: nothing for what is none. */
function plainOffer(sdp) {
  const value = (pattern) => new RegExp(`^a=${pattern}\\r?$`, "m").exec(sdp)?.[1];
  const ufrag = value("ice-ufrag:([A-Za-z0-9+/]{4,256})"), pwd = value("ice-pwd:([A-Za-z0-9+/]{22,256})");
  const fingerprint = value("fingerprint:(sha-256 (?:[0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2})"), mid = value("mid:([A-Za-z0-9_-]{1,16})");
  if (!ufrag || !pwd || !fingerprint || !mid || !/^m=application \d{1,5} UDP\/DTLS\/SCTP webrtc-datachannel\r?$/m.test(sdp)) return undefined;
  return ["v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", `a=group:BUNDLE ${mid}`, "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
    "c=IN IP4 0.0.0.0", `a=ice-ufrag:${ufrag}`, `a=ice-pwd:${pwd}`, `a=fingerprint:${fingerprint}`, "a=setup:actpass",
    `a=mid:${mid}`, "a=sctp-port:5000", "a=max-message-size:65536", ""].join("\r\n");
}

/** Returns the answer with the public addresses as its only candidates. */
function withCandidates(sdp, addresses, port) {
  const candidates = addresses.map((address, i) => `a=candidate:${i + 1} 1 UDP ${2122317823 - i} ${address} ${port} typ host\r\n`);
  const others = sdp.replace(/^a=(candidate|end-of-candidates).*\r?\n/gm, "").replace(/^c=.*/m, "c=IN IP4 0.0.0.0").replace(/^m=application \d+/m, "m=application 9");
  return `${others.trimEnd()}\r\n${candidates.join("")}a=end-of-candidates\r\n`;
}

/** Opens the UDP port of WebRTC. Returns answer() and end(). Fails: an error of one line, if the port is not free. */
function openChannels(links, options) {
  const port = options["rtc-port"], { datagramBytes, openMs } = links.limits;
  let count = 0, listener;
  // The library writes what it has to say to stdout. What matters of it is an exception or a state here too.
  rtc.setSctpSettings({ sendBufferSize: SCTP_BYTES_MAX });
  rtc.initLogger("Fatal", () => links.figures.add("rtc_errors_total"));
  try {
    listener = new rtc.IceUdpMuxListener(port, options.bind);
  } catch {
    throw new Error(`--rtc-port: UDP port ${port} of ${options.bind} cannot be opened; is another program there? Give another --rtc-port`);
  }

  /** Answers a plainOffer() for a link. The channel becomes its road when it opens. Fails: an error of one line. */
  async function answer(link, offer) {
    const peer = new rtc.PeerConnection(`browser ${++count}`, {
      iceServers: [], bindAddress: options.bind, enableIceUdpMux: true, mtu: SCTP_WINDOW, maxMessageSize: datagramBytes + 1,
      portRangeBegin: port, portRangeEnd: port, disableAutoNegotiation: true,
    });
    let road = null, isClosed = false, giveUp = () => {};
    const before = link.arriving, arriving = { close: () => end(false) };
    link.arriving = arriving;
    before?.close();
    /** Ends the peer: once, by either side. */
    const end = (isGoodbye) => {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(late);
      peer.close();
      giveUp(new Error("the link has ended"));
      if (road) link.lose(road, isGoodbye);
      if (link.arriving !== arriving) return;
      link.arriving = null;
      if (!link.isClosed && !link.road) link.close("no_channel");
      link.road?.offerSecret?.();  // for the next try
    };
    const late = setTimeout(() => end(false), openMs);
    peer.onStateChange((state) => {
      if (isClosed) return;
      // The browser's own close arrives as "disconnected" too, and ICE is closed then; where UDP has died, ICE has not.
      if (state === "closed" || state === "failed" || state === "disconnected") end(state === "closed" || peer.iceState() === "closed");
    });
    peer.onDataChannel((channel) => {
      if (isClosed) return;
      if (road) return link.close("malformed");  // one channel is enough
      clearTimeout(late);
      road = {
        kind: "webrtc",
        send(bytes) {
          try {
            if (isClosed || !channel.isOpen() || channel.bufferedAmount() > CHANNEL_WAITING_MAX) return false;
            channel.sendMessageBinary(bytes);  // false says that it waits, and it is sent then
            return true;
          } catch {  // closed by the browser between two of these calls, on another thread
            return false;
          }
        },
        close: () => end(true),
      };
      channel.onMessage((bytes) => {
        if (!isClosed) link.receive(typeof bytes === "string" ? Buffer.alloc(0) : Buffer.from(bytes));
      });
      channel.onClosed(() => end(true));
      link.arriving = null;
      link.take(road);
    });
    const described = new Promise((done, fail) => {
      giveUp = fail;
      peer.onGatheringStateChange((state) => {
        if (state === "complete" && !isClosed) done(peer.localDescription().sdp);
      });
    });
    try {
      peer.setRemoteDescription(offer, "offer");
      peer.setLocalDescription("answer");
    } catch {
      end(false);
    }
    const addresses = options["public-address"].length ? options["public-address"] : [options.bind];
    return withCandidates(await described, addresses, options["public-rtc-port"] ?? port);
  }

  // All peers have been closed at the end. The library's cleanup() is left out: it frees some channels twice.
  return { answer, end: () => listener.stop() };
}

module.exports = { openChannels, plainOffer, takeWebSocket };
