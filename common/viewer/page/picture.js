// Draws a match. The picture is a function of the moment, the camera and the layers: forwards or backwards, the same tick
// has the same pixels.
"use strict";

/** The flags of a row, as common/viewer/row.h has them. */
const CONTROLLED = 1, NEW = 2, ONE_WAY = 4, SENSOR = 8, HAS_LOOK = 16, TEAM = 32;
const SHAPES = ["box", "disc", "diamond", "flame"];
/** How long the ring of an event is seen, in seconds. */
const RING_SECONDS = 0.6;
/** What moves further than this in a tick was teleported: it is not drawn between. */
const JUMP_UNITS = 5;
/** A small body faster than this, in units a second, is drawn as a streak. */
const STREAK_SPEED = 15, STREAK_SIZE = 0.55;
const ZOOM_MAX = 400;
/** The side of a tile of the floor, and the largest floor that has them, in units. */
const TILE = 3, TILES_AREA_MAX = 200_000;
/** The longest side of the image of a map, in pixels. */
const IMAGE_MAX = 4000;
/** With fewer pixels for a unit than this, a whole map has too small players. */
const LEGIBLE = 10;
/** The space around the players, in units. */
const MARGIN = 8;
/** The least part of the canvas that cards leave to the map; what they cover beyond that stays covered. */
const WINDOW_LEAST = 0.4;
/** How many lines a label goes up to find a free place, and the height of a line in CSS pixels. */
const LABEL_LINES = 4, LINE = 13;
/** The longest side of a body that is drawn once for many, in CSS pixels; how many such are kept; their space for the shade. */
const STAMP_MAX = 100, STAMPS_MAX = 128, SHADE = 0.2;
const SPARKS = 7;
const FLAME = [["#e2452b", 1, 0], ["#ff9a2e", 0.68, 0.12], ["#ffe27a", 0.36, 0.2]];

class Picture {
  layers = new Set(["sensors", "names"]);
  #cards = [];
  /** The id of the chosen entity, and the seat that the camera follows; none: null. */
  chosen = null;
  followed = null;
  /** Where a hand has put the camera; null: the player, the whole map, or on a large map all players. */
  free = null;
  isWhole = false;
  #camera = null;
  #walls = null;
  #drawn = {};
  #labels = [];
  #taken = [];
  #stamps = new Map();

  constructor(canvas) {
    this.canvas = canvas;
    this.g = canvas.getContext("2d");
  }

  /** Shows the map beside these elements, which cover the canvas. Call it again when they change. */
  setCards(elements) {
    const { x: left, y: top } = this.canvas.getBoundingClientRect();
    this.#cards = elements.map((each) => each.getBoundingClientRect()).map(({ x, y, width, height }) => ({ x: x - left, y: y - top, w: width, h: height }));
  }

  open(match) {
    this.match = match;
    this.bounds = boundsOf(match);
    this.chosen = this.followed = this.free = this.#camera = this.#walls = null;
    this.isWhole = false;
    look.teams.clear();
  }

  /** Draws the present moment. `share`: how far it is from the moment before, 0 to 1. `still`: the camera is there at once. */
  draw(share, still) {
    const { g, canvas } = this;
    const ratio = devicePixelRatio;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (width === 0 || height === 0) return;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      this.#walls = null;
      still = true;
    }
    this.share = share;
    const { now, before } = this.match;
    if (this.#drawn.now !== now || this.#drawn.before !== before) {
      this.from = before ? now.since(before) : null;
      this.order = orderOf(now);
      readTeams(now);
      this.#drawn = { now, before };
    }
    this.#aim(width, height, still);
    const { x, y, scale, centreX, centreY } = this.#camera;
    // What the picture before has set must not be seen in this one.
    g.reset();
    g.fillStyle = look.palette.ground;
    g.fillRect(0, 0, width, height);
    g.setTransform(scale, 0, 0, scale, centreX - x * scale, centreY - y * scale);
    const left = x - centreX / scale, top = y - centreY / scale;
    const view = { left, top, right: left + width / scale, bottom: top + height / scale };
    this.#drawWalls(view);
    if (this.layers.has("sight")) this.#drawSight();
    for (const row of this.order) {
      const box = this.placeOf(row);
      if (box.x > view.right + 4 || box.x + box.w < view.left - 4 || box.y > view.bottom + 4 || box.y + box.h < view.top - 4) continue;
      this.#drawEntity(row, box);
    }
    if (this.layers.has("contacts")) this.#drawContacts();
    this.#drawEvents();
    this.#drawLabels();
  }

  /** Where an entity is drawn: between two ticks. */
  placeOf(row) {
    const { now, before } = this.match;
    const box = now.box(row);
    const from = this.from?.[row] ?? -1;
    if (from >= 0 && this.share < 1 && !(now.rows[now.at(row) + 11] & NEW)) {
      const dx = before.rows[from + 4] / UNIT - box.x, dy = before.rows[from + 5] / UNIT - box.y;
      if (Math.abs(dx) + Math.abs(dy) < JUMP_UNITS) {
        box.x += dx * (1 - this.share);
        box.y += dy * (1 - this.share);
      }
    }
    return box;
  }

  /** The place in the world of a point of the canvas, in CSS pixels. */
  worldAt(px, py) {
    const { x, y, scale, centreX, centreY } = this.#camera, ratio = devicePixelRatio;
    return { x: (px * ratio - centreX) / scale + x, y: (py * ratio - centreY) / scale + y };
  }

  /** The row nearest to a point of the canvas, within the width of a finger; -1: none. */
  rowAt(px, py) {
    const { x, y } = this.worldAt(px, py);
    const reach = Math.max(12 * devicePixelRatio / this.#camera.scale, 0.2);
    let best = -1, least = Infinity;
    for (const row of this.order) {
      const box = this.placeOf(row);
      const away = Math.hypot(Math.max(box.x - x, 0, x - box.x - box.w), Math.max(box.y - y, 0, y - box.y - box.h));
      const weight = away + box.w * box.h * 1e-3;
      if (away < reach && weight < least) [best, least] = [row, weight];
    }
    return best;
  }

  pan(dx, dy) {
    const { x, y, scale } = this.#camera, ratio = devicePixelRatio;
    this.followed = null;
    this.free = { x: x - dx * ratio / scale, y: y - dy * ratio / scale, scale };
  }

  /** Zooms, and keeps the point of the canvas where it is. */
  zoom(by, px = this.canvas.clientWidth / 2, py = this.canvas.clientHeight / 2) {
    const { x, y, scale } = this.#camera;
    const least = this.#whole(this.canvas.width, this.canvas.height).scale / 2;
    const next = Math.max(least, Math.min(ZOOM_MAX * devicePixelRatio, scale * by));
    const at = this.worldAt(px, py);
    this.free = { x: at.x + (x - at.x) * scale / next, y: at.y + (y - at.y) * scale / next, scale: next };
  }

  /** The part of the canvas beside the cards: at each card the side that leaves the most for a thing of this shape. */
  #window(width, height, shape) {
    let free = { x: 0, y: 0, w: width, h: height };
    for (const card of this.#cards) {
      const [x, y, w, h] = [card.x, card.y, card.w, card.h].map((each) => each * devicePixelRatio);
      const right = free.x + free.w, bottom = free.y + free.h;
      if (w === 0 || x >= right || y >= bottom || x + w <= free.x || y + h <= free.y) continue;
      const sides = [{ ...free, w: x - free.x }, { ...free, x: x + w, w: right - x - w }, { ...free, h: y - free.y }, { ...free, y: y + h, h: bottom - y - h }];
      const scaleOf = (side) => Math.min(side.w / shape.w, side.h / shape.h);
      const best = sides.reduce((a, b) => (scaleOf(b) > scaleOf(a) ? b : a));
      if (best.w * best.h >= WINDOW_LEAST * width * height) free = best;
    }
    return free;
  }

  #whole(width, height) {
    const { x, y, w, h } = this.bounds;
    return { x: x + w / 2, y: y + h / 2, scale: Math.min(width / w, height / h) * 0.98 };
  }

  /** The part of a large map that has all players; of a small one the whole. */
  #players(width, height) {
    const whole = this.#whole(width, height);
    if (this.isWhole || whole.scale >= LEGIBLE * devicePixelRatio) return whole;
    const { now } = this.match;
    const boxes = [];
    for (let row = 0; row < now.count; ++row) if (now.rows[now.at(row) + 11] & CONTROLLED) boxes.push(this.placeOf(row));
    if (boxes.length === 0) return whole;
    const { left, top, right, bottom } = around(boxes);
    const scale = Math.min(width / (right - left + 2 * MARGIN), height / (bottom - top + 2 * MARGIN), 40 * devicePixelRatio);
    return { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(scale, whole.scale) };
  }

  #aim(allWidth, allHeight, still) {
    const row = this.followed === null ? -1 : this.rowOfSeat(this.followed);
    const seat = this.followed === null ? null : this.match.details.seats[this.followed];
    const shape = seat?.sight ? { w: seat.sight[0], h: seat.sight[1] } : this.bounds;
    const { x: left, y: top, w: width, h: height } = this.#window(allWidth, allHeight, shape);
    const goal = this.free ?? this.#players(width, height);
    let { x, y, scale } = goal;
    if (row >= 0 || seat?.focus) {
      const box = row >= 0 ? this.placeOf(row) : { x: seat.focus[0] / UNIT, y: seat.focus[1] / UNIT, w: 0, h: 0 };
      x = box.x + box.w / 2;
      y = box.y + box.h / 2;
      if (this.free) scale = this.free.scale;
      // Who is near comes and goes: the scale of a player's view does not.
      else if (seat?.sight) scale = Math.max(this.#whole(width, height).scale, Math.min(width / (2 * seat.sight[0] / UNIT), height / (2 * seat.sight[1] / UNIT)));
    }
    if (!this.free) {
      // The picture does not show what is outside of the map, unless it is larger than the map.
      const within = (at, low, size, half) => (size <= 2 * half ? low + size / 2 : Math.max(low + half, Math.min(low + size - half, at)));
      x = within(x, this.bounds.x, this.bounds.w, width / 2 / scale);
      y = within(y, this.bounds.y, this.bounds.h, height / 2 / scale);
    }
    const centreX = left + width / 2, centreY = top + height / 2;
    const camera = (this.#camera ??= { x, y, scale, centreX, centreY });
    const ease = still || this.free ? 1 : 0.16;
    for (const [name, value] of Object.entries({ x, y, centreX, centreY })) camera[name] += (value - camera[name]) * ease;
    camera.scale *= (scale / camera.scale) ** ease;
  }

  /** The row of what a player controls; -1: it has nothing. */
  rowOfSeat(seat) {
    const { rows, count } = this.match.now;
    for (let row = 0; row < count; ++row) {
      const at = this.match.now.at(row);
      if (rows[at + 3] === seat && rows[at + 11] & CONTROLLED) return row;
    }
    return -1;
  }

  /** Draws floor and walls. A map that fits is drawn once for a scale: thousands of tiles are one image. */
  #drawWalls(view) {
    const { bounds, g } = this, { scale } = this.#camera;
    if (Math.max(bounds.w, bounds.h) * scale > IMAGE_MAX) {
      drawWallsOn(g, this.match.game.walls, bounds, view);
      return;
    }
    if (this.#walls?.scheme !== look.scheme || Math.abs(this.#walls.scale / scale - 1) > 0.3) {
      const canvas = new OffscreenCanvas(Math.ceil(bounds.w * scale) + 2, Math.ceil(bounds.h * scale) + 2);
      const image = canvas.getContext("2d");
      image.scale(scale, scale);
      image.translate(-bounds.x, -bounds.y);
      drawWallsOn(image, this.match.game.walls, bounds, { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity });
      this.#walls = { canvas, scale, scheme: look.scheme };
    }
    const { canvas, scale: drawn } = this.#walls;
    g.drawImage(canvas, bounds.x, bounds.y, canvas.width / drawn, canvas.height / drawn);
  }

  #drawEntity(row, box) {
    const { g } = this, { now, rate } = this.match, { scale } = this.#camera;
    const at = now.at(row), rows = now.rows;
    const seat = rows[at + 3], flags = rows[at + 11], looks = rows[at + 10];
    const isPlayer = Boolean(flags & CONTROLLED), isSensor = Boolean(flags & SENSOR);
    const isChosen = this.chosen !== null && now.idOf(row) === this.chosen;
    if (isSensor && !this.layers.has("sensors") && !isChosen) return;
    // The colour that the game gives: the seat is the mark, or the tail of a streak.
    const colour = isPlayer && seat >= 0 && !(flags & HAS_LOOK) ? look.seatColour(seat) : look.colourOf(looks);
    const shape = SHAPES[(looks >> 16) & 3];
    const vx = rows[at + 8] / UNIT * rate, vy = rows[at + 9] / UNIT * rate, speed = Math.hypot(vx, vy);
    const size = Math.max(box.w, box.h) * scale / devicePixelRatio;
    const middle = { x: box.x + box.w / 2, y: box.y + box.h / 2 };
    if (!isPlayer && speed > STREAK_SPEED && Math.max(box.w, box.h) < STREAK_SIZE) {
      this.#drawStreak(middle, Math.max(box.w, 2 / scale), vx / speed, vy / speed, Math.min(speed / 25, 3.5), colour, seat);
    } else {
      if (shape === "flame") this.#drawFlame(box, middle, rows[at]);
      else this.#drawBody(box, middle, colour, { shape, isPlayer, isSensor, hasLook: Boolean(flags & HAS_LOOK), isOneWay: Boolean(flags & ONE_WAY), size });
      if (isPlayer && size > 9) this.#drawEyes(box, speed > 0.5 ? vx / speed : 0, speed > 0.5 ? vy / speed : 0);
      if (this.layers.has("letters")) this.#text(String.fromCharCode(looks & 127), middle.x, middle.y, Math.max(7, Math.min(size * 0.5, 18)), "#000a", "middle");
    }
    if (isPlayer && seat >= 0) this.#labels.push({ seat, x: middle.x, y: box.y, size });
    if (isChosen || (seat >= 0 && isPlayer && seat === this.followed)) {
      g.strokeStyle = isChosen ? look.palette.accent : look.palette.ink;
      g.lineWidth = 2 * devicePixelRatio / scale;
      const gap = 3 * devicePixelRatio / scale;
      g.beginPath();
      g.roundRect(box.x - gap, box.y - gap, box.w + 2 * gap, box.h + 2 * gap, isPlayer ? Math.min(0.3, box.w / 2) + gap : 0);
      g.stroke();
    }
    if (this.layers.has("velocities") && speed > 0.05) this.#drawArrow(middle, vx / 6, vy / 6, look.palette.accent);
    if (this.layers.has("ids")) this.#text(shortId(now.idOf(row)), middle.x, box.y + box.h + 11 * devicePixelRatio / scale, 9, look.palette.dim);
  }

  #drawBody(box, middle, colour, { shape, isPlayer, isSensor, hasLook, isOneWay, size }) {
    const { g } = this, { scale } = this.#camera;
    // What a game draws is there to be seen; a sensor without a look is a place.
    if (isSensor && !(hasLook && shape !== "box")) {
      outline(g, box, shape, isPlayer);
      g.globalAlpha = size < 14 ? 0.8 : 0.35;
      g.fillStyle = colour;
      g.fill();
      g.globalAlpha = 1;
      if (size < 14) return;
      g.setLineDash([5 * devicePixelRatio / scale, 4 * devicePixelRatio / scale]);
      g.lineWidth = 1.5 * devicePixelRatio / scale;
      g.strokeStyle = colour;
      g.stroke();
      g.setLineDash([]);
      return;
    }
    const seen = { shape, colour, isPlayer, isOneWay, shades: size > 8, edges: size > 12 && !isPlayer && shape !== "disc" };
    if (size > STAMP_MAX || size <= 5) drawSolid(g, box, seen, size > 5);
    else g.drawImage(this.#stampOf(box.w, box.h, seen), box.x - SHADE, box.y - SHADE, box.w + 2 * SHADE, box.h + 2 * SHADE);
  }

  /** The image of a body with its shade. A hundred alike bodies are drawn once for a scale. */
  #stampOf(w, h, seen) {
    const scale = 2 ** (Math.round(Math.log2(this.#camera.scale) * 32) / 32);  // nearly
    const name = `${scale} ${look.scheme} ${w} ${h} ${Object.values(seen)}`;
    let stamp = this.#stamps.get(name);
    if (!stamp) {
      if (this.#stamps.size === STAMPS_MAX) this.#stamps.clear();
      stamp = new OffscreenCanvas(Math.ceil((w + 2 * SHADE) * scale), Math.ceil((h + 2 * SHADE) * scale));
      const image = stamp.getContext("2d");
      image.scale(stamp.width / (w + 2 * SHADE), stamp.height / (h + 2 * SHADE));
      drawSolid(image, { x: SHADE, y: SHADE, w, h }, seen, true);
      this.#stamps.set(name, stamp);
    }
    return stamp;
  }

  /** Three tongues, one in the other, each of its own height in each moment. */
  #drawFlame(box, middle, id) {
    const { g } = this, time = (this.match.tick + this.share) / this.match.rate;
    const glow = g.createRadialGradient(middle.x, middle.y, 0, middle.x, middle.y, box.w * 1.3);
    glow.addColorStop(0, "#ffb03a66");
    glow.addColorStop(1, "#ff700000");
    g.fillStyle = glow;
    g.fillRect(middle.x - box.w * 1.3, middle.y - box.h * 1.3, box.w * 2.6, box.h * 2.6);
    for (const [colour, part, sunk] of FLAME) {
      const sway = Math.sin(time * 17 + id * 1.7 + part * 5), w = box.w * 0.72 * part, h = box.h * (1.2 + 0.22 * sway) * part;
      const low = middle.y + box.h * (0.62 - sunk), tip = middle.x + sway * box.w * 0.12;
      g.fillStyle = colour;
      g.beginPath();
      g.moveTo(tip, low - 1.35 * h);
      g.bezierCurveTo(middle.x + w * 0.5, low - h * 0.8, middle.x + w * 1.1, low - h * 0.35, middle.x + w * 0.45, low);
      g.lineTo(middle.x - w * 0.45, low);
      g.bezierCurveTo(middle.x - w * 1.1, low - h * 0.35, middle.x - w * 0.5, low - h * 0.8, tip, low - 1.35 * h);
      g.fill();
    }
  }

  /** Eyes look where the player goes. */
  #drawEyes({ x, y, w, h }, dx, dy) {
    const { g } = this;
    for (const side of [-0.19, 0.19]) {
      const ex = x + w / 2 + side * w + dx * w * 0.12, ey = y + h * 0.42 + dy * h * 0.1;
      g.fillStyle = "#fff";
      g.beginPath();
      g.ellipse(ex, ey, w * 0.13, h * 0.16, 0, 0, 7);
      g.fill();
      g.fillStyle = "#10151d";
      g.beginPath();
      g.arc(ex + dx * w * 0.055, ey + dy * h * 0.06, w * 0.075, 0, 7);
      g.fill();
    }
  }

  /** The marks of players over their bodies, each at a free place; the followed one has the first choice. */
  #drawLabels() {
    const pixel = devicePixelRatio / this.#camera.scale;
    this.#labels.sort((a, b) => (b.seat === this.followed) - (a.seat === this.followed) || a.seat - b.seat);
    for (const { seat, x, y, size } of this.#labels) {
      const hasNumber = size > 14 || seat === this.followed;
      this.#drawMark(seat, x, this.#free(x, y - 9 * pixel, (hasNumber ? 32 : 10) * pixel), size, hasNumber);
    }
    this.#labels.length = this.#taken.length = 0;
  }

  /** The height from `y` upwards where a label of this width is free; nobody else gets it. */
  #free(x, y, width) {
    const line = LINE * devicePixelRatio / this.#camera.scale;
    const isFree = (at) => !this.#taken.some((each) => Math.abs(each.y - at) < line && Math.abs(each.x - x) < (each.width + width) / 2);
    let at = y;
    for (let n = 1; n < LABEL_LINES && !isFree(at); ++n) at = y - n * line;
    this.#taken.push({ x, y: at, width });
    return at;
  }

  /** The mark of a player, and its number. */
  #drawMark(seat, x, y, size, hasNumber) {
    const { g } = this, pixel = devicePixelRatio / this.#camera.scale;
    const radius = (size > 14 ? 4.5 : 3.5) * pixel;
    const left = hasNumber ? x - 7 * pixel : x;
    g.save();
    g.translate(left, y);
    g.scale(radius, radius);
    const path = new Path2D(look.markOf(seat));
    g.lineWidth = 0.7;
    g.strokeStyle = look.palette.floor;
    g.stroke(path);
    g.fillStyle = look.seatColour(seat);
    g.fill(path);
    g.restore();
    if (hasNumber) this.#text(`P${seat}`, left + 7 * pixel, y, 11, look.palette.ink, "middle", "left");
  }

  #drawStreak(at, width, dx, dy, length, colour, seat) {
    const { g } = this;
    const shade = g.createLinearGradient(at.x - dx * length, at.y - dy * length, at.x, at.y);
    shade.addColorStop(0, "transparent");
    shade.addColorStop(1, seat >= 0 ? look.seatColour(seat) : colour);
    g.strokeStyle = shade;
    g.lineWidth = width;
    g.lineCap = "round";
    g.beginPath();
    g.moveTo(at.x - dx * length, at.y - dy * length);
    g.lineTo(at.x, at.y);
    g.stroke();
    g.fillStyle = colour;
    g.beginPath();
    g.arc(at.x, at.y, width / 2, 0, 7);
    g.fill();
  }

  #drawArrow(from, dx, dy, colour) {
    const { g } = this, pixel = devicePixelRatio / this.#camera.scale;
    const length = Math.hypot(dx, dy), head = Math.min(5 * pixel, length);
    const end = { x: from.x + dx, y: from.y + dy }, ux = dx / length, uy = dy / length;
    g.strokeStyle = colour;
    g.lineWidth = 1.5 * pixel;
    g.lineCap = "round";
    g.beginPath();
    g.moveTo(from.x, from.y);
    g.lineTo(end.x, end.y);
    g.moveTo(end.x - (ux + uy * 0.6) * head, end.y - (uy - ux * 0.6) * head);
    g.lineTo(end.x, end.y);
    g.lineTo(end.x - (ux - uy * 0.6) * head, end.y - (uy + ux * 0.6) * head);
    g.stroke();
  }

  /** What touched in the tick: a dot on the side that was touched. */
  #drawContacts() {
    const { g } = this, { now } = this.match, pixel = devicePixelRatio / this.#camera.scale;
    const rows = new Map();
    for (let row = 0; row < now.count; ++row) rows.set(now.idOf(row), row);
    const contacts = this.match.contacts, width = tickbox.CONTACT.length;
    g.fillStyle = look.palette.bad;
    for (let i = 0; i < contacts.length; i += width) {
      // The normal points from b to a, so it is the side of a that faces the other way.
      let row = rows.get(idAt(contacts, i)), nx = -contacts[i + 4], ny = -contacts[i + 5];
      if (row === undefined) [row, nx, ny] = [rows.get(idAt(contacts, i + 2)), -nx, -ny];
      if (row === undefined) continue;
      const box = this.placeOf(row);
      g.beginPath();
      g.arc(box.x + box.w * (1 + nx) / 2, box.y + box.h * (1 + ny) / 2, 3.5 * pixel, 0, 7);
      g.fill();
    }
  }

  /** What the followed player can see; without one, what each can. */
  #drawSight() {
    const { g } = this, pixel = devicePixelRatio / this.#camera.scale;
    g.lineWidth = 1.5 * pixel;
    g.setLineDash([8 * pixel, 6 * pixel]);
    for (const { seat, taken, focus, sight } of this.match.details.seats) {
      if (!taken || !sight || (this.followed !== null && this.followed !== seat)) continue;
      g.strokeStyle = look.seatColour(seat);
      const [w, h] = [sight[0] / UNIT, sight[1] / UNIT];
      g.strokeRect(focus[0] / UNIT - w, focus[1] / UNIT - h, 2 * w, 2 * h);
    }
    g.setLineDash([]);
  }

  /** A ring and sparks around the place of each event of the last moments, and its name. */
  #drawEvents() {
    const { g } = this, { tick, rate, game, events } = this.match, pixel = devicePixelRatio / this.#camera.scale;
    const span = Math.ceil(RING_SECONDS * rate);
    for (const event of events.between(tick - span, tick)) {
      const age = Math.min(1, (tick - event.tick + this.share) / (span + 1));
      g.globalAlpha = (1 - age) ** 1.5;
      g.strokeStyle = event.seat >= 0 ? look.seatColour(event.seat) : look.palette.accent;
      g.lineWidth = 2.5 * pixel;
      g.beginPath();
      g.arc(event.x, event.y, Math.max(0.4, 6 * pixel) + age * Math.max(1.4, 18 * pixel), 0, 7);
      g.stroke();
      for (let n = 0; n < SPARKS; ++n) {
        const turn = (n + event.tick % 7 / 7) * 2 * Math.PI / SPARKS, way = Math.max(0.3, 5 * pixel) + age * Math.max(1.8, 26 * pixel);
        g.fillStyle = g.strokeStyle;
        g.beginPath();
        g.arc(event.x + Math.cos(turn) * way, event.y + Math.sin(turn) * way, 2 * pixel * (1 - age), 0, 7);
        g.fill();
      }
      if (!this.layers.has("names")) continue;
      const { name } = game.events[event.type];
      this.#text(name, event.x, this.#free(event.x, event.y - 20 * pixel, 7 * name.length * pixel) - 14 * age * pixel, 11, look.palette.ink);
    }
    g.globalAlpha = 1;
  }

  #text(text, x, y, size, colour, baseline = "alphabetic", align = "center") {
    const { g } = this;
    g.font = `600 ${size * devicePixelRatio / this.#camera.scale}px system-ui, "DejaVu Sans", sans-serif`;
    g.textAlign = align;
    g.textBaseline = baseline;
    g.fillStyle = colour;
    g.fillText(text, x, y);
  }
}

/** Makes the outline of a body the path. */
function outline(g, { x, y, w, h }, shape, isPlayer) {
  g.beginPath();
  if (shape === "disc") g.ellipse(x + w / 2, y + h / 2, w / 2, h / 2, 0, 0, 7);
  else if (shape === "diamond") {
    g.moveTo(x + w / 2, y);
    g.lineTo(x + w, y + h / 2);
    g.lineTo(x + w / 2, y + h);
    g.lineTo(x, y + h / 2);
    g.closePath();
  } else g.roundRect(x, y, w, h, Math.min(isPlayer ? 0.3 : 0.1, w / 2, h / 2));
}

/** Draws a solid body: its shade, its form, edges. */
function drawSolid(g, box, { shape, colour, isPlayer, isOneWay, shades, edges }, hasShade) {
  const { x, y, w, h } = box;
  if (hasShade) {
    g.save();
    g.translate(0.05, 0.1);
    outline(g, box, shape, isPlayer);
    g.fillStyle = look.palette.shade;
    g.fill();
    g.restore();
  }
  outline(g, box, shape, isPlayer);
  g.fillStyle = colour;
  if (shades) {
    const isDisc = shape === "disc", left = x + w * 0.32, top = y + h * 0.3;
    const shade = isDisc ? g.createRadialGradient(left, top, 0, left, top, w * 0.75) : g.createLinearGradient(0, y, 0, y + h);
    shade.addColorStop(0, `color-mix(in srgb, ${colour}, white ${isDisc ? 55 : 20}%)`);
    if (isDisc) shade.addColorStop(0.35, colour);
    shade.addColorStop(1, `color-mix(in srgb, ${colour}, black ${isDisc ? 40 : 18}%)`);
    g.fillStyle = shade;
  }
  g.fill();
  if (edges) drawEdges(g, box, colour, shape);
  if (!isOneWay) return;
  g.fillStyle = look.palette.top;
  g.fillRect(x, y, w, Math.min(h, 0.12));
}

/** A box has a frame, a diamond facets. */
function drawEdges(g, { x, y, w, h }, colour, shape) {
  const inset = Math.min(w, h) * 0.14;
  g.strokeStyle = `color-mix(in srgb, ${colour}, black 35%)`;
  g.lineWidth = Math.min(w, h) * 0.06;
  g.beginPath();
  if (shape === "box") g.rect(x + inset, y + inset, w - 2 * inset, h - 2 * inset);
  else {
    g.moveTo(x, y + h / 2);
    g.lineTo(x + w, y + h / 2);
    g.moveTo(x + w / 2, y);
    g.lineTo(x + w / 2, y + h);
  }
  g.stroke();
}

/** Draws the part of floor and walls that is in view. */
function drawWallsOn(g, walls, bounds, view) {
  const colours = look.palette;
  const left = Math.max(bounds.x, view.left), right = Math.min(bounds.x + bounds.w, view.right);
  const top = Math.max(bounds.y, view.top), bottom = Math.min(bounds.y + bounds.h, view.bottom);
  g.fillStyle = colours.floor;
  g.fillRect(left, top, right - left, bottom - top);
  g.fillStyle = colours.tile;
  // A map of thousands of units has none: they would be as many as its pixels.
  if ((right - left) * (bottom - top) <= TILES_AREA_MAX) for (let y = Math.floor(top / TILE); y * TILE < bottom; ++y) {
    for (let x = Math.floor(left / TILE) - ((Math.floor(left / TILE) + y) & 1); x * TILE < right; x += 2) {
      const from = Math.max(left, x * TILE), high = Math.max(top, y * TILE);
      g.fillRect(from, high, Math.min(right, (x + 1) * TILE) - from, Math.min(bottom, (y + 1) * TILE) - high);
    }
  }
  const seen = walls.map(({ min, size, one_way: side }) => ({ x: min[0] / UNIT, y: min[1] / UNIT, w: size[0] / UNIT, h: size[1] / UNIT, side }))
    .filter(({ x, y, w, h }) => x < right + 1 && x + w > left - 1 && y < bottom + 1 && y + h > top - 1);
  g.fillStyle = colours.shade;
  for (const { x, y, w, h, side } of seen) if (!side) g.fillRect(x + 0.1, y + 0.14, w, h);
  for (const { x, y, w, h, side } of seen) {
    g.fillStyle = side ? colours.plank : colours.wall;
    g.fillRect(x, y, w, side ? Math.min(h, 0.3) : h);
  }
  for (const { x, y, w, h, side } of seen) {
    g.fillStyle = side ? colours.top : colours.edge;
    g.fillRect(x, y, w, Math.min(h, side ? 0.12 : 0.09));
  }
}

/** The rows in the order in which they are drawn: sensors, then large before small, players last. */
function orderOf(now) {
  const weight = new Float64Array(now.count);
  for (let row = 0; row < now.count; ++row) {
    const at = now.at(row), flags = now.rows[at + 11];
    weight[row] = flags & SENSOR ? -Infinity : flags & CONTROLLED ? 1 : -(now.rows[at + 6] / UNIT) * (now.rows[at + 7] / UNIT);
  }
  return Uint32Array.from({ length: now.count }, (_, row) => row).sort((a, b) => weight[a] - weight[b] || a - b);
}

/** Takes the colours of teams from the players that are there. */
function readTeams(now) {
  for (let row = 0; row < now.count; ++row) {
    const at = now.at(row), flags = now.rows[at + 11];
    if (flags & TEAM && flags & CONTROLLED) look.teams.set(now.rows[at + 3], (now.rows[at + 10] >> 8) & 7);
  }
}

/** The smallest box around others; of none it is no box. */
function around(boxes) {
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y, w, h } of boxes) {
    all.left = Math.min(all.left, x);
    all.top = Math.min(all.top, y);
    all.right = Math.max(all.right, x + w);
    all.bottom = Math.max(all.bottom, y + h);
  }
  return all;
}

/** The part of the world that is worth a look: walls and entities. Of a wall along a whole side one unit is enough. */
function boundsOf(match) {
  const boxes = match.game.walls.map(({ min, size }) => ({ x: min[0] / UNIT, y: min[1] / UNIT, w: size[0] / UNIT, h: size[1] / UNIT }));
  // Walls tell the size of a map; without them, what is there at the beginning.
  if (boxes.length < 2) for (let row = 0; row < match.now.count; ++row) boxes.push(match.now.box(row));
  let { left, top, right, bottom } = around(boxes);
  if (!(right > left && bottom > top)) return { x: -20, y: -20, w: 40, h: 40 };
  const all = { w: right - left, h: bottom - top, left, top, right, bottom };
  for (const { x, y, w, h } of boxes) {
    if (h >= all.h * 0.9 && w > 1) {
      if (x <= all.left) left = Math.max(left, x + w - 1);
      else if (x + w >= all.right) right = Math.min(right, x + 1);
    }
    if (w >= all.w * 0.9 && h > 1) {
      if (y <= all.top) top = Math.max(top, y + h - 1);
      else if (y + h >= all.bottom) bottom = Math.min(bottom, y + 1);
    }
  }
  return { x: left, y: top, w: right - left, h: bottom - top };
}

/** An id as people read it: the last digits tell two of a kind apart. */
function shortId(id) {
  const text = String(id);
  return text.length > 7 ? `…${text.slice(-6)}` : text;
}
