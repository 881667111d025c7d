// Measures the module in Node beside the native command; tests/bench/viewer.sh runs it.
//   node viewer.js BIN RECORDING ROUNDS
"use strict";
const { spawnSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { gzipSync } = require("node:zlib");
const tickbox = require("../../common/viewer/page/engine.js");

const [bin, recording, rounds] = process.argv.slice(2);
const binary = readFileSync(join(bin, "viewer.wasm"));
const bytes = readFileSync(recording);

const times = {};
/** Notes how many milliseconds something takes. */
async function measure(name, work) {
  const began = performance.now();
  const result = await work();
  (times[name] ??= []).push(performance.now() - began);
  return result;
}

const median = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];

function native() {
  const words = ["replay", "verify", recording, "--jobs", "1", "--json"];
  return JSON.parse(spawnSync(join(bin, "tickbox"), words, { encoding: "utf8" }).stdout);
}

(async () => {
  const natively = [];
  let verdict;
  let engine;
  for (let round = 0; round < Number(rounds); ++round) {
    const compiled = await measure("compile", () => WebAssembly.compile(binary));
    engine = await measure("load", () => tickbox.load(compiled));
    await measure("open", () => {
      if (!engine.append(bytes)) throw new Error("the recording is too long");
      engine.end();
      if (!engine.read()) throw new Error(engine.log().refusal.words);
    });
    await measure("verify", () => { while (engine.verify()); });
    verdict = engine.verdict();
    const { first, last } = engine.log();
    for (let i = 0; i < 40; ++i) {
      const tick = first + Math.floor((last - first) * ((i * 37) % 40) / 40);
      await measure("seek", () => engine.seek(tick));
      await measure("rows", () => engine.rows());
    }
    const command = native();
    natively.push(command.ticks_per_second);
    for (const key of ["ticks", "mismatched", "damages"]) {
      const words = `${key}: ${verdict[key]}, natively ${command[key]}`;
      if (command[key] !== verdict[key]) throw new Error(words);
    }
  }
  const kb = (size) => `${Math.round(size / 1000)} KB`;
  const { game, version } = engine.log().recorded;
  const packed = gzipSync(binary, { level: 9 }).length;
  console.log(`module      ${kb(binary.length)}, ${kb(packed)} gzip`);
  console.log(`recording   ${game} ${version}, ${verdict.ticks} ticks, ${kb(bytes.length)}`);
  for (const [name, list] of Object.entries(times)) {
    const cold = `${list[0].toFixed(1)} ms cold`;
    console.log(`${name.padEnd(11)} ${cold}, ${median(list).toFixed(1)} ms median`);
  }
  const rate = (milliseconds) => Math.round((verdict.ticks / milliseconds) * 1000);
  const rates = `${rate(times.verify[0])} cold, ${rate(median(times.verify))} median`;
  console.log(`in Node     ${rates} ticks a second`);
  console.log(`native      ${median(natively)} ticks a second on one thread`);
  console.log(`memory      ${engine.memoryBytes >> 20} MiB`);
})();
