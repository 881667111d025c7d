// What a person does becomes the input of the game: keys, mouse, touch and gamepad. No game is known here, only what one
// declares. Keys count by their place, so that w a s d are where a hand lies on every layout. A field with the name `aim`
// is an angle, a whole turn from its least to its most value; then the mouse or a finger on the picture aims, and does
// what the first button of the game does.

/** A stick counts from this part of its way on. */
const DEAD = 0.38;
/** How often a held mouse button is pressed again: a press counts once. */
const AGAIN_MS = 150;
const LABELS = { up: "↑", down: "↓", left: "←", right: "→", space: "space", enter: "enter ↵", tab: "tab ⇥" };
/** Keys that mean something to what has the focus. */
const PRESSES = ["space", "enter", "tab"];
/** Where keys stand under a hand: row and column. */
const PLACES = Object.fromEntries(["w a s d", "i j k l", "up left down right"].flatMap((hand) => hand.split(" ").map((key, i) => [key, i ? `2 / ${i}` : "1 / 2"])));
const DIRECTIONS = [["left", "a"], ["right", "d"], ["up", "w"], ["down", "s"]];

/** The game's name of a key; empty for one that no game can name. */
function nameOf({ code, key }) {
  const [, sign] = /^(?:Key|Digit)([A-Z0-9])$/.exec(code) ?? [];
  if (sign) return sign.toLowerCase();
  const name = (code || key).replace(/^Arrow|^Numpad(?=Enter)/, "").toLowerCase();
  return Object.hasOwn(LABELS, name) ? name : "";
}

/** Words for a name in code: "jumpHigh" or "jump_high" is "jump high". */
export const words = (name) => name.replace(/_/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

export class Input {
  #client;
  #single;
  #stick = [];  // of each direction the key that is bound, if there is one
  #held = new Set();  // keys that a stick holds
  #aim;
  #buttons;
  #pointer = null;
  #pressedAt = 0;
  #pads = { buttons: [] };  // what they last said, taken together
  #mayReadPads = true;
  /** Called at the first thing that a person does. */
  onFirst = () => {};

  /** `aimFrom()`: the place of the player's body on the screen; null while there is none. */
  constructor({ declared, canvas, stick, buttons, aimFrom }) {
    const { fields } = declared.input;
    // Of keys that set several fields the first one says what they do.
    this.#single = declared.keys.filter(({ keys }, i, all) => !keys.includes("+") && all.findIndex((each) => each.keys === keys) === i);
    const has = (name) => this.#single.some(({ keys }) => keys === name);
    this.#stick = DIRECTIONS.map(([arrow, letter]) => [letter, arrow].find(has));
    this.#aim = fields.find(({ name, form, count }) => name === "aim" && form === "whole" && count === 1);
    this.#buttons = fields.filter(({ form, count }) => (form === "press" || form === "flag") && count === 1);
    this.aimFrom = aimFrom;
    this.#listenToKeys();
    this.#listenToPointer(canvas);
    if (matchMedia("(pointer: coarse)").matches) this.#showTouch(stick, buttons);
  }

  /** Gives all input to this client from now on. */
  connect(client) {
    this.#client = client;
    this.#held.clear();
  }

  releaseAll() {
    this.#pointer = null;
    this.#held.clear();
    this.#client?.releaseAll();
  }

  /** Call it once a frame. */
  frame() {
    this.#readGamepads();
    if (this.#pointer) this.#point(this.#pointer);
  }

  #first() {
    this.onFirst();
    this.onFirst = () => {};
  }

  #listenToKeys() {
    addEventListener("keydown", (event) => {
      const name = nameOf(event);
      if (event.metaKey) this.releaseAll();  // macOS sends no keyup while that is down
      if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
      if (PRESSES.includes(name) && event.target.closest?.("a, button, summary")) return;
      if (event.repeat) {
        if (this.#single.some(({ keys }) => keys === name)) event.preventDefault();
      } else if (this.#client?.key(name, true)) {
        event.preventDefault();
        this.#first();
      }
    });
    // Always: what went down before may come up with another key held, or with the focus elsewhere.
    addEventListener("keyup", (event) => nameOf(event) && this.#client?.key(nameOf(event), false));
    addEventListener("blur", () => this.releaseAll());
  }

  #set(field, value) { this.#client?.input(field.first, value); }

  /** Presses or releases one of the game's buttons. */
  #button(field, isDown) {
    if (field) this.#set(field, isDown ? 1 : 0);
    if (isDown) this.#first();
  }

  #turn(angle) {
    const turns = this.#aim.max - this.#aim.min + 1, part = Math.round((angle / (2 * Math.PI)) * turns) % turns;
    this.#set(this.#aim, this.#aim.min + ((part + turns) % turns));
  }

  /** Aims at a point of the screen, and presses the first button again and again. */
  #point({ x, y }) {
    const now = performance.now(), from = this.#aim && this.aimFrom();
    if (from) this.#turn(Math.atan2(y - from.y, x - from.x));
    if (!this.#aim || now - this.#pressedAt < AGAIN_MS) return;
    this.#pressedAt = now;
    this.#button(this.#buttons[0], false);
    this.#button(this.#buttons[0], true);
  }

  #listenToPointer(canvas) {
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointer = { id: event.pointerId, x: event.clientX, y: event.clientY };
      this.#pressedAt = 0;
      if (this.#aim) this.#point(this.#pointer);
      else this.#button(this.#buttons[0], true);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.#pointer?.id === event.pointerId) Object.assign(this.#pointer, { x: event.clientX, y: event.clientY });
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, ({ pointerId }) => this.#pointer?.id === pointerId && this.#endPointing());
    }
  }

  #endPointing() {
    this.#pointer = null;
    this.#button(this.#buttons[0], false);
    if (this.#aim) this.#set(this.#aim, this.#aim.by_default);  // the keys decide
  }

  /** Holds the keys of the directions in which a stick is pushed, -1 to 1 each way. */
  #push(x, y) {
    [x < -DEAD, x > DEAD, y < -DEAD, y > DEAD].forEach((isPushed, i) => {
      const key = this.#stick[i];
      if (!key || isPushed === this.#held.has(key)) return;
      this.#held[isPushed ? "add" : "delete"](key);
      this.#client?.key(key, isPushed);
      if (isPushed) this.#first();
    });
  }

  #showTouch(stick, buttons) {
    const [knob] = stick.children;
    stick.hidden = !this.#stick.some(Boolean);
    const move = (event) => {
      const box = stick.getBoundingClientRect(), half = box.width / 2;
      let x = (event.clientX - box.left) / half - 1, y = (event.clientY - box.top) / half - 1;
      const length = Math.max(1, Math.hypot(x, y));
      [x, y] = [x / length, y / length];
      knob.style.transform = `translate(${x * 45}px, ${y * 45}px)`;
      this.#push(x, y);
    };
    stick.addEventListener("pointerdown", (event) => {
      stick.setPointerCapture(event.pointerId);
      move(event);
    });
    stick.addEventListener("pointermove", (event) => stick.hasPointerCapture(event.pointerId) && move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      stick.addEventListener(name, () => {
        knob.style.transform = "";
        this.#push(0, 0);
      });
    }
    const add = (name, press) => {
      const button = make("button", { text: words(name) });
      const set = (isDown) => {
        button.classList.toggle("held", isDown);
        press(isDown);
      };
      button.addEventListener("pointerdown", () => set(true));
      for (const each of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(each, () => set(false));
      buttons.append(button);
    };
    // What a finger on the picture does needs no button.
    if (this.#aim && this.#buttons[0]) buttons.append(make("span", { text: `tap to ${words(this.#buttons[0].name)}` }));
    for (const field of this.#buttons.slice(this.#aim ? 1 : 0)) add(field.name, (isDown) => this.#button(field, isDown));
    const ofFields = new Set(this.#single.filter(({ value }) => value !== undefined).map(({ sets }) => sets));
    for (const { keys, sets } of this.#single) if (!ofFields.has(sets)) add(sets, (isDown) => this.#client?.key(keys, isDown));
    buttons.hidden = buttons.children.length === 0;
  }

  /** Lists the gamepads that are there. A frame may be forbidden to ask, and it is then for good. */
  #listPads() {
    try {
      return this.#mayReadPads ? [...navigator.getGamepads?.() ?? []].filter((pad) => pad?.connected) : [];
    } catch {
      this.#mayReadPads = false;
      return [];
    }
  }

  /** The left stick or the cross moves, the right stick aims and does what the first button does, the buttons are the game's.
   * All gamepads count as one, and as one that nobody touches once they are gone. */
  #readGamepads() {
    const pads = this.#listPads(), before = this.#pads, axis = (i) => pads.reduce((sum, { axes }) => sum + (axes[i] ?? 0), 0);
    const isDown = (i) => pads.some(({ buttons }) => buttons[i]?.pressed), aim = { x: axis(2), y: axis(3) };
    const pushed = [axis(0) + isDown(15) - isDown(14), axis(1) + isDown(13) - isDown(12)];
    const now = { isPushed: Math.hypot(...pushed) > DEAD, isAiming: Boolean(this.#aim) && Math.hypot(aim.x, aim.y) > 2 * DEAD && !this.#pointer, buttons: this.#buttons.map((field, i) => isDown(i)) };
    this.#pads = now;
    if (now.isPushed || before.isPushed) this.#push(...pushed);
    now.buttons.forEach((down, i) => down !== Boolean(before.buttons[i]) && this.#button(this.#buttons[i], down));
    const from = now.isAiming && this.aimFrom();
    if (from) this.#point({ x: from.x + aim.x, y: from.y + aim.y });
    else if (before.isAiming && !now.isAiming && !this.#pointer) this.#endPointing();
  }

  /** Draws the keys of the game, each with what it does, as they stand under a hand. */
  async showKeys(into) {
    const layout = await navigator.keyboard?.getLayoutMap?.().catch(() => null);
    const labelOf = (name) => LABELS[name] ?? (layout?.get(/\d/.test(name) ? `Digit${name}` : `Key${name.toUpperCase()}`) ?? name).toUpperCase();
    const groups = new Map();
    for (const { keys, sets } of this.#single) groups.set(sets, [...new Set([...(groups.get(sets) ?? []), keys])]);
    into.replaceChildren(...[...groups].map(([sets, names]) => {
      const isMouse = sets === this.#buttons[0]?.name, isHand = names.length > 2 && names.every((name) => name in PLACES) && new Set(names.map((name) => PLACES[name])).size === names.length;
      const keys = names.map((name) => {
        const cap = make("kbd", { text: labelOf(name) });
        if (isHand) cap.style.gridArea = PLACES[name];
        return cap;
      });
      if (isMouse) keys.push(make("kbd", { name: "wide", text: "mouse" }));
      return make("section", { children: [make("h2", { text: words(sets) }), make("div", { name: isHand ? "" : "row", children: keys })] });
    }));
    into.hidden = into.children.length === 0;
  }
}
