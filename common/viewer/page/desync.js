// The file of a desync as two worlds, side by side: the server's view of a tick and the client's, with what differs in red.
"use strict";

/** The formats of the file that are read, as common/desync/README.md has them. The first has no explanation. */
const DESYNC_FORMATS = [4, 5];

/** Reads a file of --desync-dir. Fails: with an Error. */
function readDesync(bytes) {
  let desync;
  try {
    desync = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Error("it is neither a recording nor the file of a desync");
  }
  if (!Number.isInteger(desync?.desync)) throw new Error("it is not the file of a desync");
  if (!DESYNC_FORMATS.includes(desync.desync)) throw new Error(`it has format ${desync.desync}; this page reads ${DESYNC_FORMATS.join(" and ")}`);
  if (!desync.client_view && !desync.server_view) throw new Error("it has no view: the report ended before one was there");
  return desync;
}

/** The fields of an entity of a view, one by one. */
function fieldsOf(entity) {
  const flat = new Map();
  for (const [name, value] of Object.entries(entity ?? {})) {
    if (name === "id" || name === "kind") continue;
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      for (const [inner, each] of Object.entries(value)) flat.set(name === "state" ? inner : `${name}.${inner}`, JSON.stringify(each));
    } else flat.set(name, JSON.stringify(value));
  }
  return flat;
}

/** What differs: [{id, kind, field, server, client}], and the ids. */
function differencesOf({ server_view: server, client_view: client }) {
  const found = [];
  const byId = (view) => new Map((view?.entities ?? []).map((entity) => [entity.id, entity]));
  const [here, there] = [byId(server), byId(client)];
  for (const id of new Set([...here.keys(), ...there.keys()])) {
    const [a, b] = [here.get(id), there.get(id)];
    const kind = (a ?? b).kind;
    if (!a || !b) {
      found.push({ id, kind, field: "", server: a ? "has it" : "does not have it", client: b ? "has it" : "does not have it" });
      continue;
    }
    const [left, right] = [fieldsOf(a), fieldsOf(b)];
    for (const field of new Set([...left.keys(), ...right.keys()])) {
      if (left.get(field) !== right.get(field)) found.push({ id, kind, field, server: left.get(field) ?? "none", client: right.get(field) ?? "none" });
    }
  }
  const room = [fieldsOf(server?.room), fieldsOf(client?.room)];
  for (const field of new Set([...room[0].keys(), ...room[1].keys()])) {
    if (room[0].get(field) !== room[1].get(field)) found.push({ id: null, kind: "room", field, server: room[0].get(field) ?? "none", client: room[1].get(field) ?? "none" });
  }
  return found;
}

/** Draws both worlds, what differs, and the causes between. Returns what draws them again when their size changes. */
function drawWorlds(section, desync, beside) {
  const { server_view: server, client_view: client } = desync;
  const differences = server && client ? differencesOf(desync) : [];
  const bad = new Set(differences.map(({ id }) => id));
  const canvases = ["server", "client"].map((end) => {
    const canvas = make("canvas");
    const view = desync[`${end}_view`];
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `The world of the ${end}`);
    const figure = make("figure", { children: [make("figcaption", { text: view ? `${end} · ${view.entities.length} entities` : `${end} · its view is not in the file` }), canvas] });
    return { canvas, view, figure };
  });
  const base = desync.base_tick === null ? "a full view" : `a difference to tick ${desync.base_tick}`;
  const facts = make("p", { text: `tick ${desync.tick} of seat ${desync.seat}, seen by the ${desync.side}: ${base}; hash ${desync.expected} expected, ${desync.got} here; report ${desync.ended}` });
  const explanation = make("pre", { text: String(desync.explanation ?? "") });
  const table = make("table", { name: "differences", children: [
    make("tr", { children: ["entity", "field", "server", "client"].map((text) => make("th", { text })) }),
    ...differences.map(({ id, kind, field, server: left, client: right }) => make("tr", { children: [
      make("td", { text: id === null ? kind : `${kind} #${id}` }), make("td", { text: field }),
      make("td", { name: "bad", text: left }), make("td", { name: "bad", text: right })] })),
  ] });
  const causes = make("table", { name: "causes", children: [
    make("tr", { children: ["tick", "cause", "entity", "what"].map((text) => make("th", { text })) }),
    ...(desync.causes ?? []).map(({ tick, cause, entity = "", what = "" }) => make("tr", { children: [
      make("td", { text: String(tick) }), make("td", { text: cause }), make("td", { text: String(entity) }), make("td", { text: String(what) })] })),
  ] });
  section.replaceChildren(facts, explanation, make("div", { name: "pair", children: canvases.map(({ figure }) => figure) }),
    make("h2", { text: server && client ? differences.length === 1 ? "1 field differs" : `${differences.length} fields differ` : "nothing to compare" }), table,
    make("h2", { text: "What entered between the base and the tick" }), causes);
  const draw = () => canvases.forEach(({ canvas, view }) => { if (view) drawWorld(canvas, view, desync, bad, beside); });
  const observer = new ResizeObserver(draw);
  observer.observe(section);
  draw();
  return observer;
}

/** Draws the entities of a view. A file without sizes has boxes of one unit. */
function drawWorld(canvas, view, desync, bad, beside) {
  const ratio = devicePixelRatio, g = canvas.getContext("2d");
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(canvas.clientHeight * ratio);
  const all = [...(desync.server_view?.entities ?? []), ...(desync.client_view?.entities ?? [])].map(boxOf);
  const left = Math.min(...all.map((box) => box.x)) - 1, top = Math.min(...all.map((box) => box.y)) - 1;
  const right = Math.max(...all.map((box) => box.x + box.w)) + 1, bottom = Math.max(...all.map((box) => box.y + box.h)) + 1;
  const scale = Math.min(canvas.width / (right - left), canvas.height / (bottom - top), 60 * ratio);
  g.fillStyle = look.palette.floor;
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.setTransform(scale, 0, 0, scale, canvas.width / 2 - (left + right) / 2 * scale, canvas.height / 2 - (top + bottom) / 2 * scale);
  if (beside) {
    g.fillStyle = look.palette.wall;
    for (const { min, size } of beside.game.walls) g.fillRect(min[0] / UNIT, min[1] / UNIT, size[0] / UNIT, size[1] / UNIT);
  }
  for (const entity of view.entities) {
    const { x, y, w, h } = boxOf(entity);
    const isBad = bad.has(entity.id);
    g.fillStyle = isBad ? look.palette.bad : entity.input ? look.palette.accent : look.palette.edge;
    g.globalAlpha = isBad ? 1 : 0.7;
    g.fillRect(x, y, w, h);
    g.globalAlpha = 1;
    if (!isBad) continue;
    g.strokeStyle = look.palette.bad;
    g.lineWidth = 2 * ratio / scale;
    g.strokeRect(x - 5 * ratio / scale, y - 5 * ratio / scale, w + 10 * ratio / scale, h + 10 * ratio / scale);
    g.font = `600 ${11 * ratio / scale}px system-ui, sans-serif`;
    g.fillStyle = look.palette.ink;
    g.textAlign = "center";
    g.fillText(entity.kind, x + w / 2, y - 9 * ratio / scale);
  }
}

function boxOf({ x, y, width = UNIT, height = UNIT }) {
  return { x: x / UNIT, y: y / UNIT, w: width / UNIT, h: height / UNIT };
}
