// How things look: colours, the marks of players, and numbers as text. Nothing here knows a game.
"use strict";

/** Sub-units in a unit. */
const UNIT = 65536;

/** The eight colours that a game can name, for each scheme. */
const COLOURS = {
  dark: ["#66707f", "#ea5f55", "#5cc46c", "#f2c549", "#6a9bf5", "#d479d8", "#55cbd3", "#cfd6df"],
  light: ["#3c4653", "#cf3a31", "#2f8f43", "#b98300", "#2d63cf", "#a540ad", "#12848d", "#8c96a3"],
};

const PALETTE = {
  dark: {
    ground: "#0b0f16", floor: "#121a26", tile: "#151f2d", wall: "#3b495d", edge: "#586a83",
    shade: "#00000059", plank: "#8a7247", top: "#c6a361", ink: "#e8edf4", dim: "#8a97a8",
    good: "#2f7d55", bad: "#e0524d", lost: "#6d7683", wait: "#243042", accent: "#ffc24d",
  },
  light: {
    ground: "#e9edf2", floor: "#ffffff", tile: "#f4f6f9", wall: "#aab6c6", edge: "#8494a8",
    shade: "#4a5a7033", plank: "#c9a768", top: "#a5803c", ink: "#18202b", dim: "#5b6878",
    good: "#57b183", bad: "#cc3630", lost: "#9aa4b0", wait: "#d3dae3", accent: "#b46a00",
  },
};

/** The marks of players, in a box from -1 to 1: a colour is never the only sign. */
const MARKS = [
  "M-.9 0a.9 .9 0 1 0 1.8 0a.9 .9 0 1 0-1.8 0z",
  "M0-1L1 .8H-1z",
  "M-.8-.8H.8V.8H-.8z",
  "M0-1.1L1.1 0L0 1.1L-1.1 0z",
  "M-.35-1H.35V-.35H1V.35H.35V1H-.35V.35H-1V-.35H-.35z",
  "M0 1L-1-.8H1z",
  "M0-1.1L.3-.35L1.1-.3L.5.25L.7 1L0 .6L-.7 1L-.5.25L-1.1-.3L-.3-.35z",
];

const look = {
  scheme: "dark",

  /** The colour of a player's team as a game names it, by seat. */
  teams: new Map(),

  get palette() { return PALETTE[this.scheme]; },

  /** Changes with every colour that a panel shows. */
  get key() { return `${this.scheme} ${[...this.teams]}`; },

  colourOf(row) { return COLOURS[this.scheme][(row >> 8) & 7]; },

  /** The colour of a player: that of its team, else hues as far from each other as they can be. */
  seatColour(seat) {
    if (this.teams.has(seat)) return COLOURS[this.scheme][this.teams.get(seat)];
    const lightness = this.scheme === "dark" ? 64 : 42;
    return `hsl(${((seat * 137.508) + 40) % 360} ${this.scheme === "dark" ? 78 : 70}% ${lightness}%)`;
  },

  markOf(seat) { return MARKS[seat % MARKS.length]; },

  number(value) { return value.toLocaleString("en"); },

  /** A moment as its day and time, in UTC as the names of recordings are; empty if it is none. */
  moment(when) {
    const time = new Date(when);
    return Number.isNaN(time.getTime()) ? "" : `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  },

  /** The time of a tick in its match. */
  time(ticks, rate) {
    const seconds = ticks / rate, minutes = Math.floor(seconds / 60);
    const two = (value) => String(value).padStart(2, "0");
    const clock = `${two(minutes % 60)}:${two(Math.floor(seconds) % 60)}.${Math.floor(seconds * 10) % 10}`;
    return minutes < 60 ? clock : `${Math.floor(minutes / 60)}:${clock}`;
  },

  /** The value of a declared field, for a reader. */
  value(value, form) {
    if (value === null || value === undefined) return form === "player" ? "nobody" : "none";
    if (Array.isArray(value)) return value.map((each) => this.value(each, form)).join(" ");
    if (form === "player") return `P${value}`;
    if (typeof value === "boolean") return value ? "yes" : "no";
    return typeof value === "number" ? this.number(value) : String(value);
  },
};

/** Makes an element. `text` is shown as text, whatever it holds. */
function make(tag, { text, name, title, children = [] } = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  if (title) made.title = title;
  made.append(...children);
  return made;
}

function markElement(seat) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-1.2 -1.2 2.4 2.4");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", look.markOf(seat));
  path.setAttribute("fill", look.seatColour(seat));
  svg.append(path);
  return svg;
}
