// The page: what is open, what plays, and what hands and keys do.
"use strict";

const SPEEDS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32, 64];
const SPEED_NAMES = ["×⅛", "×¼", "×½", "×1", "×2", "×4", "×8", "×16", "×32", "×64"];
/** The milliseconds of a frame that may be spent on steps. */
const STEP_MS = 12;
/** How often the panels are drawn, in milliseconds. */
const PANEL_MS = 100;
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
  /** The follower of a room; null: a file is open. */
  #live = null;
  #atNow = true;
  /** Draws the two worlds of a desync. */
  #worlds = null;
  /** What is open, or was asked for last. */
  name = "";
  /** Counts what was opened: whoever opens something else is followed no more. */
  opened = 0;

  /** `wasm`: the compiled module. `source`: the page's script, for the worker. */
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

  /** Shows a recording, or the file of a desync. */
  async open(bytes, name) {
    if (name.endsWith(".json") || bytes[0] === 0x7b) {
      ++this.opened;
      return this.#openDesync(bytes, name);
    }
    const number = ++this.opened;
    this.name = name;
    const engine = await tickbox.load(this.wasm);
    if (number !== this.opened) return;
    const isWhole = engine.append(bytes);
    engine.end();
    if (!isWhole) return this.#refuse(name, { words: "it is longer than 512 MiB; cut it with tickbox replay cut" });
    const isRead = engine.read();
    const log = engine.log();
    if (!isRead || log.state !== "open") return this.#refuse(name, log.refusal ?? { words: "it has no header" }, log);
    if (log.first === null || !engine.seek(log.first)) return this.#refuse(name, { words: "it has no tick that can be shown" }, log);
    this.#begin(new Match(engine), name);
    this.proof.start(this.source, this.wasm, bytes, this.match.events, () => this.#proved());
    this.play(true);
  }

  /** Shows a log that grows. Returns what takes its bytes, once the page is ready for them. */
  async follow(name) {
    const number = ++this.opened;
    this.name = name;
    const engine = await tickbox.load(this.wasm);
    const live = { name, engine, isOpen: false, hasEnded: false };
    const isCurrent = () => this.opened === number;
    return {
      /** Whether nothing else was opened since. */
      get isCurrent() { return isCurrent(); },
      append: (bytes) => { if (isCurrent() && !live.hasEnded) this.#receive(live, bytes); },
      end: (words) => { if (isCurrent() && !live.hasEnded) this.#endLive(live, words); },
    };
  }

  #receive(live, bytes) {
    try {
      this.#read(live, bytes);
    } catch (failure) {
      live.hasEnded = true;
      this.#refuse(live.name, { what: "file", words: failure.message });
    }
  }

  #read(live, bytes) {
    const { engine } = live;
    if (!engine.append(bytes)) return this.#endLive(live, "the page can hold no more of it");
    if (!engine.read()) {
      const log = engine.log();
      live.hasEnded = true;
      return this.#refuse(live.name, log.refusal, log);
    }
    if (!live.isOpen) {
      const log = engine.log();
      if (log.state !== "open" || log.first === null || !engine.seek(log.last)) return;
      live.isOpen = true;
      this.#begin(new Match(engine), live.name, live);
      this.match.seek(this.match.last);
      this.play(true);
    }
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

  #endLive(live, words) {
    live.engine.end();
    live.engine.read();
    live.hasEnded = true;
    this.match?.readLog();
    this.parts.live.textContent = "ENDED";
    this.say(words ?? "the match has ended");
  }

  #begin(match, name, live = null) {
    this.stop();
    this.match = match;
    this.#live = live;
    this.#atNow = true;
    this.proof = new Proof();
    this.picture.open(match);
    const { game, log } = match;
    const started = new Date(log.recorded.start_ms);
    const when = Number.isNaN(started.getTime()) ? "" : started.toISOString().slice(0, 16).replace("T", " ");
    document.title = `${game.game} · Tickbox`;
    this.parts.title.textContent = game.game;
    this.parts.about.textContent = [name, game.map, `version ${game.version}`, `${match.rate} Hz`, when].filter(Boolean).join(" · ");
    const { live: sign, now, world, controls, start, worlds, rooms, event, badge } = this.parts;
    sign.hidden = now.hidden = !live;
    sign.textContent = "LIVE";
    event.hidden = game.events.length === 0;
    start.hidden = worlds.hidden = rooms.hidden = true;
    world.hidden = controls.hidden = badge.hidden = false;
    document.body.dataset.state = "open";
    delete document.body.dataset.verdict;
    this.#clock = 0;
    this.drawPanels();
  }

  #refuse(name, refusal, log = null) {
    this.stop();
    const { problem, start, world, controls, badge, worlds, rooms } = this.parts;
    world.hidden = controls.hidden = badge.hidden = worlds.hidden = rooms.hidden = true;
    start.hidden = problem.hidden = false;
    const lines = [make("strong", { text: `${name} cannot be shown` }), make("p", { text: refusal.words })];
    if (log?.recorded && refusal.what !== "file") {
      const { recorded, here } = log;
      const of = (what, { version, simulation, commit }, game) => make("tr", { children: [make("th", { text: what }),
        make("td", { text: version === null ? `not ${game}` : `${game} ${version}` }), make("td", { text: simulation }), make("td", { text: commit })] });
      const head = make("tr", { children: ["", "game", "simulation", "commit"].map((text) => make("th", { text })) });
      lines.push(make("table", { children: [head, of("recorded by", recorded, recorded.game), of("this page", here, recorded.game)] }),
        make("p", { text: "Open it with the page that its server has put beside its recordings, or with that of the version that recorded it." }));
    }
    problem.replaceChildren(...lines);
    document.body.dataset.state = "refused";
    this.say(`${name} cannot be shown: ${refusal.words}`);
  }

  #openDesync(bytes, name) {
    const { worlds, start, world, controls, badge, problem, rooms } = this.parts;
    let desync;
    try {
      desync = readDesync(bytes);
    } catch (failure) {
      return this.#refuse(name, { what: "file", words: failure.message });
    }
    const beside = this.match;
    this.stop();
    start.hidden = world.hidden = controls.hidden = badge.hidden = problem.hidden = rooms.hidden = true;
    worlds.hidden = false;
    this.parts.title.textContent = "desync";
    this.parts.about.textContent = name;
    document.title = "desync · Tickbox";
    this.#worlds = drawWorlds(worlds, desync, beside);
    document.body.dataset.state = "desync";
  }

  /** Ends what is open. */
  stop() {
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
    ++this.opened;
    this.stop();
    const { world, controls, badge, worlds, start, title, about } = this.parts;
    world.hidden = controls.hidden = badge.hidden = worlds.hidden = true;
    start.hidden = false;
    title.textContent = "Tickbox";
    about.textContent = "";
    document.body.dataset.state = "waits";
  }

  #proved() {
    if (!this.proof) return;
    const { verdict, isWhole, ms } = this.proof;
    if (verdict && !document.body.dataset.verdict) {
      document.body.dataset.verdict = JSON.stringify(verdict);
      document.body.dataset.verifiedMs = Math.round(ms);
      this.say(verdictLine(this.match, this.proof, false)[1]);
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
      this.#refuse(this.name, { what: "file", words: failure.message });
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
    if (this.#live) {
      proof.follow(match.engine, STEP_MS);
      proof.verdict = match.engine.verdict();
    }
    drawPlayers(parts.players, match, picture);
    parts.inspector.hidden = picture.chosen === null && !parts.inspector.dataset.room;
    if (!parts.inspector.hidden) drawInspector(parts.inspector, match, picture);
    drawFeed(parts.feed, match);
    this.timeline.draw(match, proof);
    const [kind, words] = verdictLine(match, proof, Boolean(this.#live));
    setText(parts.badge, words);
    parts.badge.className = kind;
    const [tick, last, time] = parts.clock.children;
    setText(tick, look.number(match.tick));
    setText(last, ` / ${look.number(match.last)}`);
    setText(time, ` · ${look.time(match.tick, match.rate)}`);
    setText(parts.speed, this.#live && this.#atNow ? "live" : SPEED_NAMES[this.#speed]);
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
      ["1", "layers: velocities, 2 contacts, 3 sensors, 4 sight, 5 ids", () => this.toggleLayer(0)],
      ["2", "", () => this.toggleLayer(1)],
      ["3", "", () => this.toggleLayer(2)],
      ["4", "", () => this.toggleLayer(3)],
      ["5", "", () => this.toggleLayer(4)],
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
    if (event.key === " " && target.matches?.("button, summary, a, input")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = this.#keys().find(([name]) => name === key || (name === "+" && key === "="));
    if (!found || !(this.match || "o?".includes(key))) return;
    event.preventDefault();
    found[2](event);
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
    try {
      await this.open(new Uint8Array(await file.arrayBuffer()), file.name);
    } catch (failure) {
      this.#refuse(file.name, { what: "file", words: failure.message });
    }
  }
}
