// A person plays: the page from the first request to the last goodbye. All play is in the module (client.js), datagrams
// travel by the link (link.js), what the person does is input.js; the picture is the viewer's.
//
// The address has settings behind its #, which no server is sent: token=TEXT, server=ADDRESS (else the token's, or the
// gateway's first), road=ws (no WebRTC), bot=STYLE. A page that has this one in a frame, or has opened it, may give the
// token instead: by postMessage({token}), in answer to {tickbox: "token"}, if the gateway's --origin names it.

import { Client } from "./client.js";
import { Input, words } from "./input.js";
import { Link } from "./link.js";

/** How often figures and scores change, and the ticket is stored: a person cannot read faster. */
const SLOW_MS = 250;
/** A player who waits longer than this for a body is told so. */
const TURN_MS = 1000;
/** How long the page waits for a token of the page around it, before it tries without one. */
const TOKEN_MS = 2000;
/** How long an event stays in the list, in seconds, and how many are listed. */
const FEED_SECONDS = 5, FEED_MAX = 4;
/** Until a page that was reloaded has let go of its ticket. */
const LOCK_MS = 1000;
/** The seat of a player field that names nobody. */
const NOBODY = 65535;
const STORED = `tickbox ${location.pathname}`;
const byId = (id) => document.getElementById(id);

const settings = new URLSearchParams(location.hash.slice(1)), invitation = settings.get("token") ?? "";
settings.delete("token");  // it is not for those who look; a reload needs the others
history.replaceState(null, "", location.pathname + location.search + (String(settings) && `#${settings}`));

const RELOAD = ["Reload", () => location.reload()];
/** Reasons of a server and a client that were built apart: a reload gets the page that the gateway has now. */
const OTHER_BUILD = /^(the server plays|protocol|server and client have|client (has|does not have)) /;
const isOver = (phase) => phase === "refused" || phase === "ended";
const sentence = (text) => text[0].toUpperCase() + text.slice(1).replace(/[.]?$/, ".");
/** The page that has this one in a frame, or has opened it; null if there is none. */
const pageAround = () => window.opener ?? (window.parent !== window ? window.parent : null);
const newLink = (why) => `You need a new link: get it where you got this one (${why}).`;
/** What this tab has stored of its session: {id, ticket, address}. */
const stored = () => JSON.parse(sessionStorage.getItem(STORED) ?? "{}");

/** Shows a sentence, and buttons as ways on: [text, what it does]. An empty sentence hides the card. */
function say(sentence, ...ways) {
  const [text, buttons] = byId("card").children;
  byId("card").hidden = !sentence;
  if (text.textContent !== sentence) text.textContent = sentence;
  buttons.replaceChildren(...ways.map(([name, run]) => {
    const button = make("button", { text: name });
    button.addEventListener("click", run, { once: true });
    return button;
  }));
}

/** Gets the module, and calls `arrived(text)`: how much of it is here. */
async function loadModule(arrived) {
  const response = await fetch("play.wasm"), { headers } = response;
  if (!response.ok) throw new Error(response.statusText);
  const all = Number(headers.get(headers.has("Content-Encoding") ? "X-Plain-Length" : "Content-Length"));
  let size = 0;
  const counted = response.body.pipeThrough(new TransformStream({ transform(part, to) {
    size += part.length;
    arrived(all ? `${Math.floor((100 * size) / all)} %` : `${Math.round(size / 1000)} KB`);
    to.enqueue(part);
  } }));
  return WebAssembly.compileStreaming(new Response(counted, { headers: { "Content-Type": "application/wasm" } }));
}

/** Asks the page around this one for a token. Returns an empty text if it has not answered in time; then `late(token)` may follow. */
function askForToken(origins, late) {
  const around = pageAround();
  say("waiting for the page around this one to let you in");
  return new Promise((done) => {
    let isLate = false;
    setTimeout(() => {
      isLate = true;
      done("");
    }, TOKEN_MS);
    addEventListener("message", function listen({ source, origin, data }) {
      if (source !== around || !origins.includes(origin) || typeof data?.token !== "string") return;
      removeEventListener("message", listen);
      if (isLate) late(data.token);
      else done(data.token);
    });
    for (const origin of origins) around.postMessage({ tickbox: "token" }, origin);
  });
}

/** Claims what the tab has stored, also after a reload. Returns its id; a copy of the tab gets another id, and no ticket. */
async function claimStored() {
  const id = stored().id ?? String(Math.random());
  const hold = (name, signal) => new Promise((done, fail) => {
    navigator.locks.request(`tickbox ${name}`, { signal }, () => {
      done(name);
      return new Promise(() => {});  // as long as the page is there
    }).catch(fail);
  });
  if (!navigator.locks) return id;
  return hold(id, AbortSignal.timeout(LOCK_MS)).catch(() => {
    sessionStorage.removeItem(STORED);
    return hold(String(Math.random()));
  });
}

class Play {
  /** The client's; empty while there is no client of this beginning yet; "failed" if the page cannot go on. */
  phase = "";
  frames = 0;
  busy = 0;  // milliseconds of work
  told = [];  // events in words
  #timer = 0;
  #slowAt = 0;
  #storedAt = 0;
  #enteredAt = 0;
  #session = { number: 0 };
  #why = "";
  #to = "";  // the server to which the client has sent last
  #reloads = false;
  #token = invitation;

  async start() {
    if (invitation) sessionStorage.removeItem(STORED);  // a new match
    await this.#begin();
    const { declared } = this.client;
    document.title = words(declared.game);
    this.declared = declared;
    this.picture = new Picture(byId("field"));
    this.picture.layers.delete("names");
    this.input = new Input({ declared, canvas: byId("field"), stick: byId("stick"), buttons: byId("buttons"), aimFrom: () => this.#place() });
    this.input.onFirst = () => byId("keys").classList.add("seen");
    this.input.connect(this.client);
    this.input.showKeys(byId("keys"));
    this.#listen();
    const frame = () => {
      requestAnimationFrame(frame);
      this.#frame();
    };
    frame();
  }

  /** Begins with a new link and a new client: in the seat of the stored ticket, or else with a token. Fails: with a sentence. */
  async #begin() {
    this.phase = "";
    this.link?.close();
    say("connecting");
    this.module ??= loadModule((part) => this.phase || say(`loading, ${part}`)).catch((cause) => { throw new Error("the game cannot be loaded now", { cause }); });
    this.claim ??= claimStored();
    this.link = new Link({ base: "", mayMove: settings.get("road") !== "ws" && "RTCPeerConnection" in window,
      onDatagram: (bytes) => this.#turn(bytes), onLost: (why) => { this.#why = why; } });
    const [{ servers, origins }, module, id] = await Promise.all([this.link.open(), this.module, this.claim]);
    const { address, ...session } = stored();
    // The gateway lets nobody return to a server that it does not list any more.
    const ticket = servers.some((server) => server.address === address) ? session.ticket : "";
    Object.assign(this, { origins, id });
    if (!ticket && !this.#token && this.#canAsk()) this.#token = await askForToken(origins, (late) => {
      this.#token = late;
      if (isOver(this.phase) || this.phase === "connecting") this.#again();
    });
    const client = await Client.make(module, (bytes, to) => {
      this.#to = to;
      this.link.send(bytes, to);
    });
    // A token names its servers.
    const given = settings.get("server") ?? (this.#token ? "" : servers[0]?.address);
    if (given === undefined && !ticket) throw new Error("there is no server now");
    const open = (more) => client.open({ address: given ?? "", token: this.#token, bot: settings.get("bot") ?? "", seed: Number(settings.get("seed") ?? 1), ...more });
    try {
      open(ticket ? { ticket, address } : {});
    } catch (failure) {
      if (ticket) open();
      else throw /^token\b/.test(failure.message) ? new Error(newLink("its token is damaged"), { cause: failure }) : failure;
    }
    this.client = client;
    this.#session = { ...this.#session, number: 0 };
    this.input?.connect(client);
    this.#enter("connecting");
    this.#turn();
  }

  #again() { return this.#begin().catch((failure) => this.fail(failure, ["Try again", () => this.#again()])); }

  /** Does a part of the work. The page ends if that fails: a client that has failed is of no more use. */
  #work(part) {
    if (this.phase === "failed") return;
    const began = performance.now();
    try {
      part(began);
    } catch (failure) {
      this.fail(failure);
    }
    this.busy += performance.now() - began;
  }

  /** Takes a datagram if one has arrived, runs what is due, and comes again when the client wants it. */
  #turn(datagram) {
    if (this.phase) this.#work((began) => {
      clearTimeout(this.#timer);
      if (datagram) this.client.receive(datagram);
      const next = this.client.step(), { phase } = this.client;
      if (phase !== this.phase) this.#enter(phase);
      if (isOver(phase)) return;
      this.link.check(phase === "playing" || phase === "loading");
      if (began - this.#storedAt >= SLOW_MS) this.#store();
      this.#timer = setTimeout(() => this.#turn(), Math.min(next, 100));
    });
  }

  #enter(phase) {
    this.phase = phase;
    this.#enteredAt = performance.now();
    const { session } = this.client;
    if (session && session.number !== this.#session.number) this.#openMatch(session);
    this.#store();
    if (isOver(phase)) {
      this.link.close();
      // After silence the server may still keep the seat.
      if (phase === "refused" || !this.client.why.startsWith("no answer")) sessionStorage.removeItem(STORED);
      if (this.#canAsk()) this.#token = "";
    }
    this.#sayPhase();
  }

  /** Says what the phase means. At an end it offers one way on: nothing is tried by itself. */
  #sayPhase() {
    const { phase } = this;
    if (phase === "failed") return say(...this.failure);
    if (phase === "playing") return say(document.hidden ? "paused" : "");
    if (phase === "resuming") return say("the connection is lost; connecting again");
    if (phase === "loading") return performance.now() - this.#enteredAt < TURN_MS || say("Wait a moment: your turn comes.");
    if (!isOver(phase)) return say(this.client.session?.matches_ended ? "The match is over. The next one begins." : "connecting");
    const why = (this.client.why || "the match is over").replace(/[:;] .*/, "");  // the rest is for who runs the server
    const again = [phase === "ended" ? "Play again" : "Try again", () => this.#again()], isOfToken = /\btoken\b/.test(why);
    if (OTHER_BUILD.test(why)) return say("The server plays another version of the game.", RELOAD);
    if (isOfToken && this.#canAsk()) return say(`The page around this one has not let you in (${why}).`, again);
    if (why.endsWith("needs a token") || (this.#token && (isOfToken || (phase === "ended" && !stored().ticket)))) {
      return say(newLink(why), ...(history.length > 1 ? [["Go back", () => history.back()]] : []));
    }
    return say(isOfToken ? "The clock of this computer is wrong." : sentence(why), again);  // it has made that token itself
  }

  #canAsk() { return this.origins.length > 0 && pageAround() !== null; }

  fail(failure, way = RELOAD) {
    console.error(failure);
    this.failure = [sentence(failure.message), way];
    this.phase = "failed";
    clearTimeout(this.#timer);
    this.link?.close();
    this.#sayPhase();
  }

  #openMatch(session) {
    this.#session = session;
    this.told = [];
    const game = { walls: this.client.walls, events: this.declared?.events ?? this.client.declared.events };
    this.match = { game, rate: session.tick_rate, tick: session.tick, now: new Moment(session.tick, new Int32Array()), before: null, events: new EventIndex(), details: { seats: {} } };
    this.picture?.open(this.match);
    this.isFramed = false;
  }

  #frame() {
    this.#work((began) => {
      this.input.frame();
      if (this.match) this.#draw();
      if (began - this.#slowAt >= SLOW_MS) {
        this.#slowAt = began;
        this.#showFigures();
        this.#showScore();
        this.#showWords();
        if (this.phase === "loading") this.#sayPhase();
        this.picture.setCards(["figures", "label", "score", "keys", "stick", "buttons"].map(byId));
      }
      ++this.frames;
    });
  }

  #draw() {
    const { match, picture, client } = this;
    const rows = client.rows(match.rate), { camera } = client;
    if (rows.length === 0 && match.now.count > 0) return;  // between two matches the last picture stays
    match.tick = client.session?.tick ?? match.tick;
    match.now = new Moment(match.tick, rows);
    if (!this.isFramed) picture.open(match);
    const { seat } = this.#session;
    picture.followed = seat;
    if (camera) match.details.seats[seat] = { focus: [camera.x * UNIT, camera.y * UNIT], sight: [camera.halfWidth * UNIT, camera.halfHeight * UNIT] };
    this.#readEvents();
    picture.draw(1, !this.isFramed);
    this.isFramed = rows.length > 0;
  }

  /** Rings around the first player that an event names, or from whom it is. */
  #readEvents() {
    const { match } = this, byTick = new Map();
    for (const { type, tick, values, text } of this.client.events) {
      const players = match.game.events[type].fields.filter(({ form }) => form === "player").map(({ first }) => values[first]);
      if (text) this.told.push({ tick, text, seat: players[0] });
      const rows = players.map((seat) => this.picture.rowOfSeat(seat)), at = rows.findIndex((row) => row >= 0);
      if (at < 0) continue;
      const { x, y, w, h } = match.now.box(rows[at]);
      byTick.set(tick, [...(byTick.get(tick) ?? []), { tick, type, seat: players[0], x: x + w / 2, y: y + h / 2 }]);
    }
    for (const [tick, events] of byTick) match.events.add(tick, events);
    match.events.removeBefore(match.tick - 2 * match.rate);
  }

  /** The game's line over the match, and its newest events in words. */
  #showWords() {
    const { tick, rate } = this.match ?? { tick: 0, rate: 1 };
    this.told = this.told.filter((each) => each.tick > tick - FEED_SECONDS * rate).slice(-FEED_MAX);
    const label = this.match ? this.client.label : "", key = JSON.stringify([look.key, label, this.told]);
    if (key === this.words) return;
    this.words = key;
    byId("label").textContent = label;
    byId("label").hidden = !label;
    byId("feed").replaceChildren(...this.told.map(({ text, seat }) => make("div", { children: [...(seat >= 0 && seat < NOBODY ? [markElement(seat)] : []), make("span", { text })] })));
  }

  /** Where the player's body is on the screen; null while it has none. */
  #place() {
    const row = this.match ? this.picture.rowOfSeat(this.#session.seat) : -1;
    if (row < 0) return null;
    const { x, y, w, h } = this.picture.placeOf(row), a = this.picture.worldAt(0, 0), b = this.picture.worldAt(1, 1);
    return { x: (x + w / 2 - a.x) / (b.x - a.x), y: (y + h / 2 - a.y) / (b.y - a.y) };
  }

  /** The best players, by the first number that the game keeps of a player, among those whose numbers are known here. Some may have left. */
  #showScore() {
    const field = this.declared.seat.fields.find(({ form }) => form === "whole");
    const seats = field ? this.client.seats : [], own = this.#session.seat;
    seats.sort((a, b) => b.values[field.first] - a.values[field.first] || a.seat - b.seat);
    const text = JSON.stringify([look.key, own, seats]);
    if (text === this.score) return;
    this.score = text;
    const lines = seats.slice(0, 8).map(({ seat, values }) => make("p", { name: seat === own ? "own" : "", children: [
      markElement(seat), make("span", { text: seat === own ? "you" : `P${seat}` }), make("b", { text: look.number(values[field.first]) })] }));
    byId("score").replaceChildren(make("h2", { text: field ? `${words(field.name)} so far` : "" }), ...lines);
    byId("score").hidden = lines.length === 0;
  }

  #showFigures() {
    const of = this.figures = this.client.figures, [summary, list, report] = byId("figures").children;
    const share = (part, whole) => (whole > 0 ? `${(100 * part / whole).toFixed(part === whole ? 0 : 1)} %` : "–");
    const ms = (value) => `${value.toFixed(0)} ms`;
    if (of.hashes_wrong) this.#offerReport(report);
    summary.textContent = this.link.kind ? `${ms(of.round_trip_ms)} · ${of.hashes_wrong ? `${of.hashes_wrong} wrong` : `✓ ${look.number(of.hashes_checked)}`}` : this.#why || "not connected";
    summary.className = of.hashes_wrong || !this.link.kind ? "bad" : "";
    if (!byId("figures").open) return;
    const lines = [
      ["road", this.link.kind || "none"], ["round trip, p99", `${ms(of.round_trip_ms)}, ${ms(of.round_trip_p99_ms)}`],
      ["hashes checked", look.number(of.hashes_checked), "good"], ["hashes wrong", look.number(of.hashes_wrong), of.hashes_wrong ? "bad" : "good"],
      ["predictions exact", `${share(of.predictions_exact, of.predictions)} of ${look.number(of.predictions)}`],
      ["inputs late", share(of.inputs_late, of.inputs)], ["others shown after", ms(of.delay_ms)], ["snapshot gap p99", ms(of.gap_p99_ms)],
      ["lost up, down", `${share(of.loss_up, 1)}, ${share(of.loss_down, 1)}`],
      ["kB up, down", `${(of.bytes_up / 1000).toFixed(0)}, ${(of.bytes_down / 1000).toFixed(0)}`],
    ];
    list.replaceChildren(...lines.flatMap(([name, value, mark]) => [make("span", { text: name }), make("b", { text: value, name: mark })]));
  }

  /** The newest report of a wrong hash is a file for the viewer. */
  #offerReport(link) {
    const { desync } = this.client;
    if (!desync) return;
    URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob([desync], { type: "application/json" }));
    link.hidden = false;
  }

  /** Stores what resumes this session. During a hand-over the ticket is one server's and the address the other's. */
  #store() {
    this.#storedAt = performance.now();
    if (this.phase !== "playing" && this.phase !== "loading") return;
    const { ticket } = this.client;
    if (ticket) sessionStorage.setItem(STORED, JSON.stringify({ id: this.id, ticket, address: this.#to }));
  }

  #listen() {
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.input.releaseAll();
      this.#turn();
      if (!document.hidden && isOver(this.phase) && stored().ticket) this.#again();
      else if (this.phase) this.#sayPhase();
    });
    addEventListener("hashchange", () => location.reload());
    // A reload goes on in its seat. A browser that cannot tell it from a goodbye says none.
    window.navigation?.addEventListener("navigate", ({ navigationType }) => { this.#reloads = navigationType === "reload"; });
    addEventListener("pagehide", () => {
      this.#store();
      if (this.#reloads || !window.navigation) return;
      sessionStorage.removeItem(STORED);
      this.client.leave();
    });
    addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
    const scheme = matchMedia("(prefers-color-scheme: light)"), set = () => { look.scheme = scheme.matches ? "light" : "dark"; };
    scheme.addEventListener("change", set);
    set();
  }
}

const play = new Play();
window.play = play;  // for tests and for those who look
play.start().catch((failure) => play.fail(failure));
