// One client of tests/bench/play.sh: plays for some seconds in the namespace in which it is started, and prints a line of JSON.
//   node play.js KIND GAME ADDRESS URL SECONDS [ARENA]      KIND: native, python, sdl, love, webrtc, websocket or firefox
//                                                           ARENA: the program of client/engines/sdl
"use strict";

const { execFile } = require("node:child_process"), { readFileSync, readdirSync } = require("node:fs"), { join } = require("node:path"), { promisify } = require("node:util");
const { Chromium } = require("../../support/chromium.js"), { Firefox } = require("../../support/firefox.js");
const { BIN, TREE, sleep } = require("../../web/support.js");

/** The first seconds, in which a page warms up, have figures of their own. */
const WARM_S = 5;
/** Linux: of a second in /proc/PID/stat, and the bytes of a page of memory. */
const TICKS = 100, PAGE_BYTES = 4096;
const run = promisify(execFile);
const [kind, game, address, url, seconds, arena] = process.argv.slice(2);
const library = join(TREE, `build/release/common/package/lib${game}_client.so`);

/** The figures that all clients have. The counts of an interface for engines have these names. */
const shown = (figures) => ({
  hashes: figures.hashes_checked, wrong: figures.hashes_wrong, untouched: figures.predictions, exact: figures.predictions_exact,
  touched: figures.touched, touched_exact: figures.touched_exact, inputs: figures.inputs, late: figures.inputs_late,
  gap_p99_ms: figures.gap_p99_ms, shown_after_ms: figures.delay_ms,
});

/** Returns what a process has used until now. */
function useOf(pid) {
  // The name in the second field may have spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ").map(Number);
  return { pid, group: fields[2], cpu_s: (fields[11] + fields[12]) / TICKS, memory_mb: fields[21] * PAGE_BYTES / 1e6, at: performance.now() };
}

const used = (before, now) => ({ cpu_per_s: 1000 * (now.cpu_s - before.cpu_s) / (now.at - before.at), memory_mb: now.memory_mb });

/** Runs a program to its end. Returns its last line, and what it used between its first seconds and the last one. */
async function play(program, ...words) {
  const playing = run(program, words), { pid } = playing.child;
  const watch = async () => {
    await sleep(1000 * WARM_S);
    const before = useOf(pid);
    await sleep(1000 * (seconds - WARM_S - 1));
    return used(before, useOf(pid));
  };
  const [{ stdout }, use] = await Promise.all([playing, watch()]);
  return { line: stdout.trim().split("\n").pop(), use };
}

async function native() {
  const { line, use } = await play(join(BIN, "tickbox"), "connect", address, "--seconds", seconds, "--json", "--quiet"), all = JSON.parse(line);
  const of = (name) => name.split(".").reduce((value, part) => value[part], all);
  return { hashes: of("state_hash.checked"), wrong: of("state_hash.mismatched"), untouched: of("prediction.checked"), exact: of("prediction.exact"),
    touched: of("prediction.touched.checked"), touched_exact: of("prediction.touched.exact"), inputs: of("inputs.sent"), late: of("inputs.late"),
    shown_after_ms: of("interpolation.delay_ms"), ...use };
}

async function python() {
  const { line, use } = await play(join(TREE, "client/engines/python/bot.py"), library, address, seconds);
  return { ...shown(JSON.parse(line)), ...use };
}

/** A program with a window, in which a bot plays. Its last line has a number behind each word. */
async function engine(...words) {
  const { line, use } = await play(...words);
  return { ...Object.fromEntries([...line.matchAll(/(\w+) (\d+)/g)].map(([, word, number]) => [word, Number(number)])), ...use };
}

const sdl = () => engine(arena, address, seconds, "/dev/null", "chase");
const love = () => engine("love", join(TREE, "client/engines/love"), join(TREE, "common/include/tickbox/client.h"), library, address, seconds, "/dev/null", "race");

/** Returns what the process of the page has used until now: of those that run pages, the busiest. */
function useOfPage(browser) {
  const uses = readdirSync("/proc").flatMap((pid) => {
    try {
      return /--type=renderer|-isForBrowser/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8")) ? [useOf(pid)] : [];
    } catch {  // no process, or one that has ended
      return [];
    }
  });
  return uses.filter(({ group }) => group === browser.pid).reduce((most, each) => (each.cpu_s > most.cpu_s ? each : most));
}

/** The times between moments: the median, the longest of 99 %, and the longest. */
function gaps(moments) {
  const all = moments.slice(1).map((at, i) => at - moments[i]).sort((a, b) => a - b), part = (share) => all[Math.floor(share * (all.length - 1))];
  return { p50: part(0.5), p99: part(0.99), max: part(1) };
}

async function page() {
  const browser = kind === "firefox" ? await Firefox.start() : new Chromium(), road = kind === "websocket" ? "WebSocket" : "WebRTC";
  try {
    const page = await browser.open(kind === "websocket" ? `${url}#road=ws` : url, { width: 1280, height: 800 });
    const figures = () => page.evaluate("({ ...play.client.figures, frames: play.frames, busy: play.busy, moves: play.link.moves, at: performance.now() })");
    await page.until(`play.phase === "playing" && play.link.kind === "${road}"`);
    const began = performance.now();
    let warm = null, use = null, pressed = 0;
    while (performance.now() - began < seconds * 1000) {
      if (!warm && performance.now() - began > WARM_S * 1000) {
        warm = await figures();
        use = useOfPage(browser);
        await page.evaluate(`(() => {
          const { link } = play, { onDatagram } = link, moments = window.moments = { frames: [], datagrams: [] };
          link.onDatagram = (bytes) => (moments.datagrams.push(performance.now()), onDatagram(bytes));
          (function frame() { moments.frames.push(performance.now()), requestAnimationFrame(frame); })();
        })()`);
      }
      const name = ["w", "d", "ArrowUp", "s", "a", "ArrowLeft", " "][pressed++ % 7];
      await page.hold(name, true);
      await sleep(200);
      await page.hold(name, false);
    }
    const end = await figures(), all = shown(end), moments = await page.evaluate("moments");
    for (const [name, of] of Object.entries({ untouched: "predictions", exact: "predictions_exact", inputs: "inputs", late: "inputs_late" })) {
      all[`warm_${name}`] = end[of] - warm[of];
    }
    const frames = end.frames - warm.frames;
    return { ...all, frames_per_s: (1000 * frames) / (end.at - warm.at), page_ms_per_frame: (end.busy - warm.busy) / frames,
      frame_ms: gaps(moments.frames), datagram_ms: gaps(moments.datagrams), moves: end.moves - warm.moves, ...used(use, useOf(use.pid)), errors: page.errors };
  } finally {
    await browser.close();
  }
}

({ native, python, sdl, love, webrtc: page, websocket: page, firefox: page })[kind]().then((figures) => {
  const share = (part, of) => (of > 0 ? part / of : null);
  const { warm_inputs: inputs = figures.inputs, warm_late: late = figures.late, warm_untouched: untouched = figures.untouched, warm_exact: exact = figures.exact } = figures;
  console.log(JSON.stringify({ client: kind, game, exact_share: share(exact, untouched), late_share: share(late, inputs), ...figures }));
}).catch((failure) => {
  console.error(`${kind}: ${failure.message}`);
  process.exit(1);
});
