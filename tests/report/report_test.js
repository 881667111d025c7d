// Plays short loads on real servers, and opens their reports in Chromium, from files.
//   node report_test.js TICKBOX SERVER
"use strict";
const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { once } = require("node:events");
const { mkdirSync, mkdtempSync, readFileSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { basename, join } = require("node:path");
const { Chromium, sleep } = require("../support/chromium.js");

const [program, serverProgram] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "tickbox-report-"));
const running = new Set();
process.exitCode = 1;  // of a test that does not come to its end
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
/** How often a run that the machine held up is made again. */
const TRIES_MAX = 5;
const INCONCLUSIVE = 5;

const start = (file, words) => {
  const child = spawn(file, words, { stdio: ["ignore", "pipe", "ignore"] });
  running.add(child);
  child.on("exit", () => running.delete(child));
  child.stdout.setEncoding("utf8");
  return child;
};

/** Starts a server; a long tick, so that few machines hold a generator up for longer. */
const serve = async () => {
  const child = start(serverProgram, ["--port", "0", "--admin-port", "0", "--tick-rate", "20", "--drain-time", "0", "--json"]);
  const [line] = await once(child.stdout, "data");
  const { address, admin } = JSON.parse(line.split("\n")[0]);
  return { child, address, admin };
};

/** Plays, and returns what has become of it. The name of the file is text that others choose. */
const load = async (name, address, more, disturb = async () => {}) => {
  const results = join(folder, `${basename(name)}<img src=x onerror=hacked=1>.jsonl`);
  const report = join(folder, `${name}.html`);
  const child = start(program, ["load", address, "--clients", "3", "--ramp", "0", "--results", results,
    "--report", report, "--json", "--quiet", ...more]);
  let out = "";
  child.stdout.on("data", (text) => { out += text; });
  await Promise.all([once(child, "close"), disturb(child, results)]);
  const lines = readFileSync(results, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  return { exit: child.exitCode, document: JSON.parse(out), lines, report };
};

const play = async (...words) => {
  let played;
  for (let tries = 0; tries < TRIES_MAX; ++tries) {
    if (played) for (const file of [played.report, played.report.replace(".html", "<img src=x onerror=hacked=1>.jsonl")]) rmSync(file);
    played = await load(...words);
    if (played.exit !== INCONCLUSIVE) break;
  }
  return played;
};

/** Waits until a file of results has a line that is measured. */
const measured = async (results) => {
  for (let tries = 0; tries < 500; ++tries, await sleep(20)) {
    try {
      if (readFileSync(results, "utf8").includes('"joining":false')) return;
    } catch { /* not there yet */ }
  }
  throw new Error(`${results} has no measured second`);
};

/** The number of a path such as "rtt_ms.p99". */
const at = (object, path) => path.split(".").reduce((part, name) => part?.[name], object);

let browser;

/** Opens a report, and checks what every report must have. */
const open = async ({ report, document, lines }, headline, width = 390) => {
  const page = await browser.open(`file://${report}`, { width, height: 900, colours: width < 600 ? "dark" : "light" });
  await page.until("document.documentElement.dataset.ready");
  assert.equal(await page.evaluate("document.querySelector('#verdict h2').textContent"), headline);
  const why = await page.evaluate("document.querySelector('#verdict p').textContent");
  assert.ok(why.length > 0);
  if (document.error) assert.equal(why, document.error);
  const [wide, seen] = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
  assert.ok(wide <= seen, `${headline}: ${wide} px at ${seen}`);
  // The page has the lines of the results; of --find those without the seconds.
  const shown = await page.evaluate("document.getElementById('run').textContent.trim().split('\\n').map((line) => JSON.parse(line))");
  assert.equal(lines[0].line, "run");
  assert.equal(lines.at(-1).line, "result");
  assert.deepEqual(shown, document.find ? [lines[0], lines.at(-1)] : lines);
  const command = await page.evaluate("document.querySelector('#facts td').textContent");
  assert.ok(command.includes("<img src=x onerror=hacked=1>"), "text of others is shown");
  assert.equal(await page.evaluate("typeof hacked + document.images.length"), "undefined0");
  return page;
};

const close = async (page, report) => {
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests, [`file://${report}`]);
  await page.close();
};

const rowsOf = (page, table) => page.evaluate(
  `[...document.querySelectorAll('#${table} tr')].map((row) => [...row.cells].map((cell) => cell.textContent))`);

const showsThePassedRun = async (played) => {
  const { document, lines } = played;
  assert.equal(document.verdict, "passed", JSON.stringify(document));
  const page = await open(played, "Passed", 1440);
  assert.deepEqual(lines.at(-1).document, document);
  // The tables of final figures and of requirements.
  const figures = await rowsOf(page, "figures");
  assert.ok(figures.length > 40);
  for (const [path, text] of figures) {
    const value = at(document, path);
    if (value === null) assert.equal(text, "–", path);
    else assert.equal(typeof value === "string" ? text : Number(text), value, path);
  }
  const requirements = await page.evaluate(
    "[...document.querySelectorAll('#requirements tr.held')].map((row) => [row.querySelector('code').textContent, Number(row.cells[1].textContent)])");
  assert.deepEqual(requirements, document.requirements.map(({ text, value }) => [text, value]));
  // The samples are those of the lines, and the charts have them.
  const seconds = lines.slice(1, -1);
  assert.ok(seconds.length >= 2, `${seconds.length} lines`);
  for (const path of ["tick_ms.p99", "rtt_ms.p50", "snapshot_gap_ms.max", "generator.late_max_ms", "clients.connected",
    "bytes_per_client_per_second.down.p50", "prediction.exact"]) {
    assert.notEqual(at(seconds.at(-1), path), null, path);
  }
  const drawn = await page.evaluate(`[...document.querySelectorAll('#time canvas')].map((canvas) => {
    const chart = Chart.getChart(canvas);
    return [canvas.closest('section').querySelector('h3').textContent, chart.data.datasets.map(({ data }) => data.map(({ y }) => y))];
  })`);
  assert.deepEqual(drawn.map(([title]) => title), ["Server tick", "Gap between two views", "Round trip", "Traffic down, each client",
    "Traffic up, each client", "Predictions that were not exact", "The load generator: how late it was",
    "Processor, 100 % is one core", "Clients"]);
  assert.deepEqual(drawn[2][1], ["p50", "p99", "max"].map((name) => seconds.map((line) => line.rtt_ms[name])));
  assert.equal(await page.evaluate("document.querySelectorAll('#shapes canvas').length"), 4);
  // The heat map, read by keyboard.
  await page.evaluate("order.value = 'number', order.dispatchEvent(new Event('change')), what.value = 'rtt_ms', what.dispatchEvent(new Event('change')), heat.focus()");
  await page.press("ArrowDown");
  await page.press("ArrowRight");
  const said = await page.evaluate("cell.textContent");
  assert.ok(said.startsWith(`client 2, id ${BigInt(document.clients.first_id) + 1n}, `), said);
  const shown = Number(said.match(/the round trip ([\d,.]+) ms$/)[1].replace(",", ""));
  const exact = seconds[1].each_client.rtt_ms[1];
  assert.ok(Math.abs(shown - exact) <= 0.01 * exact + 0.01, `${said}, not ${exact}`);
  // Of those that play, each has a cell that is filled.
  assert.equal(await page.evaluate("heat.getContext('2d').getImageData(0, 0, heat.width, heat.height).data.at(-1)"), 255);
  await close(page, played.report);
};

/** The page of a search: the numbers that were tried, and the figures of the one that was found. */
const showsTheSearch = async (played) => {
  const { document } = played;
  const page = await open(played, "At most 2 clients");
  assert.equal(document.find.clients, 2);
  assert.equal(document.clients.connected, 2);
  const rows = await page.evaluate("[...document.querySelectorAll('#steps tbody tr, #steps tr.held, #steps tr.missed')].map((row) => [row.className, row.cells[1].textContent])");
  assert.deepEqual(rows, document.find.steps.map(({ limit, requirements }) =>
    [limit === "none" ? "held" : "missed", String(requirements[0].value)]));
  const drawn = await page.evaluate(`[...document.querySelectorAll('#tried canvas')].map((canvas) =>
    Chart.getChart(canvas).data.datasets.map(({ label, data }) => [label, Math.max(...data.map(({ x }) => x)), data[0].y]))`);
  assert.deepEqual(drawn, [[["held", 2, 1], ["missed", 3, 3], ["limit", 3, 2]]]);
  assert.equal(await page.evaluate("document.querySelectorAll('#time, #heat').length"), 0, "no seconds of other numbers");
  await close(page, played.report);
};

(async () => {
  const [server, doomed] = await Promise.all([serve(), serve()]);
  const dead = await serve();
  dead.child.kill("SIGKILL");
  await once(dead.child, "exit");
  const byAdmin = ["--admin", server.admin];
  // All but the first run may be at the same time: these machines hold them up, and nothing is said of their figures.
  const passed = await play("passed", server.address, [...byAdmin, "--seconds", "2", "--require",
    "clients.connected==3,state_hash.mismatched==0,tick_ms.p99<=1000"]);
  const found = await play("found", server.address, ["--seconds", "0.5", "--find", "clients.connected<=2"]);
  const [missed, stopped, slow, disconnected, unreachable, noAdmin, opened] = await Promise.all([
    play("missed", server.address, [...byAdmin, "--seconds", "1", "--require", "tick_ms.p50<=0"]),
    load("stopped", server.address, ["--seconds", "60"], async (child, results) => {
      await measured(results);
      child.kill("SIGINT");
    }),
    load("slow", server.address, ["--seconds", "3"], async (child, results) => {
      await measured(results);
      child.kill("SIGSTOP");
      await sleep(700);
      child.kill("SIGCONT");
    }),
    load("disconnected", doomed.address, ["--seconds", "60"], async (child, results) => {
      await measured(results);
      doomed.child.kill("SIGTERM");
    }),
    load("unreachable", dead.address, ["--seconds", "1"]),
    load("no-admin", dead.address, ["--seconds", "1", "--admin", dead.admin, "--require", "tick_ms.p50<=0"]),
    new Promise((done) => done(new Chromium())),
  ]);
  browser = opened;
  await showsThePassedRun(passed);
  await showsTheSearch(found);
  for (const [played, exit, headline] of [[missed, 3, "Failed"], [stopped, 5, "Stopped early"],
    [slow, 5, "Load generator too slow"], [disconnected, 4, "Disconnected"], [unreachable, 4, "Not connected"],
    [noAdmin, 4, "Not connected"]]) {
    assert.equal(played.exit, exit, headline);
    const page = await open(played, headline);
    if (played !== noAdmin) assert.deepEqual(played.lines.at(-1).document, played.document);
    if (played === slow) assert.ok(played.lines.some((line) => line.generator?.is_too_late));
    if (played === missed) {
      assert.match(played.document.error, /^1 of 1 requirements missed: tick_ms\.p50<=0 is [\d.]+$/, "it is named");
    }
    await close(page, played.report);
  }
  const { report } = missed;
  const again = start(program, ["load", server.address, "--report", report, "--json"]);
  await once(again, "close");
  assert.equal(again.exitCode, 1, "a report that exists is not overwritten");
  const same = start(program, ["load", server.address, "--report", join(folder, "same"), "--results", join(folder, "same")]);
  await once(same, "close");
  assert.equal(same.exitCode, 2);
  // A report that cannot be written does not lose the result.
  mkdirSync(join(folder, "removed"));
  const lost = await load("removed/lost", server.address, ["--seconds", "2"], async (child, results) => {
    await measured(results);
    rmSync(join(folder, "removed"), { recursive: true });
  });
  assert.ok(lost.exit === 1 || lost.exit === INCONCLUSIVE, `${lost.exit}`);
  assert.match(lost.document.error, /cannot write .*lost\.html: /);
  assert.equal(lost.document.exit, lost.exit);
  assert.equal(lost.document.clients.connected, 3);
  await browser.close();
  server.child.kill("SIGTERM");
})().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
