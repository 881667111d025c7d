// The panels beside the picture: players, the chosen entity, events, and the verdict. Each shows the present moment.
"use strict";

/** How long an event stays in the list, in seconds, and how many are listed. */
const FEED_SECONDS = 5, FEED_MAX = 6, FEED_MAX_NARROW = 3;

/** The players of the tick, with the declared fields of their seats. */
function drawPlayers(panel, match, picture) {
  const fields = match.game.seat.fields;
  const seats = match.details.seats.filter((seat) => seat.taken);
  const [summary, list] = panel.children;
  setText(summary, seats.length === 1 ? "1 player" : `${seats.length || "no"} players`);
  // The rows are kept while the same players are there: a hand may be on one, and a reader at one.
  const key = `${look.key} ${seats.map((seat) => `${seat.seat}.${seat.generation}`)}`;
  if (panel.dataset.key !== key) {
    panel.dataset.key = key;
    const head = make("tr", { children: [make("th", { text: "player" }),
      ...fields.map((field) => make("th", { text: field.name }))] });
    const rows = seats.map(({ seat }) => {
      const button = make("button", { title: `Follow player ${seat}`, children: [markElement(seat), make("span", { text: `P${seat}` })] });
      const row = make("tr", { children: [make("td", { children: [button] }), ...fields.map(() => make("td"))] });
      row.dataset.seat = seat;
      return row;
    });
    list.replaceChildren(...(seats.length === 0 ? []
      : [make("table", { children: [make("thead", { children: [head] }), make("tbody", { children: rows })] })]));
  }
  panel.querySelectorAll("tbody tr").forEach((row, i) => {
    const isFollowed = picture.followed === seats[i].seat;
    row.classList.toggle("on", isFollowed);
    row.querySelector("button").setAttribute("aria-pressed", isFollowed);
    fields.forEach((field, n) => setText(row.cells[n + 1], look.value(seats[i].state[field.name], field.form)));
  });
}

function counted(count, noun) { return `${look.number(count)} ${noun}${count === 1 ? "" : "s"}`; }

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The line of the match; a game without one has none. */
function drawLabel(line, match) {
  setText(line, match.details.label);
  line.hidden = line.textContent === "";
}

/** Every field of the chosen entity; of the room, if none is chosen. */
function inspectorRows(match, picture, proof) {
  const { now, details, game, rate } = match;
  const of = (type, state) => type.fields.map((field) => [field.name, look.value(state[field.name], field.form)]);
  const row = picture.chosen === null ? -1 : now.find(picture.chosen);
  if (picture.chosen !== null && row < 0) return { title: "gone", rows: [["id", String(picture.chosen)]] };
  if (row < 0) {
    const rows = [...of(game.room, details.room), ...of(game.secret, details.secret).map(([name, value]) => [name, value, "secret"])];
    return { title: "room", rows: [["entities", look.number(now.count)], ...rows,
      ["hash", details.hash, details.hash !== details.recorded_hash ? "bad" : proof.holds(now.tick) ? "good" : ""],
      ["recorded", details.recorded_hash]] };
  }
  const at = now.at(row), rows = now.rows, kind = game.kinds[rows[at + 2]], owner = rows[at + 3], flags = rows[at + 11];
  const units = (n) => rows[at + n] / UNIT;
  const speed = Math.hypot(units(8), units(9)) * rate;
  const marks = [flags & CONTROLLED && "controlled", flags & NEW && "new", flags & ONE_WAY && "one way", flags & SENSOR && "sensor"].filter(Boolean);
  return { title: kind.name, seat: flags & CONTROLLED ? owner : -1, rows: [
    ["id", String(now.idOf(row))],
    ["owner", owner < 0 ? "nobody" : `P${owner}`],
    ["min", `${units(4)}, ${units(5)}`],
    ["size", `${units(6)} × ${units(7)}`],
    ["velocity", `${units(8)}, ${units(9)}`],
    ["speed", `${speed.toFixed(2)} units/s`],
    ...(marks.length > 0 ? [["is", marks.join(", ")]] : []),
    ...of(kind, match.engine.state(row)),
  ] };
}

function drawInspector(panel, match, picture, proof) {
  const { title, rows, seat = -1 } = inspectorRows(match, picture, proof);
  const key = `${title} ${rows.map(([name]) => name)} ${seat} ${look.key}`;
  if (panel.dataset.key !== key) {
    panel.dataset.key = key;
    const heading = make("h2", { text: title });
    if (seat >= 0) heading.prepend(markElement(seat));
    const lines = rows.map(([name]) => make("tr", { children: [make("th", { text: name }), make("td")] }));
    panel.replaceChildren(heading, make("table", { children: [make("tbody", { children: lines })] }));
  }
  const cells = panel.querySelectorAll("td");
  rows.forEach(([, value, name = ""], i) => {
    setText(cells[i], value);
    cells[i].className = name;
  });
}

/** The fields of an event in words. */
function eventText({ value }, type) {
  return type.fields.map((field) => `${field.name} ${look.value(value[field.name], field.form)}`).join("  ");
}

function drawFeed(panel, match) {
  const { tick, rate, events, game } = match;
  const most = innerWidth < 600 ? FEED_MAX_NARROW : FEED_MAX;
  const recent = events.between(tick - FEED_SECONDS * rate, tick).slice(-most);
  const key = `${look.key} ${recent.map((event) => `${event.tick}.${event.type}`)}`;
  if (panel.dataset.key === key) return;
  panel.dataset.key = key;
  panel.replaceChildren(...recent.map((event) => {
    const type = game.events[event.type];
    const line = make("div", { children: event.text ? [make("b", { text: event.text })]
      : [make("b", { text: type.name }), make("span", { text: eventText(event, type) })] });
    if (event.seat >= 0) line.prepend(markElement(event.seat));
    return line;
  }));
}

/** The verdict in one line, and how good it is: "wait", "good" or "bad". `isLive`: more ticks may follow. */
function verdictLine(match, proof, isLive = false) {
  const [kind, words] = ownVerdictLine(match, proof, isLive);
  return proof.earlier.length > 0 ? ["bad", `${proof.earlier.join(" · ")} · since then: ${words}`] : [kind, words];
}

function ownVerdictLine(match, proof, isLive) {
  if (proof.failure) return ["bad", `✗ not verified: ${proof.failure}`];
  const { verdict, mismatched, verified } = proof;
  const first = verdict?.first_mismatch;
  if (first) {
    const { tick, subject, field, expected, got } = first;
    const range = proof.ranges.slice(0, 3).map((each) => [...new Set(each)].map(look.number).join(" to "));
    const differ = `${range.join(", ")}${proof.ranges.length > 3 ? " and others" : ""}`;
    return ["bad", `✗ tick ${look.number(tick)}: ${[subject, field].filter(Boolean).join(" ") || "hash"} recorded ${expected}, here ${got} · differ: ${differ}`];
  }
  if (mismatched > 0) return ["bad", `✗ ${look.number(mismatched)} ticks differ`];
  if (verdict && !isLive && verdict.ticks === 0) return ["bad", "✗ it has no tick: nothing in it could be verified"];
  if (verdict && verdict.damages > 0) {
    return ["bad", `✗ damaged in ${counted(verdict.damages, "place")} · ${look.number(verdict.ticks)} ticks verified · 0 differ`];
  }
  if (verdict && (!isLive || verdict.ticks > 0)) {
    const gaps = verdict.gaps > 0 ? ` · ${counted(verdict.gaps, "gap")}` : "";
    const end = verdict.unfinished !== null ? " · its last tick never ended" : !isLive && verdict.ends_early ? " · ends early" : "";
    return ["good", `✓ verified in your browser · ${look.number(verdict.ticks)} ticks · 0 differ${gaps}${end}`];
  }
  const done = Math.floor(100 * (verified - match.first) / Math.max(1, match.last - match.first));
  return ["wait", `verifying · ${Math.max(0, done)} %`];
}
