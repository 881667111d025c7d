// One client of tests/bench/play.sh: plays for some seconds in the namespace in which it is started, and prints a line of JSON.
//   node play.js KIND GAME ADDRESS URL SECONDS      KIND: native, python, webrtc or websocket
"use strict";

const { execFile } = require("node:child_process"), { join } = require("node:path"), { promisify } = require("node:util");
const { Chromium } = require("../../support/chromium.js");
const { BIN, TREE, sleep } = require("../../web/support.js");

/** The first seconds, in which a page warms up, have figures of their own. */
const WARM_S = 5;
const run = promisify(execFile);
const [kind, game, address, url, seconds] = process.argv.slice(2);
const lastLine = ({ stdout }) => JSON.parse(stdout.trim().split("\n").pop());

/** The figures that all clients have. The counts of an interface for engines have these names. */
const shown = (figures) => ({
  hashes: figures.hashes_checked, wrong: figures.hashes_wrong, untouched: figures.predictions, exact: figures.predictions_exact,
  touched: figures.touched, touched_exact: figures.touched_exact, inputs: figures.inputs, late: figures.inputs_late,
  gap_p99_ms: figures.gap_p99_ms, shown_after_ms: figures.delay_ms,
});

async function native() {
  const all = lastLine(await run(join(BIN, "tickbox"), ["connect", address, "--seconds", seconds, "--json", "--quiet"]));
  const of = (name) => name.split(".").reduce((value, part) => value[part], all);
  return { hashes: of("state_hash.checked"), wrong: of("state_hash.mismatched"), untouched: of("prediction.checked"), exact: of("prediction.exact"),
    touched: of("prediction.touched.checked"), touched_exact: of("prediction.touched.exact"), inputs: of("inputs.sent"), late: of("inputs.late"),
    shown_after_ms: of("interpolation.delay_ms") };
}

async function python() {
  return shown(lastLine(await run(join(TREE, "client/engines/python/bot.py"), [join(TREE, `build/release/common/package/lib${game}_client.so`), address, seconds])));
}

async function browser() {
  const chromium = new Chromium();
  try {
    const page = await chromium.open(kind === "websocket" ? `${url}#road=ws` : url, { width: 1280, height: 800 });
    const figures = () => page.evaluate("({ ...play.client.figures, frames: play.frames, busy: play.busy, at: performance.now() })");
    await page.until(`play.phase === "playing" && play.link.kind.toLowerCase() === "${kind}"`);
    const key = (name, isDown) => page.send("Input.dispatchKeyEvent", { type: isDown ? "keyDown" : "keyUp", key: name, code: name === " " ? "Space" : name.length > 1 ? name : `Key${name.toUpperCase()}` });
    const began = performance.now();
    let warm = null, pressed = 0;
    while (performance.now() - began < seconds * 1000) {
      if (!warm && performance.now() - began > WARM_S * 1000) warm = await figures();
      const name = ["w", "d", "ArrowUp", "s", "a", "ArrowLeft", " "][pressed++ % 7];
      await key(name, true);
      await sleep(200);
      await key(name, false);
    }
    const end = await figures(), all = shown(end);
    for (const [name, of] of Object.entries({ untouched: "predictions", exact: "predictions_exact", inputs: "inputs", late: "inputs_late" })) {
      all[`warm_${name}`] = end[of] - warm[of];
    }
    const frames = end.frames - warm.frames;
    return { ...all, frames_per_s: (1000 * frames) / (end.at - warm.at), page_ms_per_frame: (end.busy - warm.busy) / frames, errors: page.errors };
  } finally {
    await chromium.close();
  }
}

({ native, python, webrtc: browser, websocket: browser })[kind]().then((figures) => {
  const share = (part, of) => (of > 0 ? part / of : null);
  const { warm_inputs: inputs = figures.inputs, warm_late: late = figures.late, warm_untouched: untouched = figures.untouched, warm_exact: exact = figures.exact } = figures;
  console.log(JSON.stringify({ client: kind, game, exact_share: share(exact, untouched), late_share: share(late, inputs), ...figures }));
}).catch((failure) => {
  console.error(`${kind}: ${failure.message}`);
  process.exitCode = 1;
});
