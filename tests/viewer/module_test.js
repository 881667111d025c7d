// Views recordings with the module in Node, and compares what it says with the native commands.
//   node module_test.js VIEWER.WASM ENGINE.JS TICKBOX SERVER RECORDINGS GOLDEN
"use strict";
const assert = require("node:assert/strict");
const { spawn, spawnSync } = require("node:child_process");
const { once } = require("node:events");
const { mkdtempSync, readFileSync, readdirSync, rmSync } = require("node:fs");
const http = require("node:http");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { runInNewContext } = require("node:vm");
const { gzipSync } = require("node:zlib");

const [wasmFile, engineFile, program, serverProgram, recorder, golden] = process.argv.slice(2);
const tickbox = require(engineFile);
const binary = readFileSync(wasmFile);
const { ROW, EVENT } = tickbox;
/** Sub-units in a unit. Every place in units is a number that a double has exactly. */
const UNIT = 65536;
/** What a page costs at most, beside the recording. */
const GZIP_BYTES_MAX = 260_000;

const folder = mkdtempSync(join(tmpdir(), "tickbox-viewer-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

const run = (command, ...words) =>
  spawnSync(command, words, { encoding: "utf8", maxBuffer: 1 << 28 });

const native = (...words) => JSON.parse(run(program, "replay", ...words, "--json").stdout);

const recorded = (name) => join(folder, `${name}.tickbox`);

let compiled;
async function view(bytes, pieces = [bytes]) {
  const engine = await tickbox.load(compiled);
  for (const piece of pieces) assert.ok(engine.append(piece));
  engine.end();
  engine.read();
  return engine;
}

function verify(engine) {
  while (engine.verify()) {}
  return engine.verdict();
}

/** Where the middles of the bodies are, as "X Y" in sub-units. */
function middlesOf(engine) {
  const numbers = engine.rows();
  const middles = new Set();
  for (let row = 0; row < numbers.length; row += ROW.length) {
    const [x, y, width, height] = numbers.subarray(row + ROW.indexOf("x"));
    middles.add(`${x + Math.trunc(width / 2)} ${y + Math.trunc(height / 2)}`);
  }
  return middles;
}

/** The world that is shown, with the keys of `tickbox replay state --json`. */
function stateOf(engine) {
  const { tick, hash, recorded_hash, random, room, secret, seats } = engine.moment();
  const kinds = engine.game().kinds;
  const numbers = engine.rows();
  const bodies = [];
  for (let row = 0; row * ROW.length < numbers.length; ++row) {
    const [low, high, kind, owner, x, y, , , vx, vy] = numbers.subarray(row * ROW.length);
    bodies.push({
      id: String((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)),
      kind: kinds[kind].name,
      owner: owner < 0 ? null : owner,
      min: [x / UNIT, y / UNIT],
      velocity: [vx / UNIT, vy / UNIT],
      state: engine.state(row),
    });
  }
  for (const seat of seats) {
    delete seat.focus;
    delete seat.sight;
  }
  return { tick, hash, recorded_hash, random, room, secret, seats, bodies };
}

function nativeState(file, tick) {
  const { hash, recorded_hash, random, room, secret, seats, bodies } =
    native("state", file, "--tick", String(tick));
  const shown = bodies.map(({ path, path_ticks, carrier, ...body }) => body);
  return { tick, hash, recorded_hash, random, room, secret, seats, bodies: shown };
}

/** Fails unless the verdict is that of the command, key by key. */
function assertVerdict(verdict, file) {
  const expected = native("verify", file);
  const { last_tick, ...keys } = verdict;
  for (const [key, value] of Object.entries(keys)) assert.deepEqual(value, expected[key], key);
  assert.ok(last_tick > 0);
  return expected;
}

const tests = {
  "the module is small"() {
    assert.ok(gzipSync(binary, { level: 9 }).length <= GZIP_BYTES_MAX);
  },

  async "verdicts, ticks and states are those of the commands"() {
    const stored = readdirSync(golden).filter((name) => name.endsWith(".tickbox"));
    assert.ok(stored.length > 0);
    const made = ["arena", "platformer", "bomber", "wrong_hash", "cut", "damaged", "headless"];
    for (const file of [...stored.map((name) => join(golden, name)), ...made.map(recorded)]) {
      const engine = await view(readFileSync(file));
      const { state, first, last, segments } = engine.log();
      assert.equal(state, "open", file);
      const expected = assertVerdict(verify(engine), file);
      // The tick of a keyframe is shown as it was stepped: where that differs, not as recorded.
      const keyframe = expected.mismatched ? first : segments.at(-1).first;
      const before = (segments.at(-2) ?? segments.at(-1)).last - 1;
      const ticks = [first, first + 1, keyframe, before, last];
      for (const tick of [...ticks, ...ticks.slice().reverse()]) {
        assert.ok(engine.seek(tick));
        assert.deepEqual(stateOf(engine), nativeState(file, tick), `${file}, tick ${tick}`);
      }
      let steps = 0;
      for (engine.seek(first); engine.step();) ++steps;
      assert.ok(steps >= expected.ticks, "each tick that is verified is shown");
      assert.equal(engine.tick, last);
    }
  },

  async "a wrong hash has its tick and its field"() {
    const verdict = verify(await view(readFileSync(recorded("wrong_hash"))));
    assert.equal(verdict.first_mismatch.tick, 320);
    assert.match(verdict.first_mismatch.subject, /^Hero #/);
    assert.notEqual(verdict.first_mismatch.expected, verdict.first_mismatch.got);
  },

  async "a log that grows is shown and verified as it comes"() {
    const file = recorded("arena");
    const bytes = readFileSync(file);
    const engine = await tickbox.load(compiled);
    const shown = [];
    let events = 0;
    let eventsInMiddles = 0;
    let before = new Set();
    for (let at = 0; at < bytes.length; at += 777) {
      assert.ok(engine.append(bytes.subarray(at, at + 777)));
      assert.ok(engine.read());
      while (engine.step()) {
        shown.push(engine.tick);
        const { hash, recorded_hash } = engine.moment();
        assert.equal(hash, recorded_hash);
        const numbers = engine.events();
        for (let i = 0; i * EVENT.length < numbers.length; ++i, ++events) {
          assert.equal(typeof engine.event(i), "object");
          assert.ok(engine.game().events[numbers[i * EVENT.length]].name);
          // A game tells of a hit before the bodies move.
          eventsInMiddles += before.has(`${numbers[i * EVENT.length + 2]} ${numbers[i * EVENT.length + 3]}`);
        }
        before = middlesOf(engine);
      }
      while (engine.verify()) {}
      assert.equal(engine.verdict().mismatched, 0);
    }
    assert.deepEqual(shown, Array.from({ length: 601 }, (_, tick) => tick));
    assert.ok(events > 0);
    assert.ok(eventsInMiddles > 0, "an event is at the middle of what it is about");
    assert.equal(engine.log().last, 600);
    engine.end();
    engine.read();
    assertVerdict(verify(engine), file);
  },

  async "a room is followed while it is played, in memory that stays"() {
    const server = spawn(serverProgram, ["--port", "0", "--admin-port", "0", "--json", "--quiet"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    process.on("exit", () => server.kill("SIGKILL"));
    const { address, admin } = JSON.parse(String((await once(server.stdout, "data"))[0]));
    const load = ["load", address, "--clients", "8", "--seconds", "8", "--bot", "mix", "--json"];
    spawn(program, load, { stdio: "ignore" }).on("exit", () => server.kill("SIGTERM"));
    const engine = await tickbox.load(compiled);
    const [log] = await once(http.get(`http://${admin}/rooms/1/log`), "response");
    const shown = [];
    let memory = 0;
    for await (const bytes of log) {
      assert.ok(engine.append(bytes));
      assert.ok(engine.read());
      while (engine.step()) shown.push(engine.tick);
      while (engine.verify()) {}
      engine.removeBefore(Math.max(engine.log().last - 60, 0));
      memory ||= engine.memoryBytes;
    }
    engine.end();
    engine.read();
    const { ticks, ...verdict } = verify(engine);
    assert.ok(ticks > 300 && shown.length >= ticks, `${ticks} verified, ${shown.length} shown`);
    assert.deepEqual(shown, Array.from(shown, (_, i) => shown[0] + i), "no tick is left out");
    assert.equal(verdict.mismatched + verdict.damages, 0);
    assert.equal(verdict.last_tick, shown.at(-1));
    assert.ok(engine.log().first > 0, "the first segments are forgotten");
    assert.ok(engine.memoryBytes <= memory + (4 << 20));
  },

  async "another version, game or rules are refused, and both versions named"() {
    for (const [name, what, words] of [
      ["version", "version", /arena \d+, not \d+/],
      ["rules", "rules", /its rules differ here/],
      ["game", "version", /"<b>chess<\/b>", which this program does not have/],
    ]) {
      const file = recorded(name);
      const engine = await view(readFileSync(file));
      const { state, refusal, recorded: by, here } = engine.log();
      assert.equal(state, "refused");
      assert.equal(refusal.what, what);
      assert.match(refusal.words, words);
      assert.ok(native("verify", file).error.includes(refusal.words), "as the command says");
      const versions = { version: here.version + 3, rules: here.version, game: by.version };
      assert.equal(by.version, versions[name]);
      assert.match(here.simulation, /^[0-9a-f]{16}$/);
      assert.match(run(program, "--version").stdout, new RegExp(here.simulation));
      assert.ok(!engine.seek(0) && !engine.step() && !engine.verify());
    }
    const noise = await view(Buffer.alloc(5000, 7));
    assert.equal(noise.log().refusal.what, "file");
  },

  async "any bytes get a verdict or a refusal"() {
    const bytes = readFileSync(recorded("bomber"));
    let seed = 1;
    const below = (most) => (seed = (seed * 48271) % 2147483647) % most;
    for (let i = 0; i < 100; ++i) {
      const changed = Buffer.from(bytes);
      for (let n = 1 + below(4); n > 0; --n) changed[below(changed.length)] = below(256);
      const from = below(400);
      const torn = [changed.subarray(0, from), changed.subarray(from + below(9))];
      const engine = await view(changed, below(2) ? [changed] : torn);
      if (engine.log().state === "open") assert.ok(verify(engine).ticks <= 600);
      for (let n = 0; n < 3; ++n) if (engine.seek(below(700))) engine.rows();
    }
  },

  async "what takes too long is stopped"() {
    const engine = await view(readFileSync(recorded("arena")));
    assert.equal(engine.within(-1, () => engine.seek(100)), false);
    assert.ok(engine.within(60_000, () => engine.seek(100)));
    engine.within(-1, () => verify(engine));
    assert.ok(engine.verdict().interrupted);
  },

  async "numbers stay when the memory grows"() {
    const engine = await view(readFileSync(recorded("arena")), []);
    const growing = await tickbox.load(compiled);
    growing.append(readFileSync(recorded("arena")));
    growing.read();
    growing.seek(300);
    const rows = growing.rows();
    const before = growing.memoryBytes;
    assert.ok(growing.append(new Uint8Array(32 << 20)));
    assert.ok(growing.memoryBytes > before);
    assert.ok(rows.length > 0);
    assert.deepEqual(growing.rows(), rows);
    assert.equal(engine.append(new Uint8Array(1)), false, "nothing follows the end");
  },

  async "a failure tells where"() {
    const engine = await tickbox.load(compiled);
    assert.throws(() => engine.tick, /exports\.cpp/);
  },

  async "it loads where there is no Node"() {
    const page = { WebAssembly, TextDecoder, performance, binary };
    const script = readFileSync(engineFile, "utf8");
    const engine = await runInNewContext(`${script}\ntickbox.load(binary)`, page);
    engine.append(readFileSync(recorded("arena")));
    assert.ok(engine.read() && engine.seek(600));
  },
};

(async () => {
  assert.equal(run(recorder, folder).status, 0);
  compiled = await WebAssembly.compile(binary);
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok - ${name}`);
    } catch (failure) {
      ++failed;
      console.log(`not ok - ${name}: ${failure.stack}`);
    }
  }
  console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
})();
