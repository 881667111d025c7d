// How datagrams travel from the page to its gateway: a WebSocket at once, and a WebRTC data channel once that is open.
// server/gateway/README.md has what both sides say.

/** A road that is silent this long in play has died: a server sends many times a second. */
const SILENT_MS = 1000;
/** The time in which a channel opens; and until the next try after one that has not, or has died. */
const CHANNEL_OPEN_MS = 10_000, CHANNEL_AGAIN_MS = 20_000;
/** The pause before a lost link is opened again; it doubles up to the second. */
const PAUSE_MS = 250, PAUSE_MAX_MS = 8000;
/** What may wait here before datagrams are lost: two of them. */
const WAITING_MAX = 2400;

/** What the gateway means by the reason with which it closes a WebSocket. */
const REASONS = {
  full: "all places are taken", prefix_full: "too many play from your network", gave_way: "too many are connecting",
  stopping: "the gateway stops", server_silent: "the server does not answer", not_accepted: "the server does not answer",
};

export class Link {
  /** Datagrams that no road has taken; moves between roads. */
  dropped = 0;
  moves = 0;
  #road = null;
  #opening = false;  // a WebSocket
  #wayBack = null;  // the secret with which a WebSocket takes over from the channel
  #tryChannel = 0;
  #pause = PAUSE_MS;
  #again = 0;
  #isClosed = false;
  #heard = 0;
  #checked = 0;
  #servers = new Map();

  /** `onDatagram(bytes)`. `onLost(why)`: there is no road; another try follows by itself. `mayMove`: whether to try WebRTC. */
  constructor({ base, mayMove, onDatagram, onLost }) {
    Object.assign(this, { base, mayMove, onDatagram, onLost });
  }

  /** Asks the gateway for its servers, and opens the first road. Fails: with a sentence. */
  async open() {
    const about = await this.#ask();
    this.#openSocket();
    return about;
  }

  async #ask() {
    const response = await fetch(`${this.base}gateway`, { credentials: "omit" });
    if (!response.ok) throw new Error(await response.text());
    const about = await response.json();
    this.#servers = new Map(about.servers.map(({ index, address }) => [address, index]));
    return about;
  }

  get kind() { return this.#road?.kind ?? ""; }

  /** Sends a datagram to a server by its address, or drops it. */
  send(datagram, to) {
    const index = this.#servers.get(to);
    if (index === undefined && !this.asking) {  // a server that was added later: a match may move there
      this.asking = this.#ask().catch(() => {}).finally(() => setTimeout(() => { this.asking = null; }, 1000));
    }
    if (index === undefined || !this.#road?.send(index, datagram)) ++this.dropped;
  }

  /** Call it several times a second while there is a session. */
  check() {
    const now = performance.now();
    if (now - this.#checked > 500) this.#heard = now;  // the page itself has slept
    this.#checked = now;
    if (this.kind !== "WebRTC" || now - this.#heard < SILENT_MS || this.#opening) return;
    this.#openSocket(this.#wayBack);
    this.#wayBack = null;  // it is good once; without it a link of its own opens, and the session moves there
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#again);
    clearTimeout(this.#tryChannel);
    this.#road?.close();
    this.#road = null;
  }

  #receive(data) {
    this.#heard = performance.now();
    this.#pause = PAUSE_MS;
    if (!this.#isClosed) this.onDatagram(new Uint8Array(data));
  }

  /** Goes on by this road. The gateway closes a WebSocket that came before, once nothing is on its way. */
  #take(road) {
    if (this.#isClosed) return road.close();
    const before = this.#road;
    this.#road = road;
    this.#heard = performance.now();
    if (before) ++this.moves;
    if (before?.kind === "WebRTC") before.close();
    return undefined;
  }

  /** `why`: a reason of the gateway, if it gave one. */
  #lose(road, why) {
    if (this.#road !== road || this.#isClosed) return;
    this.#road = null;
    clearTimeout(this.#tryChannel);
    this.onLost(REASONS[why] ?? "the connection is lost");
    const secret = this.#wayBack;
    this.#wayBack = null;
    if (this.#opening) return;
    this.#again = setTimeout(() => this.#openSocket(secret), secret ? 0 : this.#pause);
    if (!secret) this.#pause = Math.min(PAUSE_MAX_MS, 2 * this.#pause);
  }

  #openSocket(secret) {
    this.#opening = true;
    const socket = new WebSocket(new URL(`${this.base}ws`, location.href).href.replace(/^http/, "ws"), secret ? ["tickbox", `secret.${secret}`] : ["tickbox"]);
    socket.binaryType = "arraybuffer";
    let arrived = 0, isFirst = true;
    const road = {
      kind: "WebSocket",
      send(index, datagram) {
        if (socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > WAITING_MAX) return false;
        const message = new Uint8Array(datagram.length + 3);
        message.set([arrived & 255, (arrived >> 8) & 255, index]);
        message.set(datagram, 3);
        socket.send(message);
        return true;
      },
      close: () => socket.close(1000),
    };
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") {
        ++arrived;
        return this.#receive(data);
      }
      // The gateway has taken it in: the first message is the secret with which a channel takes over.
      if (isFirst) {
        this.#opening = false;
        this.#take(road);
      }
      const wait = isFirst && !secret ? 0 : CHANNEL_AGAIN_MS;
      isFirst = false;
      clearTimeout(this.#tryChannel);
      if (this.mayMove) this.#tryChannel = setTimeout(() => this.#openChannel(JSON.parse(data).secret), wait);
      return undefined;
    };
    socket.onclose = ({ reason }) => {
      if (this.#opening && isFirst) {
        this.#opening = false;
        if (this.#road && performance.now() - this.#heard < SILENT_MS / 2) return;  // the channel was heard again
        this.#road?.close();
        this.#road = road;  // the one that is lost
      }
      this.#lose(road, reason);
    };
  }

  /** A data channel without order and without repetition: datagrams, as UDP has them. */
  async #openChannel(secret) {
    const peer = new RTCPeerConnection({ iceServers: [] });
    const channel = peer.createDataChannel("datagrams", { ordered: false, maxRetransmits: 0 });
    channel.binaryType = "arraybuffer";
    const road = {
      kind: "WebRTC",
      send(index, datagram) {
        if (channel.readyState !== "open" || channel.bufferedAmount > WAITING_MAX) return false;
        const message = new Uint8Array(datagram.length + 1);
        message[0] = index;
        message.set(datagram, 1);
        channel.send(message);
        return true;
      },
      close() {
        channel.onclose = null;
        peer.close();
      },
    };
    let wayBack = null;
    const late = setTimeout(() => peer.close(), CHANNEL_OPEN_MS);
    channel.onopen = () => {
      clearTimeout(late);
      this.#wayBack = wayBack;
      this.#take(road);
    };
    channel.onmessage = ({ data }) => this.#receive(data);
    channel.onclose = () => this.#lose(road);
    try {
      await peer.setLocalDescription();
      // The gateway needs no candidate of this side: the checks that reach it tell where this side is.
      const response = await fetch(`${this.base}rtc`, { method: "POST", body: JSON.stringify({ offer: peer.localDescription.sdp, secret }), credentials: "omit" });
      if (!response.ok) throw new Error(await response.text());
      const { answer, secret: next } = await response.json();
      wayBack = next;
      await peer.setRemoteDescription({ type: "answer", sdp: answer });
    } catch {
      clearTimeout(late);
      peer.close();  // the WebSocket stays the road
    }
  }
}
