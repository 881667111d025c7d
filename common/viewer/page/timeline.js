// The time line: green where ticks were compared, red where one differs, grey where nothing was recorded or it is damaged;
// marks for events; where the shown tick is. What is lost or differs is never too narrow to be seen.
"use strict";

class TimeLine {
  constructor(canvas, seek) {
    this.canvas = canvas;
    this.g = canvas.getContext("2d");
    const seekAt = (event) => {
      const { left, width } = canvas.getBoundingClientRect();
      const share = (event.clientX - left - PAD) / (width - 2 * PAD);
      seek(this.match.first + this.#span * Math.max(0, Math.min(1, share)));
    };
    canvas.onpointerdown = (event) => {
      if (event.button !== 0) return;
      if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
      seekAt(event);
      canvas.onpointermove = seekAt;
    };
    canvas.onpointerup = canvas.onpointercancel = () => { canvas.onpointermove = null; };
  }

  #counted = {};

  get #span() { return Math.max(1, this.match.last - this.match.first); }

  draw(match, proof) {
    this.match = match;
    const { canvas, g } = this, ratio = devicePixelRatio, colours = look.palette;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    g.clearRect(0, 0, width, height);
    const pad = PAD * ratio;
    const x = (tick) => pad + (tick - match.first) / this.#span * (width - 2 * pad);
    const top = height * 0.44, bar = height * 0.28;
    const fill = (first, last, colour, least = 0, taller = 0) => {
      const size = Math.max(x(last) - x(first), least);
      g.fillStyle = colour;
      g.fillRect(Math.min(x(first), width - pad - size), top - taller, size, bar + 2 * taller);
    };
    g.save();
    g.beginPath();
    g.roundRect(pad, top, width - 2 * pad, bar, bar / 2);
    g.clip();
    fill(match.first, match.last, colours.wait);
    for (const [first, last] of proof.good) fill(first, last, colours.good);
    for (const [first, last] of proof.lostOf(match)) fill(first, last, colours.lost, 3 * ratio);
    g.restore();
    // What differs is taller, for those who do not see its colour.
    for (const [first, last] of proof.ranges) {
      if (last >= match.first) fill(Math.max(first, match.first), last, colours.bad, 3 * ratio, 3 * ratio);
    }
    this.#drawEvents(x, top);
    const at = x(match.tick);
    g.fillStyle = colours.ink;
    g.fillRect(at - ratio, top - 4 * ratio, 2 * ratio, bar + 8 * ratio);
    g.beginPath();
    g.arc(at, top + bar / 2, 6.5 * ratio, 0, 7);
    g.fill();
    canvas.setAttribute("aria-valuemin", match.first);
    canvas.setAttribute("aria-valuemax", match.last);
    canvas.setAttribute("aria-valuenow", match.tick);
    canvas.setAttribute("aria-valuetext", `tick ${match.tick}, ${look.time(match.tick, match.rate)}`);
  }

  /** A stroke for each column of pixels that has an event, taller where there are more. */
  #drawEvents(x, top) {
    const { g } = this, ratio = devicePixelRatio;
    const { ticks } = this.match.events, { first, last } = this.match;
    const key = `${ticks.length} ${ticks[0]} ${first} ${last} ${this.canvas.width}`;
    if (this.#counted.key !== key) {
      const columns = new Map();
      let most = 1;
      for (const tick of ticks) {
        const column = Math.round(x(tick) / ratio);
        const count = (columns.get(column) ?? 0) + 1;
        columns.set(column, count);
        most = Math.max(most, count);
      }
      this.#counted = { key, columns, most };
    }
    const { columns, most } = this.#counted;
    g.fillStyle = look.palette.accent;
    for (const [column, count] of columns) {
      const tall = (3 + 8 * (count - 1) / most) * ratio;
      g.fillRect((column - 0.5) * ratio, top - 3 * ratio - tall, ratio, tall);
    }
  }
}

/** The space at both ends, in CSS pixels. */
const PAD = 8;
