// The page: what is open, what plays, and what hands and keys do.
"use strict";

const SPEEDS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32, 64];
const SPEED_NAMES = ["×⅛", "×¼", "×½", "×1", "×2", "×4", "×8", "×16", "×32", "×64"];
/** The milliseconds of a frame that may be spent on steps. */
const STEP_MS = 12;
/** How often the panels are drawn, in milliseconds. */
const PANEL_MS = 100;
/** The keys that act again while they are held. */
const REPEATED = [",", ".", "+", "-", "ArrowLeft", "ArrowRight"];
/** How far a live picture is behind the newest tick, in seconds: slower below the first, faster above the second. */
const BEHIND_LEAST = 0.1, BEHIND_MOST = 0.2, BEHIND_JUMP = 1;

class Viewer {
  match = null;
  proof = null;
  isPlaying = false;
  /** What a live page keeps to scroll back, in seconds. */
  keptSeconds = 600;
  #speed = SPEEDS.indexOf(1);
  /** The part of the next tick that has passed, in ticks. */
  #clock = 0;
  #last = 0;
  #panelsAt = 0;
  #wanted = {};
  /** The follower of a room; null: a file is open. */
  #live = null;
  #atNow = true;
  /** Draws the two worlds of a desync. */
  #worlds = null;
  /** What is open. */
  name = "";
  /** Counts what was opened: a room is followed until something else is. */
  #opened = 0;
  /** Counts what was asked for: the last wish is opened, however long the others take. */
  #wished = 0;
  /** What was found of each room, in a few lines: a stream that begins again does not undo it. */
  #found = new Map();

  /** `wasm`: the module, once it is compiled. `source`: the page's script, for the worker. */
  constructor(wasm, source) {
    this.wasm = wasm;
    this.source = source;
    const find = (id) => document.getElementById(id);
    this.parts = Object.fromEntries([...document.querySelectorAll("[id]")].map((each) => [each.id, each]));
    this.picture = new Picture(find("field"));
    this.timeline = new TimeLine(find("time"), (tick) => this.seek(tick));
    find("players").open = innerWidth > 700;
    const scheme = matchMedia("(prefers-color-scheme: light)");
    const choose = () => { look.scheme = scheme.matches ? "light" : "dark"; this.drawPanels(); };
    scheme.onchange = choose;
    choose();
    this.#listen();
    requestAnimationFrame((moment) => this.#frame(moment));
  }

  // --- opening ---

  /** Notes that something is asked for. Returns what says whether it is still the last wish. */
  wish() {
    const number = ++this.#wished;
    return () => this.#wished === number;
  }

  /** Shows a recording, or the file of a desync. What cannot be shown leaves what is open. */
  async open(bytes, name, isWanted = this.wish()) {
    const wasm = await this.wasm;
    const engine = await tickbox.load(wasm);
    if (!isWanted()) return;
    if (name.endsWith(".json") || bytes[0] === 0x7b) return this.#openDesync(bytes, name);
    const isWhole = engine.append(bytes);
    engine.end();
    if (!isWhole) return this.refuse(name, { words: "it is longer than 512 MiB; cut it with tickbox replay cut" });
    const isRead = engine.read();
    const log = engine.log();
    if (!isRead || log.state !== "open") return this.refuse(name, log.refusal ?? { words: "it has no header" }, log);
    if (log.first === null || !engine.seek(log.first)) return this.refuse(name, { words: "it has no tick that can be shown" }, log);
    const match = new Match(engine);
    ++this.#opened;
    this.#begin(match, name);
    this.proof.start(this.source, wasm, bytes, match.events, () => this.#proved());
    this.play(true);
  }

  /** Shows logs that grow, one after the other. Returns what takes their bytes. */
  follow(name) {
    this.wish();
    const number = ++this.#opened;
    const live = { name, engine: null, isOpen: false, hasEnded: true };
    const isCurrent = () => this.#opened === number;
    return {
      /** Whether nothing else was opened since. */
      get isCurrent() { return isCurrent(); },
      /** Begins a log in place of the one before. */
      begin: async () => Object.assign(live, { engine: await tickbox.load(await this.wasm), isOpen: false, hasEnded: false }),
      append: (bytes) => { if (isCurrent() && !live.hasEnded) this.#receive(live, bytes); },
      /** Notes that the stream has broken off: the log may go on. */
      cut: (words) => { if (isCurrent() && live.isOpen && !live.hasEnded) this.#setSign("cut off", words); },
      end: () => { if (isCurrent() && !live.hasEnded) this.#endLive(live); },
    };
  }

  /** Says what a room is: "live", "cut off" or "ended". */
  #setSign(what, words = "") {
    const { live: sign, now } = this.parts;
    setText(sign, what.toUpperCase());
    sign.dataset.is = what;
    sign.hidden = !this.#live;
    now.hidden = !this.#live || what !== "live";
    if (words) this.say(words);
  }

  #receive(live, bytes) {
    try {
      this.#read(live, bytes);
    } catch (failure) {
      this.#fail(live.name, { what: "file", words: failure.message });
    }
  }

  #read(live, bytes) {
    const { engine } = live;
    if (!engine.append(bytes)) return this.#endLive(live, "the page can hold no more of it");
    if (!engine.read()) {
      const log = engine.log();
      return this.#fail(live.name, log.refusal, log);
    }
    if (!live.isOpen) {
      const log = engine.log();
      if (log.state !== "open" || log.first === null || !engine.seek(log.last)) return;
      live.isOpen = true;
      this.#begin(new Match(engine), live.name, live);
      this.match.seek(this.match.last);
      this.play(true);
    }
    this.#setSign("live");
    this.match.readLog();
    // Also here, because a page that is hidden draws nothing.
    this.proof.follow(engine, STEP_MS);
    this.#forget();
  }

  #forget() {
    const { match } = this;
    const oldest = match.last - this.keptSeconds * match.rate;
    if (oldest <= match.first) return;
    match.engine.removeBefore(oldest);
    match.readLog();
    match.events.removeBefore(match.first);
    // A page that is hidden draws nothing, and stays at what is played now.
    if (match.tick < match.first) match.seek(this.#atNow ? match.last : match.first);
  }

  #endLive(live, words = "the match has ended") {
    live.engine.end();
    live.engine.read();
    live.hasEnded = true;
    if (live.isOpen) this.match.readLog();
    this.#setSign("ended", words);
  }

  #begin(match, name, live = null) {
    this.stop();
    this.match = match;
    this.#live = live;
    this.#atNow = true;
    this.proof = new Proof();
    if (live) this.proof.earlier = this.#found.get(name) ?? [];
    this.name = name;
    this.picture.open(match);
    const { game, log } = match;
    const when = look.moment(log.recorded.start_ms);
    document.title = `${game.game} · Tickbox`;
    this.parts.title.textContent = game.game;
    this.parts.about.textContent = [name, game.map, `version ${game.version}`, `${match.rate} Hz`, when].filter(Boolean).join(" · ");
    this.parts.event.hidden = game.events.length === 0;
    this.#show("open", "world", "controls", "badge");
    this.#setSign("live");
    delete document.body.dataset.verdict;
    delete document.body.dataset.events;
    this.#clock = 0;
    this.drawPanels();
  }

  /** Shows these parts of the page, and no others. */
  #show(state, ...names) {
    for (const name of ["world", "controls", "badge", "worlds", "rooms", "start"]) this.parts[name].hidden = !names.includes(name);
    document.body.dataset.state = state;
  }

  /** Ends what is open, because it cannot be shown any more. */
  #fail(name, refusal, log = null) {
    this.close();
    this.refuse(name, refusal, log);
  }

  /** Says why something cannot be shown. What is open stays. */
  refuse(name, refusal, log = null) {
    const { problem } = this.parts;
    const lines = [make("strong", { text: `${name} cannot be shown` }), make("p", { text: refusal.words })];
    if (log?.recorded && refusal.what !== "file") {
      const { recorded, here } = log;
      const of = (what, { version, simulation, commit }, game) => make("tr", { children: [make("th", { text: what }),
        make("td", { text: version === null ? `not ${game}` : `${game} ${version}` }), make("td", { text: simulation }), make("td", { text: commit })] });
      const head = make("tr", { children: ["", "game", "simulation", "commit"].map((text) => make("th", { text })) });
      lines.push(make("table", { children: [head, of("recorded by", recorded, recorded.game), of("this page", here, recorded.game)] }),
        make("p", { text: "Open it with the page that its server has put beside its recordings, or with that of the version that recorded it." }));
    }
    const close = make("button", { text: "Close" });
    close.onclick = () => { problem.hidden = true; };
    problem.replaceChildren(...lines, close);
    problem.hidden = false;
    if (["loads", "waits"].includes(document.body.dataset.state)) document.body.dataset.state = "refused";
    this.say(`${name} cannot be shown: ${refusal.words}`);
  }

  #openDesync(bytes, name) {
    let desync;
    try {
      desync = readDesync(bytes);
    } catch (failure) {
      return this.refuse(name, { what: "file", words: failure.message });
    }
    ++this.#opened;
    const beside = this.match;
    this.stop();
    this.#show("desync", "worlds");
    this.parts.title.textContent = "desync";
    this.parts.about.textContent = name;
    document.title = "desync · Tickbox";
    this.#worlds = drawWorlds(this.parts.worlds, desync, beside);
  }

  /** Keeps what was found of a room, with its ticks. */
  #remember() {
    if (!this.#live || !this.match) return;
    const { name } = this.#live, before = this.#found.get(name) ?? [];
    const [kind, words] = ownVerdictLine(this.match, this.proof, true);
    if (kind === "bad" && !before.includes(words)) this.#found.set(name, [...before, words].slice(-3));
  }

  /** Ends what is open. */
  stop() {
    this.#remember();
    this.play(false);
    this.proof?.stop();
    this.#worlds?.disconnect();
    this.#worlds = null;
    this.#live = null;
    this.match = this.proof = null;
    this.parts.live.hidden = true;
    this.parts.problem.hidden = true;
  }

  /** Shows where another file can be opened. */
  close() {
    this.wish();
    ++this.#opened;
    this.stop();
    this.#show("waits", "start");
    this.parts.title.textContent = "Tickbox";
    this.parts.about.textContent = "";
  }

  #proved() {
    if (!this.proof) return;
    const { verdict, isWhole } = this.proof;
    if (verdict && !document.body.dataset.verdict) {
      document.body.dataset.verdict = JSON.stringify(verdict);
      this.say(verdictLine(this.match, this.proof)[1]);
    }
    if (isWhole) document.body.dataset.events = "whole";
    this.drawPanels();
  }

  // --- time ---

  /** Shows a tick. */
  seek(tick) {
    const { match } = this;
    if (!match) return;
    match.seek(tick);
    this.#wanted = { tick: Math.max(match.first, Math.min(match.last, Math.round(tick))), shown: match.tick };
    this.#clock = 0;
    this.#atNow = Boolean(this.#live) && match.tick >= match.last;
    this.#drawSettled();
  }

  step(by) {
    this.play(false);
    this.seek(this.match.tick + by);
  }

  play(on) {
    if (on === this.isPlaying) return;
    this.isPlaying = on;
    if (on && !this.#live && this.match.tick >= this.match.last) this.match.seek(this.match.first);
    if (!on && this.match) {
      this.#atNow = false;
      this.#clock = 0;
      this.match.before = null;
      this.#drawSettled();
    }
    const { play } = this.parts;
    play.dataset.is = on ? "playing" : "paused";
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    if (this.match) this.say(on ? "playing" : `paused at tick ${this.match.tick}`);
  }

  setSpeed(by) {
    this.#speed = Math.max(0, Math.min(SPEEDS.length - 1, this.#speed + by));
    this.drawPanels();
  }

  /** To the next event after the present tick, or to the last one before it. */
  seekEvent(direction) {
    const { events, tick } = this.match;
    const to = direction > 0 ? events.after(tick) : events.before(tick);
    if (to === undefined) return this.say(direction > 0 ? "no event follows" : "no event comes before");
    this.play(false);
    this.seek(to);
    this.say(events.at(to).map((event) => this.match.game.events[event.type].name).join(", "));
  }

  /** To the next tick that differs; after the last one, to the first. */
  seekDifference() {
    const { ranges } = this.proof;
    const next = ranges.find(([first]) => first > this.match.tick) ?? ranges[0];
    if (!next) return this.say("no tick differs");
    this.play(false);
    this.seek(next[0]);
  }

  goToNow() {
    this.seek(this.match.last);
    this.#atNow = Boolean(this.#live);
    this.play(true);
  }

  #advance(milliseconds) {
    const { match } = this;
    let pace = SPEEDS[this.#speed];
    if (this.#live && this.#atNow && !this.#live.hasEnded) {
      const behind = (match.last - match.tick) / match.rate;
      pace = behind < BEHIND_LEAST ? 0.9 : behind > BEHIND_MOST ? 1.15 : 1;
      if (behind > BEHIND_JUMP) match.seek(match.last - BEHIND_LEAST * match.rate);
    }
    this.#clock += milliseconds / 1000 * match.rate * pace;
    const end = performance.now() + STEP_MS;
    while (this.#clock >= 1) {
      if (!match.step()) {
        this.#clock = 1;
        if (!this.#live || this.#live.hasEnded) this.play(false);
        else this.#atNow = true;
        break;
      }
      this.#clock -= 1;
      if (performance.now() > end) this.#clock = Math.min(this.#clock, 1);
    }
  }

  // --- drawing ---

  #frame(moment) {
    requestAnimationFrame((next) => this.#frame(next));
    try {
      this.#drawFrame(moment);
    } catch (failure) {
      this.#fail(this.name, { what: "file", words: failure.message });
    }
  }

  #drawFrame(moment) {
    const { match } = this;
    if (match && !this.parts.world.hidden) {
      if (this.isPlaying) this.#advance(Math.min(moment - this.#last, 250));
      this.picture.draw(this.isPlaying ? Math.min(this.#clock, 1) : 1, !this.isPlaying);
      if (moment - this.#panelsAt > PANEL_MS) this.drawPanels(moment);
    }
    this.#last = moment;
  }

  /** Draws a tick as it stays. */
  #drawSettled() {
    if (this.parts.world.hidden) return;
    this.picture.draw(1, true);
    this.drawPanels();
  }

  drawPanels(moment = performance.now()) {
    this.#panelsAt = moment;
    const { match, proof, picture, parts } = this;
    if (!match || !proof) return;
    if (this.#live) proof.follow(match.engine, STEP_MS);
    drawPlayers(parts.players, match, picture);
    parts.inspector.hidden = picture.chosen === null && !parts.inspector.dataset.room;
    if (!parts.inspector.hidden) drawInspector(parts.inspector, match, picture, proof);
    drawLabel(parts.label, match);
    drawFeed(parts.feed, match);
    picture.setCards([parts.players, parts.inspector, parts.label, parts.layers]);
    this.timeline.draw(match, proof);
    const isLive = Boolean(this.#live) && !this.#live.hasEnded;
    const [kind, words] = verdictLine(match, proof, isLive);
    setText(parts.badge, words);
    parts.badge.className = kind;
    const [tick, last, time] = parts.clock.children;
    // Which tick was asked for, while another is shown because that one is lost.
    const { tick: wanted, shown } = this.#wanted;
    const isLost = shown === match.tick && wanted !== shown;
    setText(tick, `${isLost ? `${look.number(wanted)} is lost: ` : ""}${look.number(match.tick)}`);
    setText(last, ` / ${look.number(match.last)}`);
    setText(time, ` · ${look.time(match.tick, match.rate)}`);
    setText(parts.speed, isLive && !parts.now.hidden && this.#atNow ? "live" : SPEED_NAMES[this.#speed]);
  }

  /** Tells a reader who does not see the page. */
  say(words) { setText(this.parts.said, words); }

  // --- hands ---

  choose(row) {
    const { picture, match } = this;
    picture.chosen = row < 0 ? null : match.now.idOf(row);
    this.drawPanels();
    if (row >= 0) this.say(`${match.game.kinds[match.now.rows[match.now.at(row) + 2]].name} ${picture.chosen}`);
  }

  /** Chooses the next entity, or the one before, in the order of ids. */
  chooseNext(by) {
    const { picture, match } = this, { count } = match.now;
    if (count === 0) return;
    const row = picture.chosen === null ? -1 : match.now.find(picture.chosen);
    this.choose(row < 0 ? (by > 0 ? 0 : count - 1) : (row + by + count) % count);
  }

  /** Follows a player, or no more; without a seat the next one. */
  followSeat(seat) {
    const { picture, match } = this;
    const taken = match.details.seats.filter((each) => each.taken).map((each) => each.seat);
    if (seat === undefined) seat = taken[taken.indexOf(picture.followed) + 1];
    picture.followed = seat === undefined || seat === picture.followed ? null : seat;
    picture.free = null;
    this.say(picture.followed === null ? "the whole map" : `following player ${picture.followed}`);
    this.drawPanels();
  }

  /** Shows the whole map; once more, the players. */
  showWhole() {
    const { picture } = this;
    picture.isWhole = picture.followed !== null || picture.free !== null || !picture.isWhole;
    picture.followed = picture.free = null;
    this.drawPanels();
  }

  toggleLayer(n) {
    const box = this.parts.layers.querySelectorAll("input")[n];
    box.click();
    this.say(`${box.value} ${box.checked ? "shown" : "hidden"}`);
  }

  /** Every key, with what it does in words. */
  #keys() {
    const { match, picture } = this;
    const rate = match?.rate ?? 60;
    return [
      [" ", "play or pause", () => this.play(!this.isPlaying)],
      [",", "one tick back", () => this.step(-1)],
      [".", "one tick on", () => this.step(1)],
      ["ArrowLeft", "a second back (with Shift: ten)", (event) => this.seek(match.tick - rate * (event.shiftKey ? 10 : 1))],
      ["ArrowRight", "a second on (with Shift: ten)", (event) => this.seek(match.tick + rate * (event.shiftKey ? 10 : 1))],
      ["Home", "to the first tick", () => this.seek(match.first)],
      ["End", "to the last tick; of a room, to what is played now", () => (this.#live ? this.goToNow() : this.seek(match.last))],
      ["<", "slower", () => this.setSpeed(-1)],
      [">", "faster", () => this.setSpeed(1)],
      ["n", "to the next event", () => this.seekEvent(1)],
      ["b", "to the event before", () => this.seekEvent(-1)],
      ["d", "to the next tick that differs", () => this.seekDifference()],
      ["f", "follow the next player", () => this.followSeat()],
      ["0", "the whole map, or all players", () => this.showWhole()],
      ["+", "nearer", () => picture.zoom(1.25)],
      ["-", "farther", () => picture.zoom(0.8)],
      ["e", "choose the next entity", () => this.chooseNext(1)],
      ["w", "choose the entity before", () => this.chooseNext(-1)],
      ["r", "the state of the room, and the hash", () => this.toggleRoom()],
      ["Escape", "choose nothing", () => this.choose(-1)],
      ...["layers: velocities, 2 contacts, 3 sensors, 4 sight, 5 ids, 6 letters, 7 events' names", "", "", "", "", "", ""].map((words, n) => [String(n + 1), words, () => this.toggleLayer(n)]),
      ["o", "open another file", () => this.parts.file.click()],
      ["?", "these keys", () => this.parts.help.showModal()],
    ];
  }

  toggleRoom() {
    const { inspector } = this.parts;
    if (inspector.dataset.room) delete inspector.dataset.room;
    else inspector.dataset.room = "shown";
    this.picture.chosen = null;
    this.drawPanels();
  }

  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.parts.help.open) return;
    const target = event.target;
    if (target.matches?.("input:not([type=checkbox]), textarea, select")) return;
    // Space and Enter belong to the button that has the focus.
    if (["Enter", " "].includes(event.key) && target.matches?.("button, summary, a, input")) {
      if (event.repeat) event.preventDefault();
      return;
    }
    const keys = this.#keys();
    // What the layout says, or where a layout of other letters has no such key, the place of the key.
    const found = [event.key.length === 1 ? event.key.toLowerCase() : event.key, keyAt(event)]
      .map((key) => keys.find(([name]) => name === key)).find(Boolean);
    if (!found || !(this.match || "o?".includes(found[0]))) return;
    event.preventDefault();
    if (!event.repeat || REPEATED.includes(found[0])) found[2](event);
  }

  #listen() {
    const { parts, picture } = this;
    parts.play.onclick = () => this.play(!this.isPlaying);
    parts.back.onclick = () => this.step(-1);
    parts.on.onclick = () => this.step(1);
    parts.event.onclick = () => this.seekEvent(1);
    parts.now.onclick = () => this.goToNow();
    parts.slower.onclick = () => this.setSpeed(-1);
    parts.faster.onclick = () => this.setSpeed(1);
    parts.fit.onclick = () => this.showWhole();
    parts.badge.onclick = () => this.seekDifference();
    parts.keys.onclick = () => parts.help.showModal();
    parts.other.onclick = () => parts.file.click();
    parts.file.onchange = () => { if (parts.file.files[0]) this.openFile(parts.file.files[0]); parts.file.value = ""; };
    parts.players.onclick = (event) => {
      const row = event.target.closest("[data-seat]");
      if (row) this.followSeat(Number(row.dataset.seat));
    };
    for (const box of parts.layers.querySelectorAll("input")) {
      box.onchange = () => {
        if (box.checked) picture.layers.add(box.value);
        else picture.layers.delete(box.value);
      };
    }
    parts.keylist.replaceChildren(...this.#keys().filter(([, words]) => words).flatMap(([key, words]) => {
      const name = { " ": "space", ArrowLeft: "←", ArrowRight: "→" }[key] ?? (key.length === 1 ? key.toUpperCase() : key);
      return [make("dt", { children: [make("kbd", { text: name })] }), make("dd", { text: words })];
    }));
    addEventListener("keydown", (event) => this.#press(event));
    addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("over"); });
    addEventListener("dragleave", () => document.body.classList.remove("over"));
    addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("over");
      if (event.dataTransfer.files[0]) this.openFile(event.dataTransfer.files[0]);
    });
    this.#listenToPicture();
  }

  /** One finger drags or chooses, two pinch. */
  #listenToPicture() {
    const { picture } = this, canvas = this.parts.field;
    const down = new Map();
    let moved = 0;
    canvas.onpointerdown = (event) => {
      if (event.button !== 0) return;
      if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
      if (down.size === 0) moved = 0;
      down.set(event.pointerId, [event.offsetX, event.offsetY]);
    };
    canvas.onpointermove = (event) => {
      const from = down.get(event.pointerId);
      if (!from || !this.match) return;
      const to = [event.offsetX, event.offsetY];
      const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved < 6) return;
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const distance = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
        picture.zoom(distance(to) / Math.max(1, distance(from)), (to[0] + other[0]) / 2, (to[1] + other[1]) / 2);
      } else picture.pan(dx, dy);
      down.set(event.pointerId, to);
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => {
      const isClick = down.size === 1 && moved < 6 && event.type === "pointerup";
      down.delete(event.pointerId);
      if (isClick && this.match) this.choose(picture.rowAt(event.offsetX, event.offsetY));
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (this.match) picture.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.offsetX, event.offsetY);
    }, { passive: false });
  }

  async openFile(file) {
    const isWanted = this.wish();
    try {
      await this.open(new Uint8Array(await file.arrayBuffer()), file.name, isWanted);
    } catch (failure) {
      if (isWanted()) this.refuse(file.name, { what: "file", words: failure.message });
    }
  }
}

/** The key at the place of an event on a keyboard of Latin letters, in lower case. */
function keyAt({ code, shiftKey }) {
  const signs = shiftKey ? { Comma: "<", Period: ">", Slash: "?", Equal: "+" } : { Comma: ",", Period: ".", Minus: "-", Equal: "+" };
  return /^(?:Key|Digit)(.)$/.exec(code)?.[1].toLowerCase() ?? signs[code];
}
