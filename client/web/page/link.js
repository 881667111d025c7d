// How datagrams travel from the page to its gateway: a WebSocket at once, and a WebRTC data channel once that is open.
// server/gateway/README.md has what both sides say.

/** A road that is silent this long in play has died: a server sends many times a second. TCP stalls where it loses packets. */
const SILENT_MS = { WebRTC: 1000, WebSocket: 3000 };
/** The time in which a WebSocket opens, and the gateway answers. */
const ANSWER_MS = 5000;
/** The time in which a channel opens; and until the next try after one that has not, or has died. */
const CHANNEL_OPEN_MS = 10_000, CHANNEL_AGAIN_MS = 20_000;
/** The pause before a lost link is opened again; it doubles up to the second. */
const PAUSE_MS = 250, PAUSE_MAX_MS = 8000;
/** What may wait here before datagrams are lost: two of them. */
const WAITING_MAX = 2400;
/** How long a channel sends a datagram, in both directions. What is older is of no use. */
const LIFE_MS = 100;

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
  #opening = null;  // a WebSocket
  #secret = "";  // the newest that is not used: with it another road takes over
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

  /** Opens the first road, and asks the gateway for its servers. Fails: with a sentence. */
  open() {
    this.#openSocket();
    return this.#ask();
  }

  async #ask() {
    const response = await fetch(`${this.base}gateway`, { credentials: "omit", signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
    const about = await (response?.ok ? response.json().catch(() => null) : null);
    if (!about) throw new Error("the game cannot be reached now");
    this.#servers = new Map(about.servers.map(({ index, address }) => [address, index]));
    return about;
  }

  get kind() { return this.#road?.kind ?? ""; }

  /** Sends a datagram to a server by its address, or drops it. */
  send(datagram, to) {
    const index = this.#servers.get(to);
    if (index === undefined && this.#road && !this.asking) {  // another gateway, or a server that was added later
      this.asking = this.#ask().catch(() => {}).finally(() => setTimeout(() => { this.asking = null; }, 1000));
    }
    if (index === undefined || !this.#road?.send(index, datagram)) ++this.dropped;
  }

  /** Call it several times a second while the client wants datagrams. `isPlaying`: whether the server sends all the time. */
  check(isPlaying) {
    const now = performance.now();
    if (now - this.#checked > 500) this.#heard = now;  // the page itself has slept
    this.#checked = now;
    if (this.#isSilent && !this.#opening && (isPlaying || this.kind === "WebRTC")) this.#openSocket();
  }

  get #isSilent() { return this.#road && performance.now() - this.#heard >= SILENT_MS[this.kind]; }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#again);
    clearTimeout(this.#tryChannel);
    this.#opening?.close();
    this.#road?.close();
    this.#opening = this.#road = null;
  }

  #receive(data) {
    this.#heard = performance.now();
    this.#pause = PAUSE_MS;
    if (!this.#isClosed) this.onDatagram(new Uint8Array(data));
  }

  /** Goes on by this road. The gateway closes a WebSocket that a channel replaces, once nothing is on its way. */
  #take(road) {
    if (this.#isClosed) return road.close();
    const before = this.#road;
    this.#road = road;
    this.#heard = performance.now();
    if (before) ++this.moves;
    if (road.kind === "WebSocket") before?.close();
    return undefined;
  }

  /** A road has ended or has not opened. `why`: a reason of the gateway, if it gave one. */
  #lose(road, why) {
    road.close();
    const wasOpening = road === this.#opening;
    if (wasOpening) this.#opening = null;
    else if (road !== this.#road) return;  // another road has replaced it
    if (this.#isClosed || (wasOpening && this.#road && !this.#isSilent)) return;  // the road was heard again
    this.#road?.close();
    this.#road = null;
    clearTimeout(this.#tryChannel);
    this.onLost(REASONS[why] ?? "the connection is lost");
    if (this.#opening) return;
    this.#again = setTimeout(() => this.#openSocket(), this.#secret ? 0 : this.#pause);
    if (!this.#secret) this.#pause = Math.min(PAUSE_MAX_MS, 2 * this.#pause);
  }

  /** Opens a WebSocket. Without a secret a link of its own opens, perhaps at another gateway, and the session moves there. */
  #openSocket() {
    const secret = this.#secret;
    this.#secret = "";
    if (!secret) this.#servers.clear();  // indexes are a gateway's own
    const socket = new WebSocket(new URL(`${this.base}ws`, location.href).href.replace(/^http/, "ws"), secret ? ["tickbox", `secret.${secret}`] : ["tickbox"]);
    socket.binaryType = "arraybuffer";
    let arrived = 0, confirmed = 0;
    const confirmation = () => {
      confirmed = arrived;
      return [arrived & 255, (arrived >> 8) & 255];
    };
    const road = this.#opening = {
      kind: "WebSocket",
      send(index, datagram) {
        if (socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > WAITING_MAX) return false;
        const message = new Uint8Array(datagram.length + 3);
        message.set([...confirmation(), index]);
        message.set(datagram, 3);
        socket.send(message);
        return true;
      },
      close() {
        clearTimeout(late);
        socket.onmessage = socket.onclose = null;
        socket.close(1000);
      },
    };
    const late = setTimeout(() => this.#lose(road), ANSWER_MS);
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") {
        ++arrived;
        this.#receive(data);
        // The gateway sends no more while an old datagram is not confirmed, and in the background the next input may be
        // a minute away.
        if (document.hidden && confirmed !== arrived && socket.readyState === WebSocket.OPEN) socket.send(new Uint8Array(confirmation()));
        return undefined;
      }
      this.#secret = JSON.parse(data).secret;
      const isFirst = this.#opening === road;  // the gateway has taken it in
      if (isFirst) {
        clearTimeout(late);
        this.#opening = null;
        this.#take(road);
      }
      return this.#tryChannelIn(isFirst && !secret ? 0 : CHANNEL_AGAIN_MS);
    };
    socket.onclose = ({ reason }) => this.#lose(road, reason);
  }

  #tryChannelIn(ms) {
    clearTimeout(this.#tryChannel);
    if (this.mayMove && !this.#isClosed) this.#tryChannel = setTimeout(() => this.#openChannel(), ms);
  }

  /** A data channel without order and without repetition: datagrams, as UDP has them. */
  async #openChannel() {
    let secret = this.#secret;
    this.#secret = "";
    const peer = new RTCPeerConnection({ iceServers: [] });
    const channel = peer.createDataChannel("datagrams", { ordered: false, maxPacketLifeTime: LIFE_MS });
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
    const late = setTimeout(() => peer.close(), CHANNEL_OPEN_MS);  // the gateway sends another secret
    channel.onopen = () => {
      clearTimeout(late);
      this.#take(road);
    };
    channel.onmessage = ({ data }) => this.#receive(data);
    channel.onclose = () => this.#lose(road);
    try {
      await peer.setLocalDescription();
      // The gateway needs no candidate of this side: the checks that reach it tell where this side is.
      const response = await fetch(`${this.base}rtc`, { method: "POST", body: JSON.stringify({ offer: peer.localDescription.sdp, secret }),
        credentials: "omit", signal: AbortSignal.timeout(ANSWER_MS) });
      if (response.status === 403) secret = "";  // it is used or late
      if (!response.ok) throw new Error(response.statusText);
      const { answer, secret: next } = await response.json();
      this.#secret = next;
      await peer.setRemoteDescription({ type: "answer", sdp: answer });
    } catch {  // the WebSocket stays the road
      clearTimeout(late);
      peer.close();
      this.#secret ||= secret;
      if (this.#secret) this.#tryChannelIn(CHANNEL_AGAIN_MS);
    }
  }
}
