// The client of a game: loads play.wasm in a page, a worker or Node, and makes its functions easy to call. Each is
// described in client/web/exports.cpp and tickbox/client.h. One Client has one module; times are the page's own.

const PHASES = ["idle", "connecting", "loading", "playing", "resuming", "refused", "ended"];
/** Numbers of 32 bits in a row, as the viewer's moment.js has it. */
export const ROW_LENGTH = 12;
/** A longer datagram is none of this server. */
const DATAGRAM_MAX = 1201;
const NO_SUCH_FUNCTION = 52, CLOCK_REALTIME = 0;
/** The clock of the client begins above 0. */
const now = () => performance.now() + 1000;

export class Client {
  #exports;
  #buffer;
  #send;
  #said = "";
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();

  /** Makes a client that is not open yet. `module`: a WebAssembly.Module. `send(datagram, to)` must not call the client. */
  static async make(module, send) {
    const client = new Client();
    client.#send = send;
    const imports = { tickbox: {
      send: (to, at, size) => send(client.#bytes(at, size).slice(), client.#text(to)),
      random: (at, size) => void crypto.getRandomValues(client.#bytes(at, size)),
    } };
    const known = {
      clock_time_get: (clock, precision, at) => client.#writeTime(clock, at),
      fd_write: (file, at, count, written) => client.#write(at, count, written),
    };
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] ??= known[name] ?? (() => NO_SUCH_FUNCTION);
    }
    client.#exports = (await WebAssembly.instantiate(module, imports)).exports;
    client.#exports._initialize();
    client.#buffer = client.#exports.play_buffer();
    return client;
  }

  // A new view each time: memory that grows leaves the old ones empty.
  #bytes(at, size) { return new Uint8Array(this.#exports.memory.buffer, at, size); }
  get #view() { return new DataView(this.#exports.memory.buffer); }

  #writeTime(clock, at) {
    const ms = clock === CLOCK_REALTIME ? Date.now() : now();
    this.#view.setBigUint64(at, BigInt(Math.round(ms)) * 1_000_000n, true);
    return 0;
  }

  /** Keeps what the module says when an assertion fails. */
  #write(at, count, written) {
    let all = 0;
    for (let i = 0; i < count; ++i) {
      const size = this.#view.getUint32(at + 8 * i + 4, true);
      this.#said += this.#decoder.decode(this.#bytes(this.#view.getUint32(at + 8 * i, true), size));
      all += size;
    }
    this.#view.setUint32(written, all, true);
    return 0;
  }

  /** Calls an export. Fails: with what the module said; then the client is of no more use. */
  #call(name, ...values) {
    try {
      return this.#exports[`play_${name}`](...values);
    } catch (failure) {
      throw new Error(`the client has failed: ${this.#said || failure}`, { cause: failure });
    }
  }

  #text(at) {
    const rest = new Uint8Array(this.#exports.memory.buffer, at);
    return this.#decoder.decode(rest.subarray(0, rest.indexOf(0)));
  }

  #json(name) { return JSON.parse(this.#text(this.#call(name))); }

  /** Puts texts into the buffer. Fails: if they are too long. */
  #put(...texts) {
    const bytes = this.#encoder.encode(texts.map((text) => `${text}\0`).join(""));
    if (bytes.length > this.#call("buffer_bytes")) throw new Error("the token is too long; get a new link");
    this.#bytes(this.#buffer, bytes.length).set(bytes);
    return bytes.length;
  }

  /** Connects. An empty token is for a server without keys. Fails: with why. */
  open({ address, token = "", ticket = "", bot = "", seed = 1 }) {
    const size = this.#put(address, token, ticket, bot);
    const why = this.#text(this.#call("open", seed, now()));
    this.#bytes(this.#buffer, size).fill(0);
    if (why) throw new Error(why);
  }

  /** Takes the bytes of a datagram. */
  receive(bytes) {
    const size = Math.min(bytes.length, DATAGRAM_MAX);
    this.#bytes(this.#buffer, size).set(bytes.subarray(0, size));
    this.#call("receive", size);
  }

  /** Runs what is due. Returns after how many milliseconds it wants the next call. */
  step() { return Math.max(0, this.#call("step", now()) - now()); }
  get phase() { return PHASES[this.#call("phase")]; }
  /** Why it was refused or has ended. */
  get why() { return this.#text(this.#call("why")); }
  /** Resumes this session, also after a reload; a secret. */
  get ticket() { return this.#text(this.#call("ticket")); }
  /** The newest report of a wrong hash since the last call, as a document. */
  get desync() { return this.#text(this.#call("desync")); }
  leave() { this.#call("leave"); }
  close() { this.#call("close"); }

  get declared() { return this.#json("declared"); }
  get session() { return this.#json("session"); }
  get walls() { return this.#json("walls"); }
  /** The game's line over the match; empty if it has none. */
  get label() { return this.#text(this.#call("label")); }
  get events() { return this.#json("events"); }
  get seats() { return this.#json("seats"); }
  get figures() { return this.#json("figures"); }

  /** Says that a key, such as "w" or "space", went down or up. Returns whether the game uses it. */
  key(name, isDown) {
    this.#put(name);
    return Boolean(this.#call("key", isDown));
  }
  /** Sets a value of the input by its number. */
  input(number, value) { this.#call("input", number, value); }
  releaseAll() { this.#call("release_all"); }

  /** The entities to draw now, ROW_LENGTH numbers each. */
  rows(tickRate) {
    const at = this.#call("rows", now(), tickRate);
    return new Int32Array(this.#exports.memory.buffer, at, this.#call("count") * ROW_LENGTH).slice();
  }
  /** What the player sees, for the last rows, in units; null before the first view. */
  get camera() {
    const at = this.#call("camera");
    if (at === 0) return null;
    const [x, y, halfWidth, halfHeight] = new Float64Array(this.#exports.memory.buffer, at, 4);
    return { x, y, halfWidth, halfHeight };
  }

  get memoryBytes() { return this.#exports.memory.buffer.byteLength; }
}
