// The page of a running server: its rooms and recordings, then a room with the figures of its server beside it.
// All that a server sends is foreign: it is shown as text, and a number that is none counts as 0.
"use strict";

/** How often the server is asked. */
const ASK_MS = 1000;
/** How often the list of recordings is asked for while it is shown. */
const LIST_MS = 5000;
/** The seconds of the charts. */
const CHART_SECONDS = 300;
/** The most rows of clients and of recordings, and the most lines, that are shown. */
const ROWS_MAX = 100, LINES_MAX = 200;
/** The longest recording that a page can hold. */
const RECORDING_BYTES_MAX = 512 * 1024 * 1024;

const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const list = (value) => (Array.isArray(value) ? value : []);
const words = (value) => (typeof value === "string" ? value.slice(0, 500) : "");
const counts = (value) => (value && typeof value === "object" ? Object.entries(value) : []);

const show = {
  count: (value) => look.number(Math.round(number(value))),
  ms: (value) => (value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : look.number(Math.round(value))),
  bytes(value) {
    for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
      if (value >= size) return `${(value / size).toFixed(value < 10 * size ? 2 : 1)} ${unit}`;
    }
    return `${Math.round(value)} B`;
  },
  duration(milliseconds) {
    const seconds = Math.floor(number(milliseconds) / 1000), hours = Math.floor(seconds / 3600);
    const two = (value) => String(value).padStart(2, "0");
    const days = Math.floor(hours / 24);
    return `${days > 0 ? `${days} d ` : ""}${two(hours % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  },
  time: (text) => look.moment(words(text)) || words(text),
  clock: (time) => look.moment(time).slice(11, 19),
  name: (key) => key.replaceAll("_", " "),
};

/** The distribution of tick times between two documents, as quantiles in milliseconds. */
function ticksBetween(before, now) {
  const earlier = new Map(list(before).map((pair) => [number(pair?.[0]), number(pair?.[1])]));
  const buckets = list(now).map((pair) => [number(pair?.[0]), number(pair?.[1]) - (earlier.get(number(pair?.[0])) ?? 0)])
    .filter(([, count]) => count > 0);
  const all = buckets.reduce((sum, [, count]) => sum + count, 0);
  const quantile = (part) => {
    let seen = 0;
    for (const [last, count] of buckets) {
      seen += count;
      if (seen >= all * part) return last / 1e6;
    }
    return 0;
  };
  return all > 0 ? { p50: quantile(0.5), p99: quantile(0.99), max: buckets.at(-1)[0] / 1e6 } : null;
}

/** The next of 1, 2 and 5, times a power of ten. */
function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].find((each) => each * power >= value) * power;
}

/** Lines over time. Chart.js draws them; nothing moves by itself. */
class TimeChart {
  #chart;
  #names;

  constructor(title, unit, names, { steps = false } = {}) {
    this.#names = names;
    this.canvas = make("canvas");
    this.canvas.setAttribute("role", "img");
    this.values = make("span", { name: "values" });
    this.element = make("figure", { children: [
      make("figcaption", { children: [make("span", { text: title }), this.values] }),
      make("div", { children: [this.canvas] })] });
    this.title = title;
    this.unit = unit;
    this.#chart = new Chart(this.canvas, {
      type: "line",
      data: { labels: [], datasets: names.map(({ name, dash }) => ({ label: name, data: [], borderWidth: dash ? 1 : 1.5,
        borderDash: dash ? [4, 4] : [], pointRadius: 0, stepped: steps, spanGaps: false })) },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, events: [], normalized: true,
        layout: { padding: { top: 2 } },
        plugins: { legend: { display: false }, tooltip: { enabled: false } },
        scales: {
          x: { type: "linear", max: 0, grid: { display: false, drawBorder: false },
            ticks: { maxRotation: 0, callback: (value) => (value % 60 === 0 && value ? `${value / 60} min` : `${value} s`) } },
          y: { min: 0, grid: { drawBorder: false }, ticks: { maxTicksLimit: 3, padding: 4 }, afterFit: (axis) => { axis.width = 34; } },
        },
      },
    });
  }

  /** `points`: [time in seconds, values], the newest last. */
  draw(points, { top } = {}) {
    const style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name).trim();
    const { data, options } = this.#chart;
    const now = points.at(-1)?.[0] ?? 0;
    this.#names.forEach(({ colour: name }, i) => {
      data.datasets[i].data = points.map(([time, values]) => ({ x: time - now, y: values === null ? NaN : values[i] }));
      data.datasets[i].borderColor = colour(name);
    });
    const span = now - (points[0]?.[0] ?? now) > 60 ? CHART_SECONDS : 60;
    options.scales.x.min = -span;
    options.scales.x.ticks.stepSize = span / (span > 60 ? 5 : 4);
    options.scales.y.max = options.scales.y.suggestedMax = top && niceTop(top);
    options.scales.y.grid.color = colour("--line");
    options.scales.x.ticks.color = options.scales.y.ticks.color = colour("--dim");
    options.scales.x.ticks.font = options.scales.y.ticks.font = { family: "system-ui", size: 10 };
    this.#chart.update("none");
    const last = points.at(-1)?.[1];
    const said = this.#names.map(({ name, format }, i) => [name, last ? format(last[i]) : "–"]);
    this.values.replaceChildren(...said.map(([name, value], i) => {
      const key = make("i");
      key.className = `key ${this.#names[i].colour.slice(2)}${this.#names[i].dash ? " dash" : ""}`;
      return make("span", { children: [key, `${name} `, make("b", { text: value })] });
    }));
    this.canvas.setAttribute("aria-label", `${this.title}, the last ${CHART_SECONDS / 60} minutes: ${said.map((each) => each.join(" ")).join(", ")} ${this.unit}`);
  }
}

/** The rates of one client between two documents. */
const COLUMNS = [
  { key: "seat", name: "seat", title: "Seat of the room", value: (row) => row.seat, text: (value) => String(value) },
  { key: "client", name: "client", title: "The client's id, from its token", value: (row) => row.client, text: shortId },
  { key: "rtt", name: "rtt ms", title: "From a snapshot to its acknowledgement: the round trip, and up to a tick", value: (row) => row.rtt, text: (value) => (value > 0 ? show.ms(value) : "–") },
  { key: "loss", name: "loss %", title: "Packets of the client that did not arrive, since it began to play", value: (row) => row.loss, text: (value) => value.toFixed(1) },
  { key: "rate", name: "kB/s", title: "Snapshots sent to it", value: (row) => row.rate, text: (value) => (value / 1000).toFixed(1) },
  { key: "margin", name: "margin", title: "How long before its tick the newest input came, in ticks: below 0 is late", value: (row) => row.margin, text: (value) => value.toFixed(1) },
  { key: "late", name: "late", title: "Inputs that came too late", value: (row) => row.late, text: show.count },
  { key: "mismatches", name: "desync", title: "Views whose hash differed at the client", value: (row) => row.mismatches, text: show.count },
];

function clientRows(before, now) {
  const earlier = new Map(list(before?.clients).map((client) => [`${client?.room}.${client?.seat}.${client?.client}`, client]));
  const seconds = (number(now.clients_at_ms) - number(before?.clients_at_ms)) / 1000;
  return list(now.clients).filter((client) => client && typeof client === "object").map((client) => {
    const past = earlier.get(`${client.room}.${client.seat}.${client.client}`);
    const sent = number(client.packets_sent);
    const bytes = past ? number(client.snapshot_bytes) - number(past.snapshot_bytes) : 0;
    return {
      room: number(client.room), seat: number(client.seat), client: words(client.client), rtt: number(client.rtt_ms),
      loss: sent > 0 ? 100 * Math.max(0, sent - number(client.packets_received)) / sent : 0,
      rate: seconds > 0 && bytes > 0 ? bytes / seconds : 0,
      margin: number(client.margin_ticks), late: number(client.late), mismatches: number(client.mismatches),
    };
  });
}

/** The clients of a room as a table that can be sorted. */
class ClientTable {
  #sort = "seat";
  #down = false;
  #rows = [];
  #all = [];

  constructor() {
    this.body = make("tbody");
    this.heads = COLUMNS.map(({ key, name, title }) => {
      const button = make("button", { text: name, title: `${title}. Sort by it` });
      button.onclick = () => {
        this.#down = this.#sort === key ? !this.#down : key !== "seat" && key !== "client";
        this.#sort = key;
        this.draw(this.#all);
      };
      return make("th", { children: [button] });
    });
    this.more = make("p", { name: "dim" });
    this.none = make("p", { name: "dim", text: "Nobody plays." });
    this.element = make("div", { name: "clients", children: [
      make("table", { children: [make("thead", { children: [make("tr", { children: this.heads })] }), this.body] }), this.none, this.more] });
  }

  draw(all) {
    this.#all = all;
    const column = COLUMNS.find(({ key }) => key === this.#sort);
    const order = (a, b) => {
      const [x, y] = [column.value(a), column.value(b)];
      return (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y) || a.seat - b.seat;
    };
    const rows = all.toSorted ? all.toSorted(order) : [...all].sort(order);
    if (this.#down) rows.reverse();
    const shown = rows.slice(0, ROWS_MAX);
    this.element.firstChild.hidden = shown.length === 0;
    this.none.hidden = shown.length > 0;
    while (this.#rows.length > shown.length) this.#rows.pop().remove();
    while (this.#rows.length < shown.length) {
      const button = make("button", { title: "Follow this player" });
      const row = make("tr", { children: COLUMNS.map((_, i) => make("td", { children: i === 0 ? [button] : [] })) });
      button.onclick = () => viewer.match && viewer.followSeat(Number(row.dataset.seat));
      this.#rows.push(row);
      this.body.append(row);
    }
    shown.forEach((client, i) => {
      const row = this.#rows[i];
      const key = `${client.seat} ${look.scheme}`;
      if (row.dataset.key !== key) {
        Object.assign(row.dataset, { key, seat: client.seat });
        row.querySelector("button").replaceChildren(markElement(client.seat), make("span"));
      }
      COLUMNS.forEach(({ value, text, key }, n) => {
        const cell = n === 0 ? row.querySelector("span") : row.cells[n];
        setText(cell, text(value(client)));
        if (key === "client") cell.title = client.client;
        row.cells[n].className = (key === "mismatches" && client.mismatches > 0) || (key === "margin" && client.margin < 0) ? "bad"
          : key === "loss" && client.loss >= 2 ? "warn" : "";
      });
    });
    COLUMNS.forEach(({ key }, n) => this.heads[n].setAttribute("aria-sort", key !== this.#sort ? "none" : this.#down ? "descending" : "ascending"));
    setText(this.more, all.length > shown.length ? `and ${show.count(all.length - shown.length)} more` : "");
  }
}

/** The newest lines of the server's log. */
class LogLines {
  #last = 0;

  constructor() {
    this.element = make("ol", { name: "lines" });
    this.element.tabIndex = 0;
    this.element.setAttribute("aria-label", "The log of the server");
  }

  get last() { return this.#last; }

  clear() {
    this.#last = 0;
    this.element.replaceChildren();
  }

  add(lines) {
    const { element } = this;
    const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 8;
    for (const line of list(lines).slice(-LINES_MAX)) {
      const at = number(line?.number);
      if (at <= this.#last) continue;
      this.#last = at;
      const level = words(line.level);
      const text = words(line.text), name = text.split(" ", 1)[0];
      element.append(make("li", { name: ["warning", "error", "debug"].includes(level) ? level : "", children: [
        make("time", { text: show.clock(words(line.time)) }), make("b", { text: name }), make("span", { text: text.slice(name.length + 1) })] }));
    }
    while (element.childElementCount > LINES_MAX) element.firstChild.remove();
    if (isAtEnd) element.scrollTop = element.scrollHeight;
  }
}

/** A list of names and counts. */
function drawCounts(element, groups) {
  const rows = groups.flatMap(([what, all]) => all.filter(([, count]) => number(count) > 0).slice(0, 40)
    .map(([reason, count]) => [`${what}: ${show.name(reason)}`, show.count(count)]));
  const key = JSON.stringify(rows);
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.replaceChildren(...(rows.length === 0 ? [make("p", { name: "dim", text: "none since the start" })]
    : [make("dl", { children: rows.flatMap(([name, count]) => [make("dt", { text: name }), make("dd", { text: count })]) })]));
}

class LivePage {
  #side = new AdminSide();
  #parts = Object.fromEntries(["rooms", "server", "start", "other", "world"].map((id) => [id, document.getElementById(id)]));
  /** The document before, the newest one, and when that came. */
  #before = null;
  #now = null;
  #at = performance.now();
  /** "asks", "there", "locked" or "gone". */
  #state = "asks";
  #why = "";
  #reader = null;
  #points = [];
  #listAt = -Infinity;
  #isAsking = false;
  #cards = new Map();

  constructor() {
    this.#make();
    this.#showList();
    addEventListener("hashchange", () => this.#go());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.#ask(); });
    setInterval(() => this.#ask(), ASK_MS);
    this.#ask().then(() => this.#go());
  }

  // --- asking ---

  async #ask() {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const now = await this.#side.document(`v1/status?after=${this.#lines.last}`);
      if (!now || typeof now !== "object" || !Array.isArray(now.rooms)) throw new Refusal(200, "the answer is no status of a server");
      this.#receive(now);
    } catch (failure) {
      const isLocked = failure instanceof Refusal && failure.status === 401;
      this.#enter(isLocked ? "locked" : "gone", failure instanceof Refusal ? failure.message : "");
    } finally {
      this.#isAsking = false;
    }
    this.#draw();
  }

  #receive(now) {
    // One that has started again has another uptime than the one before would have by now.
    const expected = number(this.#now?.uptime_ms) + performance.now() - this.#at;
    const isAnother = this.#now && Math.abs(number(now.uptime_ms) - expected) > 2 * PATIENCE_MS;
    if (isAnother) {
      this.#lines.clear();
      this.#points.push([performance.now() / 1000, null]);
    }
    this.#before = isAnother || this.#state !== "there" ? null : this.#now;
    this.#now = now;
    this.#at = performance.now();
    this.#lines.add(isAnother ? [] : now.log);
    this.#enter("there");
    const room = this.#room();
    const past = list(this.#before?.rooms).find((each) => each?.id === room?.id);
    if (!room || !past) return;
    const seconds = (number(now.at_ms) - number(this.#before.at_ms)) / 1000;
    const rate = (key) => Math.max(0, number(now.traffic?.[key]) - number(this.#before.traffic?.[key])) / seconds;
    const shardOf = (status, of) => list(status.shards)[number(of.shard)];
    const ticks = ticksBetween(shardOf(this.#before, past)?.tick_ns, shardOf(now, room)?.tick_ns);
    if (!ticks || !(seconds > 0)) return;
    this.#points.push([performance.now() / 1000, { ticks, budget: number(room.tick_ms?.budget), players: number(room.players),
      cpu: Math.max(0, number(now.cpu_ms) - number(this.#before.cpu_ms)) / seconds / 10,
      in: rate("bytes_in"), out: rate("bytes_out"), tickRate: (number(room.tick) - number(past.tick)) / seconds }]);
    const oldest = performance.now() / 1000 - CHART_SECONDS;
    while (this.#points.length > 0 && (this.#points[0][0] < oldest || this.#points.length > 2 * CHART_SECONDS)) this.#points.shift();
  }

  #enter(state, why = "") {
    const before = this.#state;
    this.#state = state;
    this.#why = why;
    document.body.dataset.server = state;
    if (before === state) return;
    viewer.say(state === "gone" ? `${this.#name()} does not answer` : state === "there" && before === "gone" ? `${this.#name()} answers again` : "");
    if (state === "locked") this.#lock();
  }

  async #list() {
    this.#listAt = performance.now();
    try {
      this.#drawRecordings(await this.#side.document("recordings"));
    } catch (failure) {
      if (failure instanceof Refusal && failure.status !== 401) this.#drawRecordings({ error: failure.message });
    }
  }

  // --- where the page is ---

  /** Shows the room that the address names, or the list. */
  #go() {
    const room = /^#room-(\d{1,10})$/.exec(location.hash)?.[1];
    if (room === undefined) {
      if (this.#reader) this.showRooms();
    } else if (this.#reader?.room !== Number(room) && this.#state !== "locked") this.#watch(Number(room));
  }

  #room() { return list(this.#now?.rooms).find((each) => each?.id === (this.#reader?.room ?? each.id)); }

  #name() { return words(this.#now?.name) || location.host; }

  #watch(id) {
    this.#reader?.stop();
    this.#points = [];
    viewer.close();
    const { rooms, server, start } = this.#parts;
    rooms.hidden = start.hidden = true;
    server.hidden = this.#home.hidden = false;
    this.#reader = new LogReader(this.#side, id, `${this.#name()} · room ${id}`);
    this.#draw();
  }

  #leave() {
    this.#reader?.stop();
    this.#reader = null;
    this.#parts.server.hidden = true;
    if (location.hash) history.replaceState(null, "", location.pathname);
  }

  showRooms() {
    this.#leave();
    this.#showList();
  }

  #showList() {
    viewer.close();
    this.#parts.start.hidden = true;
    this.#parts.rooms.hidden = false;
    document.title = `${this.#name()} · Tickbox`;
    this.#listAt = -Infinity;
    this.#draw();
  }

  async #open(name, bytes, button) {
    const label = button.textContent, isWanted = viewer.wish();
    button.disabled = true;
    try {
      if (bytes > RECORDING_BYTES_MAX) throw new Error("it is longer than 512 MiB; cut it with tickbox replay cut");
      const response = await this.#side.ask(`recordings/${encodeURIComponent(name)}`);
      const reader = response.body.getReader(), pieces = [];
      let size = 0;
      for (;;) {
        const { done, value } = await reader.read();
        // Something else was asked for meanwhile.
        if (!isWanted()) return void reader.cancel();
        if (done) break;
        pieces.push(value);
        size += value.length;
        if (size > RECORDING_BYTES_MAX) throw new Error("it is longer than 512 MiB");
        setText(button, `${Math.min(99, Math.floor(100 * size / Math.max(1, bytes)))} %`);
      }
      await viewer.open(new Uint8Array(await new Blob(pieces).arrayBuffer()), name, isWanted);
      this.#draw();
    } catch (failure) {
      viewer.refuse(name, { what: "file", words: failure.message });
    } finally {
      button.disabled = false;
      setText(button, label);
    }
  }

  // --- the token ---

  #lock() {
    this.#reader?.stop();
    this.#reader = this.#now = this.#before = null;
    this.#parts.server.hidden = true;
    this.#showList();
  }

  // --- drawing ---

  #lines = new LogLines();
  #clients = new ClientTable();

  #make() {
    this.#home = make("button", { text: "Rooms", title: "All rooms and recordings" });
    this.#home.id = "home";
    this.#home.hidden = true;
    this.#home.onclick = () => this.showRooms();
    this.#parts.other.before(this.#home);

    // The list.
    this.#sign = make("p", { name: "sign" });
    this.#sign.setAttribute("role", "status");
    this.#heading = make("h2");
    this.#figures = make("p", { name: "dim" });
    this.#token = make("input");
    Object.assign(this.#token, { type: "password", id: "token", autocomplete: "off", spellcheck: false, required: true });
    const label = make("label", { text: "Token of the admin side" });
    label.htmlFor = "token";
    const enter = make("button", { text: "Show", name: "main" });
    this.#wrong = make("p", { name: "bad" });
    this.#wrong.setAttribute("role", "alert");
    this.#form = make("form", { name: "card", children: [label, make("div", { children: [this.#token, enter] }), this.#wrong,
      make("p", { name: "dim", text: "It stays in this page's memory, and is sent in a header alone. The operator has it in the file of --admin-token-file." })] });
    this.#form.hidden = true;
    this.#form.onsubmit = (event) => {
      event.preventDefault();
      if (!/^[\x21-\x7e]+$/.test(this.#token.value.trim())) {
        setText(this.#wrong, "A token has letters, digits and signs of ASCII, and no space.");
        return;
      }
      this.#side.token = this.#token.value;
      this.#hasTried = true;
      this.#token.value = "";
      this.#state = "asks";
      this.#ask().then(() => this.#go());
    };
    this.#cardList = make("div", { name: "cards" });
    this.#recordings = make("div");
    this.#known = make("div", { children: [this.#cardList, make("h2", { text: "Recordings" }), this.#recordings] });
    this.#parts.rooms.replaceChildren(make("div", { children: [
      make("div", { name: "top", children: [make("div", { children: [this.#heading, this.#figures] }), this.#sign] }), this.#form, this.#known] }));

    // Beside a room.
    this.#signBeside = make("p", { name: "sign" });
    this.#about = make("p", { name: "dim" });
    this.#tiles = new Map(["players", "entities", "tick rate", "overruns", "desyncs", "recording", "cpu", "followers"]
      .map((name) => [name, make("dd", { text: "–" })]));
    const tiles = make("dl", { name: "tiles", children: [...this.#tiles].map(([name, value]) =>
      make("div", { children: [make("dt", { text: name }), value] })) });
    this.#charts = {
      ticks: new TimeChart("Tick", "milliseconds", [{ name: "p50", colour: "--good", format: show.ms }, { name: "p99", colour: "--accent", format: show.ms },
        { name: "of", colour: "--dim", dash: true, format: (value) => `${show.ms(value)} ms` }]),
      traffic: new TimeChart("Traffic", "kilobytes per second", [{ name: "in", colour: "--good", format: (value) => value.toFixed(1) },
        { name: "out", colour: "--accent", format: (value) => `${value.toFixed(1)} kB/s` }]),
      players: new TimeChart("Players", "", [{ name: "", colour: "--accent", format: show.count }], { steps: true }),
    };
    this.#refusals = make("div", { name: "counts" });
    const part = (title, ...children) => make("section", { children: [make("h2", { text: title }), ...children] });
    this.#parts.server.replaceChildren(
      make("div", { name: "top", children: [this.#about, this.#signBeside] }), tiles,
      make("section", { name: "charts", children: Object.values(this.#charts).map((chart) => chart.element) }),
      part("Clients", this.#clients.element), part("Refused, dropped, ended", this.#refusals), part("Log, in UTC", this.#lines.element));
  }

  #home; #sign; #heading; #figures; #token; #form; #wrong; #cardList; #recordings; #known;
  #signBeside; #about; #tiles; #charts; #refusals;
  #hasTried = false;

  #draw() {
    if (this.#reader?.isOver) this.#leave();
    this.#home.hidden = !this.#parts.rooms.hidden;
    this.#drawSign();
    for (const part of [this.#known, this.#parts.server]) part.classList.toggle("old", this.#state !== "there");
    if (!this.#parts.rooms.hidden) {
      this.#drawList();
      if (this.#state === "there" && performance.now() - this.#listAt >= LIST_MS) this.#list();
    }
    if (!this.#parts.server.hidden) this.#drawServer();
  }

  #drawSign() {
    const [kind, text] = {
      asks: ["wait", "asking the server"],
      locked: ["wait", "asks for a token"],
      gone: ["bad", this.#why ? `disconnected: ${this.#why}` : navigator.locks ? "disconnected · trying again"
        : "no answer: it is gone, or other tabs of this browser have its connections"],
      there: [words(this.#now?.state) === "ready" ? "good" : "warn", words(this.#now?.state) || "connected"],
    }[this.#state];
    const isStalled = this.#state === "there" && number(this.#now.since_tick_ms) > 2000;
    const problem = this.#state === "there" && !this.#parts.server.hidden ? this.#reader?.problem : "";
    for (const sign of [this.#sign, this.#signBeside]) {
      setText(sign, isStalled ? "no tick for 2 s" : problem || text);
      sign.dataset.is = isStalled ? "bad" : problem ? "warn" : kind;
    }
  }

  #aboutText() {
    const now = this.#now;
    if (!now) return "";
    const commit = words(now.commit);
    return [words(now.address), `v${words(now.version)}${commit && commit !== "unknown" ? ` (${commit.slice(0, 7)})` : ""}`, `up ${show.duration(number(now.uptime_ms) + (this.#state === "there" ? performance.now() - this.#at : 0))}`,
      this.#state === "there" ? "" : `figures of ${show.clock(performance.timeOrigin + this.#at)} UTC`]
      .filter(Boolean).join(" · ");
  }

  #drawList() {
    setText(this.#heading, this.#name());
    setText(this.#figures, this.#aboutText());
    const wasHidden = this.#form.hidden;
    this.#form.hidden = this.#state !== "locked" && !(this.#state === "asks" && this.#hasTried && !this.#now);
    if (wasHidden && !this.#form.hidden) this.#token.focus();
    setText(this.#wrong, this.#state === "locked" && this.#hasTried ? "The server refuses this token." : "");
    this.#known.hidden = !this.#now;
    if (!this.#now) return;
    const rooms = list(this.#now.rooms).filter((room) => room && typeof room === "object").slice(0, ROWS_MAX);
    for (const [id, { element }] of this.#cards) {
      if (!rooms.some((room) => room.id === id)) {
        element.remove();
        this.#cards.delete(id);
      }
    }
    for (const room of rooms) this.#drawCard(room);
  }

  #drawCard(room) {
    let card = this.#cards.get(room.id);
    if (!card) {
      const link = make("a", { text: "Watch", name: "button main" });
      link.href = `#room-${number(room.id)}`;
      card = { title: make("h2"), map: make("span", { name: "dim" }), bar: make("meter"), link,
        rows: new Map(["players", "entities", "tick", "tick time", "recording"].map((name) => [name, make("dd")])) };
      card.bar.min = 0;
      card.bar.setAttribute("aria-label", "Share of the tick's time that 99 of 100 ticks take at most");
      card.element = make("article", { name: "card", children: [
        make("div", { name: "top", children: [make("div", { children: [card.title, card.map] }), link] }),
        make("dl", { children: [...card.rows].flatMap(([name, value]) => [make("dt", { text: name }), value]) }), card.bar] });
      this.#cards.set(room.id, card);
      this.#cardList.append(card.element);
    }
    const { p50, p99, budget } = Object.fromEntries(["p50", "p99", "budget"].map((key) => [key, number(room.tick_ms?.[key])]));
    setText(card.title, words(room.game));
    setText(card.map, [`room ${number(room.id)}`, words(room.map)].filter(Boolean).join(" · "));
    card.link.setAttribute("aria-label", `Watch room ${number(room.id)}, ${words(room.game)}`);
    const set = (name, text) => setText(card.rows.get(name), text);
    set("players", `${show.count(room.players)} of ${show.count(room.seats)}`);
    set("entities", show.count(room.entities));
    set("tick", `${show.count(room.tick)} at ${show.count(room.rate)} Hz`);
    set("tick time", `p50 ${show.ms(p50)}  p99 ${show.ms(p99)}  of ${show.ms(budget)} ms`);
    set("recording", this.#recordingText(room));
    Object.assign(card.bar, { max: budget || 1, low: 0.5 * budget, high: 0.8 * budget, optimum: 0, value: p99 });
  }

  #recordingText(room) {
    const state = words(room?.recording?.state);
    return state === "off" || !state ? "off" : `${state === "recording" ? "●" : "▲"} ${show.bytes(number(room.recording.bytes))}${state === "recording" ? "" : ` ${state}`}`;
  }

  #drawRecordings(document_) {
    const recordings = list(document_?.recordings).filter((each) => each && typeof each === "object").slice(0, ROWS_MAX);
    // A row that stays is kept: a hand or the focus may be on it. Only the sizes of files that are written change.
    const key = JSON.stringify([recordings.map((each) => each.name), number(document_?.all), document_?.error]);
    const figures = (each) => [show.bytes(number(each.bytes)), each.written === true ? "● being written" : ""];
    if (this.#recordings.dataset.key === key) {
      this.#recordings.querySelectorAll("tr").forEach((row, i) => figures(recordings[i]).forEach((text, n) => setText(row.cells[2 + n], text)));
      return;
    }
    this.#recordings.dataset.key = key;
    if (recordings.length === 0) {
      const text = document_?.error ? words(document_.error) : "None. A server with --record DIR lists those of the directory here.";
      return this.#recordings.replaceChildren(make("p", { name: "dim", text }));
    }
    const rows = recordings.map((each) => {
      const name = words(each.name);
      const open = make("button", { text: "Open" });
      open.setAttribute("aria-label", `Open ${name}`);
      open.onclick = () => this.#open(name, number(each.bytes), open);
      const room = /-room(\d+)(-crash)?\.tickbox$/.exec(name);
      return make("tr", { children: [make("td", { text: show.time(each.start), title: name }), make("td", { text: room ? `room ${room[1]}${room[2] ? " · crash" : ""}` : name }),
        ...figures(each).map((text) => make("td", { text })), make("td", { children: [open] })] });
    });
    const all = number(document_.all);
    this.#recordings.replaceChildren(make("table", { children: [make("tbody", { children: rows })] }),
      ...(all > rows.length ? [make("p", { name: "dim", text: `and ${show.count(all - rows.length)} older ones` })] : []));
  }

  #drawServer() {
    const room = this.#room();
    setText(this.#about, this.#aboutText());
    if (!room || document.hidden) return;
    const last = this.#points.at(-1)?.[1];
    const set = (name, text, kind = "") => {
      const tile = this.#tiles.get(name);
      setText(tile, text);
      tile.className = kind;
    };
    set("players", `${show.count(room.players)} / ${show.count(room.seats)}`);
    set("entities", show.count(room.entities));
    set("tick rate", last ? `${last.tickRate.toFixed(1)} Hz` : "–");
    set("overruns", show.count(room.overruns), number(room.overruns) > 0 ? "warn" : "");
    set("desyncs", show.count(this.#now.state_hash_mismatches), number(this.#now.state_hash_mismatches) > 0 ? "bad" : "");
    set("recording", this.#recordingText(room), words(room.recording?.state) === "degraded" ? "bad" : "");
    set("cpu", last ? `${last.cpu.toFixed(1)} %` : "–");
    set("followers", show.count(room.followers));
    const points = (values) => this.#points.map(([time, point]) => [time, point && values(point)]);
    const budget = number(room.tick_ms?.budget);
    const highest = Math.max(0, ...this.#points.map(([, point]) => point?.ticks.p99 ?? 0));
    this.#charts.ticks.draw(points(({ ticks }) => [ticks.p50, ticks.p99, budget]), { top: Math.max(0.1, highest > budget / 2 ? Math.max(highest, budget) : highest) });
    this.#charts.traffic.draw(points((point) => [point.in / 1000, point.out / 1000]));
    this.#charts.players.draw(points((point) => [point.players]));
    this.#clients.draw(clientRows(this.#before, this.#now).filter((client) => client.room === number(room.id)));
    drawCounts(this.#refusals, [["refused", counts(this.#now.refusals)], ["dropped", counts(this.#now.drops)], ["ended", counts(this.#now.disconnects)]]);
  }
}

/** Called once, when the page comes from a server. */
function startLive() {
  Chart.defaults.font.family = "system-ui";
  return new LivePage();
}
