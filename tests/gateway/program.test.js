// The program: its command line, the files that it serves, its figures, its log, and signals.
"use strict";

const assert = require("node:assert/strict"), fs = require("node:fs"), http = require("node:http"), os = require("node:os"), path = require("node:path"), test = require("node:test");
const { spawn, spawnSync } = require("node:child_process");
const { GATEWAY, PeerBrowser, WebSocketBrowser, fakeServer, freeUdpPort, startGateway, until } = require("./support.js");
const { parseOptions } = require(`${GATEWAY}/options.js`), { makeLog } = require(`${GATEWAY}/gateway.js`);

/** Runs the program. `ready` is what it prints with --json, `ended` its exit code and signal. */
async function run(t, words, ports = {}) {
  const options = Object.entries({ port: 0, "figures-port": 0, "rtc-port": await freeUdpPort(), ...ports }).flatMap(([name, port]) => [`--${name}`, String(port)]);
  const child = spawn(process.execPath, [path.join(GATEWAY, "gateway.js"), "--json", ...options, ...words]);
  const program = { child, out: "", err: "", ended: new Promise((done) => child.on("close", (code, signal) => done({ code, signal }))) };
  child.stdout.on("data", (data) => { program.out += data; });
  child.stderr.on("data", (data) => { program.err += data; });
  t.after(() => child.kill("SIGKILL"));
  program.ready = async () => {
    const line = await until(() => program.out.includes("\n") && program.out, "the line that it is ready", 8000);
    const facts = JSON.parse(line);
    return { ...facts, base: `http://${facts.address}` };
  };
  return program;
}

const freeTcpPort = () => new Promise((done) => {
  const probe = http.createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => done(port));
  });
});

function folder(t, files = {}) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "gateway-"));
  t.after(() => fs.rmSync(made, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(made, name)), { recursive: true });
    fs.writeFileSync(path.join(made, name), content);
  }
  return made;
}

/** Gets a path as it is typed, for fetch() would tidy it up. */
const get = (base, url, headers = {}) => new Promise((done, fail) => {
  http.get(`${base}/`, { path: url, headers }, (response) => {
    const parts = [];
    response.on("data", (data) => parts.push(data));
    response.on("end", () => done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }));
  }).on("error", fail);
});

test("a wrong option is one line that says what to try, and exit 2", async (t) => {
  const file = path.join(folder(t, { servers: "192.0.2.1:7777\nlocalhost:1\n" }), "servers");
  const wrong = [["--wrong"], ["word"], ["--port"], ["--port", "abc"], ["--port", "65536"], ["--port", "1", "--port", "2"], ["--rtc-port", "0"], ["--json=1"],
    ["--to", "localhost:7777"], ["--to", "127.0.0.1"], ["--to", "0.0.0.0:7777"], ["--to", "127.0.0.1:0"], ["--to", "[::1:7"], ["--to-file", "/no/such"], ["--to-file", file],
    ["--bind", "name"], ["--bind", "0.0.0.0", "--allow-strangers"], ["--bind", "::", "--allow-strangers"], ["--bind", "192.0.2.1"],
    ["--public-address", "play.example.org"], ["--public-address", "0.0.0.0"], ["--origin", "play.example.org"], ["--origin", "https://play.example.org/"], ["--origin", "https://a:443"], ["--origin", "https://a:99999"],
    ["--files", "/no/such"], ["--players", "0"], ["--admin", "server:9180"], ["--admin-token-file", file], ["--admin", "127.0.0.1:1", "--admin-token-file", "/no/such"],
    ["--figures-port", "8080"]];
  for (const words of wrong) {
    assert.throws(() => parseOptions(words), ({ message }) => /^[^\n]{20,250}$/.test(message) && /(; |, |add |give )/.test(message), words.join(" "));
  }
  const program = await run(t, ["--to", "localhost:7777"]);
  assert.deepEqual(await program.ended, { code: 2, signal: null });
  assert.equal(program.err, "gateway: --to: localhost:7777 is no numeric address with a port; give for example 127.0.0.1:7777 or [::1]:7777\n");
  const usual = parseOptions([]);
  const limits = ["players", "players-per-prefix", "pending", "opens-per-prefix", "opens", "bind"].map((name) => usual[name]);
  assert.deepEqual(limits, [200, 32, 32, 8, 32, "127.0.0.1"], "what README.md says");
  const { help } = parseOptions(["--help"]);
  for (const name of ["--to ADDRESS:PORT", "--trust-proxy", "-h,--help"]) assert.ok(help.includes(`  ${name}`), name);
  assert.ok(help.split("\n").every((line) => line.length <= 80));
});

test("a port that is taken is one line, and exit 1", async (t) => {
  const first = await run(t, []), { address, rtc: rtcAddress } = await first.ready();
  for (const [option, taken] of [["port", address], ["rtc-port", rtcAddress]]) {
    const second = await run(t, [], { [option]: taken.split(":")[1] });
    assert.deepEqual(await second.ended, { code: 1, signal: null });
    assert.match(second.err, new RegExp(`^gateway: --${option}: [^\\n]* Give another --${option}\\n$`));
  }
});

test("SIGTERM ends links, tells browsers, and exits with 0; a second signal ends at once", async (t) => {
  const server = await fakeServer(t);
  const program = await run(t, ["--to", server.address]), gateway = await program.ready();
  const browser = await (await WebSocketBrowser.open(t, gateway)).join(), peer = await (await PeerBrowser.open(t, gateway)).join();
  program.child.kill("SIGTERM");
  assert.deepEqual(await browser.closed, [1001, "stopping"]);
  await until(() => peer.isClosed, "the end of the channel");
  assert.deepEqual(await program.ended, { code: 0, signal: null });
  assert.match(program.err, / info ready [^]* info link_accepted road=websocket prefix=127\.0\.0\.0\/24 playing=1\n[^]* info stopping playing=2\n[^]* info stopped\n$/);
  assert.ok(!program.err.includes(browser.secrets[0]) && !program.err.includes(peer.secret));

  const stuck = await run(t, ["--to", server.address]), address = await stuck.ready();
  const deaf = await (await WebSocketBrowser.open(t, address)).join();
  deaf.socket._socket.pause();  // it never answers the close
  const began = performance.now();
  stuck.child.kill("SIGTERM");
  await until(() => stuck.err.includes("stopping"), "the first signal");
  stuck.child.kill("SIGINT");
  assert.deepEqual(await stuck.ended, { code: 1, signal: null });
  assert.ok(performance.now() - began < 900);
});

test("a public address needs a server that says it has keys", async (t) => {
  let says = { status: 200, body: '{"keys":"own"}' }, asked;
  const admin = http.createServer((request, response) => {
    asked = { url: request.url, token: request.headers.authorization };
    response.writeHead(says.status);
    response.end(says.body);
  });
  await new Promise((done) => admin.listen(0, "127.0.0.1", done));
  t.after(() => admin.close());
  const token = path.join(folder(t, { token: "sesame\n" }), "token"), server = await fakeServer(t);
  // 127.0.0.1 is asked for as an IPv6 address that is no loopback for the gateway, and is one for the machine.
  const words = ["--bind", "::ffff:127.0.0.1", "--admin", `127.0.0.1:${admin.address().port}`, "--admin-token-file", token];
  for (const [status, body, why] of [[200, '{"keys":"published"}', /does not say that it has keys/], [200, "{}", /does not say/], [200, "<html>", /does not say/], [401, "", /wants a token/]]) {
    says = { status, body };
    await assert.rejects(startGateway(t, [server], words), why);
  }
  assert.deepEqual(asked, { url: "/v1/status?clients=0", token: "Bearer sesame" });
  says = { status: 200, body: '{"keys":"own"}' };
  const program = await run(t, ["--to", server.address, ...words]);
  assert.match((await program.ready()).address, /^\[::ffff:7f00:1\]:/);
  admin.close();
  await assert.rejects(startGateway(t, [server], ["--bind", "::ffff:127.0.0.1", "--admin", `127.0.0.1:${await freeUdpPort()}`]), /does not answer \(ECONNREFUSED\)/);
});

test("files: by type, compressed, with a tag and a strict policy; nothing else", async (t) => {
  const script = "const a = 1;\n".repeat(500);
  const files = folder(t, { "index.html": "<!doctype html>", "play.js": script, "deep/play.wasm": Buffer.alloc(4000), ".hidden.js": "x", "key.pem": "x", "raw.png": Buffer.from("ab") });
  fs.symlinkSync("/etc/passwd", path.join(files, "link.txt"));
  fs.symlinkSync(folder(t, { "a.txt": "x" }), path.join(files, "elsewhere"));
  fs.symlinkSync(files, path.join(files, "deep/again"));
  const gateway = await startGateway(t, [await fakeServer(t)], ["--files", files, "--origin", "https://portal.example"]);
  const page = await get(gateway.base, "/?road=ws");
  assert.equal(page.status, 200);
  assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
  const policy = page.headers["content-security-policy"];
  for (const part of ["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval';", "frame-ancestors https://portal.example;", "base-uri 'none'"]) assert.ok(policy.includes(part), part);
  assert.ok(!policy.includes("unsafe-inline"));
  for (const coding of ["gzip", "br"]) {
    const { headers, body } = await get(gateway.base, "/play.js", { "Accept-Encoding": coding });
    assert.equal(headers["content-encoding"], coding);
    assert.equal(headers["content-length"], String(body.length));
    assert.equal(headers["x-plain-length"], String(script.length), "pages show how much of a file is there");
    assert.ok(body.length < 200);
    const { status } = await get(gateway.base, "/play.js", { "If-None-Match": headers.etag });
    assert.equal(status, 304);
  }
  const plain = await get(gateway.base, "/play.js", { "Accept-Encoding": "br;q=0, identity" });
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(String(plain.body), script);
  assert.equal((await get(gateway.base, "/deep/play.wasm")).headers["content-type"], "application/wasm");
  for (const url of ["/.hidden.js", "/key.pem", "/link.txt", "/elsewhere/a.txt", "/deep/again/play.js", "/../package.json", "/deep/", "//play.js", "/%2e%2e/x"]) assert.equal((await get(gateway.base, url)).status, 404, url);
  assert.equal((await fetch(`${gateway.base}/play.js`, { method: "PUT" })).status, 405);
  const bare = await startGateway(t, [await fakeServer(t)]);
  assert.match(String((await get(bare.base, "/")).body), /--files DIR/);
});

test("figures are on loopback alone, for this machine's names, as Prometheus reads them", async (t) => {
  const gateway = await startGateway(t, [await fakeServer(t)]), at = `http://127.0.0.1:${gateway.figuresPort}`;
  const browser = await (await WebSocketBrowser.open(t, gateway)).join();
  await browser.echo("counted");
  const { status, body } = await get(at, "/metrics");
  assert.equal(status, 200);
  const lines = String(body).trim().split("\n");
  assert.ok(lines.every((line) => /^# TYPE [a-z_]+ (counter|gauge)$/.test(line) || /^[a-z_]+(\{([a-z]+="[a-z_]+",?)+\})? [0-9.]+$/.test(line)), String(body));
  for (const line of ['tickbox_gateway_links{state="playing"} 1', 'tickbox_gateway_opened_total{road="websocket"} 1', "tickbox_gateway_servers 1"]) assert.ok(lines.includes(line), line);
  assert.equal((await get(at, "/metrics", { Host: "evil.example" })).status, 404);
  assert.equal((await get(gateway.base, "/metrics")).status, 404);
});

test("a line of the log is an event and its fields; what browsers cause is limited, and cannot forge a line", () => {
  const lines = [], log = makeLog((line) => lines.push(line));
  log("info", "ready", { address: "127.0.0.1:1", reason: 'a "b"\nc=d', none: "" });
  assert.match(lines[0], /^\d{4}-\d\d-\d\dT[\d:.]+Z info ready address=127\.0\.0\.1:1 reason="a \\"b\\"\\nc=d" none=""\n$/);
  for (let i = 0; i < 100; ++i) log("info", "link_closed", { i });
  assert.ok(lines.length <= 23, `${lines.length} lines`);
});

test("IPv6 by both roads, where the machine has it", async (t) => {
  const has = Object.values(os.networkInterfaces()).flat().some(({ address }) => address === "::1");
  if (!has) return t.skip("no ::1");
  const server = await fakeServer(t, "::1"), gateway = await startGateway(t, [server], ["--bind", "::1"]);
  for (const Kind of [WebSocketBrowser, PeerBrowser]) await (await (await Kind.open(t, gateway)).join()).echo("by six");
  return undefined;
});

const hasNginx = spawnSync("nginx", ["-v"]).status === 0;
test("the lines of README.md make nginx a proxy for files, offers and WebSockets, and for the prefix", { skip: !hasNginx && "nginx is not installed" }, async (t) => {
  const origin = "https://play.example.org", files = folder(t, { "index.html": "<!doctype html>", "play.wasm": Buffer.alloc(100_000) });
  const server = await fakeServer(t), gateway = await startGateway(t, [server], ["--files", files, "--origin", origin, "--trust-proxy"]);
  const [, lines] = /```nginx\n([^]*?)```/.exec(fs.readFileSync(path.join(GATEWAY, "README.md"), "utf8"));
  const port = await freeTcpPort(), own = folder(t);
  const plain = lines.replace("listen 443 ssl http2", `listen 127.0.0.1:${port}`).replace(/^ *ssl_.*\n/gm, "").replace("127.0.0.1:8080", new URL(gateway.base).host);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${own}/${name};`).join(" ");
  fs.writeFileSync(path.join(own, "conf"), `daemon off; master_process off; pid ${own}/pid; error_log stderr; events {}\nhttp { access_log off; ${paths}\n${plain}}`);
  const nginx = spawn("nginx", ["-p", own, "-e", "stderr", "-c", path.join(own, "conf")], { stdio: ["ignore", "ignore", "pipe"] }), ended = new Promise((done) => nginx.on("close", done));
  let said = "";
  nginx.stderr.on("data", (data) => { said += data; });
  t.after(async () => { nginx.kill("SIGKILL"); await ended; });
  const proxy = { base: `http://127.0.0.1:${port}`, options: gateway.options };
  await until(() => get(proxy.base, "/livez").catch(() => nginx.exitCode !== null && assert.fail(said)), "nginx", 8000);
  const { headers, body } = await get(proxy.base, "/play.wasm", { "Accept-Encoding": "br" });
  assert.deepEqual([headers["content-encoding"], headers["x-plain-length"], body.length < 1000], ["br", "100000", true]);
  // What a browser says of itself does not count.
  const browser = await (await WebSocketBrowser.open(t, proxy, { origin, forwarded: "203.0.113.1" })).join();
  await browser.echo("by the WebSocket");
  const peer = await PeerBrowser.open(t, proxy, { origin, forwarded: "203.0.113.1", secret: browser.secrets[0] });
  await peer.echo("by the channel");
  assert.match(gateway.lines.join("\n"), /link_accepted \{"road":"websocket","prefix":"127\.0\.0\.0\/24"/);
});
