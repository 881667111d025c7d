// Shows a load run: the lines of --results in the page, of which all that it shows is made.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const lines = at("run").textContent.trim().split("\n").map((line) => JSON.parse(line));
  const run = lines[0];
  const result = lines.at(-1);
  const seconds = lines.slice(1, -1);
  const { document: final, distributions, tick_ms: tickMs } = result;
  const find = final.find ?? null;

  /** The value at a path such as "rtt_ms.p99"; null if it is not known. */
  const valueAt = (object, path) => path.split(".").reduce((part, name) => part?.[name], object) ?? null;
  /** The figures below an object, as paths and values. */
  const figuresIn = (object, prefix = "") => Object.entries(object).flatMap(([name, value]) =>
    (value !== null && typeof value === "object" ? figuresIn(value, `${prefix}${name}.`) : [[prefix + name, value]]));
  const column = (path) => seconds.map((second) => valueAt(second, path));
  const ends = column("at");
  const begins = ends.map((end, i) => end - seconds[i].seconds);
  const middles = ends.map((end, i) => (begins[i] + end) / 2);

  /** An element with text or other elements in it. Text of others is never HTML. */
  const element = (tag, className, ...inside) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...inside);
    return made;
  };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  /** A number for reading: three digits, or all of a large one. */
  const short = (value) => {
    if (value === null || value === undefined) return "not known";
    if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
    return String(Number(value.toPrecision(3)));
  };
  const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

  // How it ended, and the figures.

  const LOOKS = { 0: "good", 5: "warn" };  // by the exit code

  const drawVerdict = () => {
    let headline = result.headline;
    if (find?.clients_max > 0 && find.limit !== null) {
      const most = counted(find.clients_max, "client");
      headline = find.limit === "none" ? `At least ${most}`
        : find.clients === find.clients_max ? `At most ${most}` : `${find.clients} to ${most}`;
    }
    const name = `${result.game ? `${result.game.split(" ")[0]} · ` : ""}${find ? "up to " : ""}` +
      `${counted(run.clients, "client")} · ${run.server.address}`;
    document.title = `${headline}: ${name}`;
    at("heading").textContent = name;
    at("subtitle").textContent = `${run.players} for ${short(run.seconds)} s, at ${run.started}`;
    at("verdict").classList.add(LOOKS[final.exit] ?? "bad");
    at("verdict").append(element("h2", "", headline), element("p", "", result.why));
  };

  /** A requirement such as "tick_ms.p99<=8", in its parts. */
  const partsOf = (text) => {
    const [, path, relation, number] = text.match(/^(.*?)\s*(<=|>=|==|!=|<|>)\s*(.*)$/);
    return { path, relation, number: Number(number) };
  };

  /** A bar of how much of what a requirement allows is used; empty where that has no meaning. */
  const usedOf = ({ text, value }) => {
    const { relation, number } = partsOf(text);
    if (value === null || value < 0 || number <= 0 || !relation.startsWith("<")) return "";
    const meter = element("meter");
    Object.assign(meter, { low: 0.8, high: 0.999, optimum: 0, value: Math.min(1, value / number) });
    return meter;
  };

  const drawRequirements = () => {
    if (!final.requirements.length) {
      at("requirements").append(element("p", "dim", "No requirements were given; ", element("code", "", "--require"), " adds some."));
      return;
    }
    const table = element("table", "", element("thead", "", element("tr", "",
      element("th", "", "Requirement"), element("th", "", "Value"), element("th", "wide", "Of the limit"))));
    for (const each of final.requirements) {
      table.append(element("tr", each.held ? "held" : "missed",
        element("th", "", element("b", "", each.held ? "✓" : "✗ missed"), " ", element("code", "", each.text)),
        element("td", "", each.value === null ? "not known" : String(each.value)), element("td", "wide", usedOf(each))));
    }
    at("requirements").append(table);
  };

  const TILES = [
    ["server tick, p99", "tick_ms.p99", "ms"], ["gap between views, p99", "snapshot_gap_ms.p99", "ms"],
    ["round trip, p99", "rtt_ms.p99", "ms"], ["clients connected", "clients.connected", ""],
    ["hashes compared", "state_hash.checked", ""], ["clients that compared", "state_hash.clients_checked", ""],
    ["hashes that differ", "state_hash.mismatched", ""], ["predictions corrected", "prediction.corrected_share", "%", 0.01],
    ["down, each client", "bytes_per_client_per_second.down", "kB/s", 1000], ["server processor", "server.cpu_percent", "%"],
  ];

  const drawTiles = () => {
    for (const [name, path, unit, divisor] of TILES) {
      const value = valueAt(final, path);
      const shown = element("dd", "", value === null ? "–" : short(value / (divisor ?? 1)));
      if (value !== null && unit) shown.append(" ", element("small", "", unit));
      const tile = element("div", path === "state_hash.mismatched" && value > 0 ? "bad" : "", element("dt", "", name), shown);
      tile.title = path;
      at("tiles").append(tile);
    }
  };

  const drawTable = (id, figures) => {
    for (const [path, value] of figures) {
      at(id).append(element("tr", "", element("th", "", element("code", "", path)), element("td", "", value === null ? "–" : String(value))));
    }
  };

  const drawFigures = () => {
    const { requirements, verdict, part, find: found, ...figures } = final;
    const { steps, ...figuresOfFind } = found ?? {};
    drawTable("figures", figuresIn({ ...figures, ...(found && { find: figuresOfFind }) }));
    const { line, ...facts } = run;
    drawTable("facts", figuresIn({ ...facts, game: result.game }));
  };

  // Charts over time.

  const scaled = (list, factor) => list.map((value) => (value === null ? null : value * factor));
  const spread = (path, factor = 1) => [
    { name: "median", values: scaled(column(`${path}.p50`), factor), colour: "p50" },
    { name: "99 %", values: scaled(column(`${path}.p99`), factor), colour: "p99" },
    { name: "largest", values: scaled(column(`${path}.max`), factor), colour: "max", thin: true },
  ];
  /** The share of predictions that were not exact, in percent. */
  const wrong = (path) => column(path).map(({ checked, exact }) => (checked > 0 ? 100 * (1 - exact / checked) : null));
  const line = (name, path, lineColour, factor = 1) =>
    ({ name, values: scaled(column(path), factor), colour: lineColour });

  const CHARTS = [
    { title: "Server tick", unit: "ms", lines: spread("tick_ms"), limit: tickMs, limitName: "time of a tick",
      missing: "Only the server knows its ticks: add --admin HOST:PORT." },
    { title: "Gap between two views", unit: "ms", lines: spread("snapshot_gap_ms"), limit: 0 },
    { title: "Round trip", unit: "ms", lines: spread("rtt_ms") },
    { title: "Traffic down, each client", unit: "kB/s", lines: spread("bytes_per_client_per_second.down", 1e-3) },
    { title: "Traffic up, each client", unit: "kB/s", lines: spread("bytes_per_client_per_second.up", 1e-3) },
    { title: "Predictions that were not exact", unit: "%", lines: [
      { name: "nothing else had a part", values: wrong("prediction"), colour: "max" },
      { name: "others had a part", values: wrong("prediction.touched"), colour: "p99" }] },
    { title: "The load generator: how late it was", unit: "ms", lines: [
      line("99 %", "generator.late_p99_ms", "p99"), line("largest", "generator.late_max_ms", "max")],
      limit: tickMs, limitName: "time of a tick" },
    { title: "Processor, 100 % is one core", unit: "%", lines: [
      line("server", "server.cpu_percent", "p50"), line("load generator", "generator.cpu_percent", "p99")] },
    { title: "Clients", unit: "", lines: [
      line("connected", "clients.connected", "p50"), line("away", "clients.away", "p99"),
      line("failed", "clients.failed", "max")] },
  ];

  const charts = [];
  let pointed = null;  // the time at which the pointer is

  /** Grey where the generator was late, a tint where clients join, and the time of the pointer. */
  const background = {
    id: "background",
    beforeDraw({ ctx, chartArea, scales: { x } }) {
      if (!x || x.type !== "linear") return;
      ctx.save();
      const fill = (name, flags) => {
        ctx.fillStyle = colour(name);
        flags.forEach((on, i) => {
          if (!on) return;
          const left = Math.max(chartArea.left, x.getPixelForValue(begins[i]));
          const right = Math.min(chartArea.right, x.getPixelForValue(ends[i]));
          ctx.fillRect(left, chartArea.top, right - left, chartArea.bottom - chartArea.top);
        });
      };
      fill("joining", column("joining"));
      fill("late", column("generator.is_too_late"));
      if (pointed !== null) {
        const place = x.getPixelForValue(pointed);
        ctx.strokeStyle = colour("dim");
        ctx.beginPath();
        ctx.moveTo(place, chartArea.top);
        ctx.lineTo(place, chartArea.bottom);
        ctx.stroke();
      }
      ctx.restore();
    },
  };

  const pointAt = (time) => {
    if (time === pointed) return;
    pointed = time;
    for (const chart of charts) chart.draw();
  };

  /** A card with a canvas, or with why there is none. */
  const card = (place, title, missing) => {
    const made = element("section", "card");
    made.append(element("h3", "", title));
    place.append(made);
    if (missing) {
      made.append(element("p", "none", missing));
      return null;
    }
    const box = element("div", "chart");
    const canvas = element("canvas");
    canvas.setAttribute("role", "img");
    box.append(canvas);
    made.append(box);
    return canvas;
  };

  const axis = (unit, more) => ({
    grid: { color: colour("line") }, ticks: { color: colour("dim"), maxRotation: 0 },
    title: { display: Boolean(unit), text: unit, color: colour("dim") }, ...more,
  });

  const options = (more) => ({
    animation: false, responsive: true, maintainAspectRatio: false, normalized: true, ...more,
  });

  const drawTime = ({ title, unit, lines, limit, limitName, missing }) => {
    const known = lines.filter(({ values }) => values.some((value) => value !== null));
    const canvas = card(at("time"), title, known.length ? "" : missing ?? "Nothing was measured.");
    if (!canvas) return;
    const few = ends.length < 3;
    const datasets = known.map(({ name, values, colour: lineColour, thin }) => ({
      label: name, data: values.map((y, i) => ({ x: middles[i], y })),
      borderColor: colour(lineColour), backgroundColor: colour(lineColour),
      borderWidth: thin || ends.length > 200 ? 1 : 2, pointRadius: few ? 3 : 0, pointHitRadius: 6,
    }));
    if (limit && known.length) {
      datasets.push({
        label: limitName, data: [{ x: 0, y: limit }, { x: ends.at(-1), y: limit }],
        borderColor: colour("dim"), backgroundColor: colour("dim"), borderWidth: 1, borderDash: [4, 4], pointRadius: 0,
      });
    }
    canvas.setAttribute("aria-label", `${title}: ${known.map(({ name, values }) =>
      `${name} up to ${short(Math.max(...values))} ${unit}`).join(", ")}`);
    const logarithmic = at("log").checked;
    const chart = new Chart(canvas, {
      type: "line", data: { datasets }, plugins: [background],
      options: options({
        interaction: { mode: "index", intersect: false, axis: "x" },
        onHover: (event, active) => pointAt(active.length ? middles[active[0].index] ?? null : null),
        scales: {
          x: axis("s", { type: "linear", min: 0, max: ends.at(-1), ticks: { color: colour("dim"), maxRotation: 0, includeBounds: false } }),
          y: axis(unit, logarithmic ? { type: "logarithmic" } : { beginAtZero: true }),
        },
        plugins: {
          legend: { labels: { color: colour("ink"), boxWidth: 12, boxHeight: 2 } },
          tooltip: {
            filter: ({ dataset }) => dataset.label !== limitName,
            callbacks: {
              title: ([{ parsed }]) => `${short(parsed.x)} s`,
              label: ({ dataset, parsed }) => `${dataset.label}: ${short(parsed.y)} ${unit}`,
            },
          },
        },
      }),
    });
    canvas.addEventListener("pointerleave", () => pointAt(null));
    charts.push(chart);
  };

  // The numbers of clients that --find has tried.

  const drawSteps = () => {
    at("find").hidden = false;
    const table = element("table", "", element("thead", "", element("tr", "", element("th", "", "Clients"),
      ...final.requirements.map(({ text }) => element("th", "", element("code", "", text))), element("th", "", "Limit"))));
    for (const { asked, clients, limit, requirements } of find.steps ?? []) {
      table.append(element("tr", limit === "none" ? "held" : "missed",
        element("th", "", element("b", "", limit === "none" ? "✓" : "✗"), ` ${clients}${clients < asked ? ` of ${asked}` : ""}`),
        ...requirements.map(({ value }) => element("td", "", short(value))), element("td", "", limit)));
    }
    at("steps").append(table);
  };

  /** Draws the values of a requirement by the number of clients, with its limit as a line. */
  const drawTried = ({ text }, requirement) => {
    const { path, number } = partsOf(text);
    const steps = (find.steps ?? []).filter(({ requirements }) => requirements[requirement].value !== null);
    const canvas = card(at("tried"), text, steps.length ? "" : "Nothing was measured.");
    if (!canvas) return;
    const points = (held) => steps.filter(({ requirements }) => requirements[requirement].held === held)
      .map(({ clients, requirements }) => ({ x: clients, y: requirements[requirement].value }));
    const most = Math.max(...steps.map(({ clients }) => clients));
    const dots = (label, held, name) => ({ label, data: points(held), showLine: false, pointRadius: 5,
      borderColor: colour(name), backgroundColor: colour(name) });
    canvas.setAttribute("aria-label", `${path} by the number of clients, limit ${number}`);
    charts.push(new Chart(canvas, {
      type: "line",
      data: { datasets: [dots("held", true, "good"), dots("missed", false, "bad"),
        { label: "limit", data: [{ x: 0, y: number }, { x: most, y: number }], borderColor: colour("dim"),
          backgroundColor: colour("dim"), borderWidth: 1, borderDash: [4, 4], pointRadius: 0 }] },
      options: options({
        scales: { x: axis("clients", { type: "linear", min: 0, max: most }), y: axis(path, { beginAtZero: true }) },
        plugins: { legend: { labels: { color: colour("ink"), boxWidth: 12, boxHeight: 2 } } },
      }),
    }));
  };

  // Distributions.

  const SHAPES = [
    { title: "Server ticks", path: "tick_ms", final: final.tick_ms, of: "ticks" },
    { title: "Gaps between two views", path: "snapshot_gap_ms", final: final.snapshot_gap_ms, of: "the time" },
    { title: "Round trips", path: "rtt_ms", final: final.rtt_ms, of: "packets" },
    { title: "Lateness of the load generator", path: "generator.late_ms", of: "its turns",
      final: final.generator && { p99: final.generator.late_p99_ms, max: final.generator.late_max_ms } },
  ];
  const QUANTILES = { p50: "50 %", p99: "99 %", p999: "99.9 %", max: "all" };

  const drawShape = ({ title, path, final: quantiles, of }) => {
    const shape = distributions[path];
    const sum = shape ? shape.count.reduce((all, one) => all + one, 0) : 0;
    const canvas = card(at("shapes"), title, sum > 0 ? "" : "Nothing was measured.");
    if (!canvas) return;
    const words = Object.entries(quantiles ?? {}).filter(([name, value]) => QUANTILES[name] && value !== null)
      .map(([name, value]) => `${QUANTILES[name]} ≤ ${short(value)} ms`).join(" · ");
    canvas.parentElement.before(element("p", "dim", words));
    canvas.setAttribute("aria-label", `${title}: ${words}`);
    const labels = shape.to_ms.map((end) => (end === null ? "more" : short(end)));
    charts.push(new Chart(canvas, {
      type: "bar",
      data: { labels, datasets: [{ data: shape.count.map((count) => (count > 0 ? 100 * count / sum : null)),
        backgroundColor: colour("accent"), barPercentage: 1, categoryPercentage: .92 }] },
      options: options({
        scales: {
          x: axis("ms, up to", { grid: { display: false } }),
          y: axis(`% of ${of}`, { type: "logarithmic", min: 0.001, max: 100,
            ticks: { color: colour("dim"), callback: (value) => (Number.isInteger(Math.log10(value)) ? String(value) : "") } }),
        },
        plugins: {
          legend: { display: false },
          tooltip: { callbacks: {
            title: ([{ label, dataIndex }]) => (label === "more" ? "more" : `up to ${label} ms`),
            label: ({ parsed }) => `${short(parsed.y)} %`,
          } },
        },
      }),
    }));
  };

  // Every client as a row.

  const SHOWN = {
    snapshot_gap_ms: ["the gap between two views", "ms"],
    rtt_ms: ["the round trip", "ms"],
    corrected: ["corrected predictions", "each second"],
  };
  const RAMP = [[38, 70, 130], [52, 128, 178], [90, 178, 150], [236, 206, 100], [232, 120, 58], [178, 20, 60]];

  const rampAt = (share) => {
    const place = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
    const from = Math.min(Math.floor(place), RAMP.length - 2);
    return RAMP[from].map((part, i) => part + (RAMP[from + 1][i] - part) * (place - from));
  };

  /** The values of each client over time, by figure. */
  const rows = {};
  for (const name of Object.keys(SHOWN)) {
    rows[name] = (seconds[0]?.each_client[name] ?? []).map((_, client) =>
      Float32Array.from(seconds, ({ each_client: each }) => each[name][client] ?? NaN));
  }
  let heat = null;  // what the heat map shows
  let chosen = { row: 0, column: 0 };

  /** The mean of a client's known values. */
  const meanOf = (values) => {
    let sum = 0;
    let known = 0;
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      sum += value;
      ++known;
    }
    return known ? sum / known : -1;
  };

  /** The height of the heat map in pixels, of the row of a client, and how many of the worst have such a row where there is
   *  no space for all. */
  const HEIGHT = 480;
  const ROW = 8;
  const WORST = 30;

  /** The rows of the heat map: which clients of the order each shows, and its height. Where there is no space for all, a row
   *  of one pixel shows the worst of some clients. */
  const rowsFor = (clients, worstFirst) => {
    const fits = clients * ROW <= HEIGHT;
    const single = fits ? clients : worstFirst ? WORST : 0;
    const height = fits ? Math.min(28, Math.floor(HEIGHT / clients)) : ROW;
    const made = Array.from({ length: single }, (_, i) => ({ from: i, to: i + 1, height }));
    const rest = clients - single;
    const pixels = Math.min(rest, HEIGHT - single * height);
    for (let i = 0; i < pixels; ++i) {
      made.push({ from: single + Math.floor(i * rest / pixels), to: single + Math.floor((i + 1) * rest / pixels), height: 1 });
    }
    return made;
  };

  const drawHeat = () => {
    const name = at("what").value;
    const values = rows[name];
    const worstFirst = at("order").value === "worst";
    const order = values.map((_, i) => i);
    if (worstFirst) {
      const means = values.map(meanOf);
      order.sort((a, b) => means[b] - means[a] || a - b);
    }
    const sorted = Float32Array.from(values.flatMap((row) => [...row].filter((value) => !Number.isNaN(value)))).sort();
    const low = Math.max(sorted[Math.floor(sorted.length / 20)] ?? 0, name === "corrected" ? 0 : 0.1);
    const high = Math.max(sorted.at(-1) ?? 0, 4 * Math.max(low, 0.5));
    const shown = rowsFor(values.length, worstFirst);
    const canvas = at("heat");
    canvas.width = ends.length;
    canvas.height = shown.reduce((sum, { height }) => sum + height, 0);
    canvas.style.height = `${canvas.height}px`;
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const scale = Math.log((high + 0.1) / (low + 0.1));
    const cells = [];
    const rowOf = [];  // of each pixel, from the top
    shown.forEach(({ from, to, height }, row) => {
      for (let x = 0; x < ends.length; ++x) {
        let worst = { client: order[from], value: NaN };
        for (let i = from; i < to; ++i) {
          const value = values[order[i]][x];
          if (!(value <= worst.value) && !Number.isNaN(value)) worst = { client: order[i], value };
        }
        cells.push(worst);
        if (Number.isNaN(worst.value)) continue;
        const [red, green, blue] = rampAt(Math.log((worst.value + 0.1) / (low + 0.1)) / scale);
        for (let y = 0; y < height; ++y) {
          image.data.set([red, green, blue, 255], 4 * ((rowOf.length + y) * ends.length + x));
        }
      }
      for (let y = 0; y < height; ++y) rowOf.push(row);
    });
    context.putImageData(image, 0, 0);
    heat = { name, cells, rows: shown.length, rowOf };
    const [what, unit] = SHOWN[name];
    canvas.setAttribute("aria-label",
      `${values.length} clients, ${what} over time; the largest is ${short(sorted.at(-1))} ${unit}`);
    at("low").textContent = `${short(low)} ${unit}`;
    at("high").textContent = `${short(high)} ${unit}`;
    at("rows").textContent = shown.length === values.length ? "A row for each client."
      : `${worstFirst ? `The ${WORST} worst clients, then a` : "A"} row for the worst of some clients each.`;
  };

  const drawRamp = () => {
    const context = at("ramp").getContext("2d");
    for (let x = 0; x < 256; ++x) {
      context.fillStyle = `rgb(${rampAt(x / 255).map(Math.round).join(" ")})`;
      context.fillRect(x, 0, 1, 1);
    }
  };

  /** Says what a cell of the heat map shows. */
  const tell = (row, column) => {
    chosen = { row: Math.min(Math.max(row, 0), heat.rows - 1), column: Math.min(Math.max(column, 0), ends.length - 1) };
    const { client, value } = heat.cells[chosen.row * ends.length + chosen.column];
    const first = final.clients?.first_id;
    const id = first ? `, id ${BigInt(first) + BigInt(client)}` : "";
    const [what, unit] = SHOWN[heat.name];
    at("cell").textContent = `client ${client + 1}${id}, ${short(begins[chosen.column])} to ${short(ends[chosen.column])} s: ` +
      (Number.isNaN(value) ? "nothing is known" : `${what} ${short(value)} ${unit}`);
    pointAt(middles[chosen.column]);
  };

  const beginHeat = () => {
    for (const [name, [what]] of Object.entries(SHOWN)) {
      const option = element("option", "", what);
      option.value = name;
      at("what").append(option);
    }
    const canvas = at("heat");
    const point = ({ offsetX, offsetY }) => tell(
      heat.rowOf[Math.floor(Math.min(Math.max(offsetY / canvas.clientHeight, 0), 0.999) * heat.rowOf.length)],
      Math.floor(offsetX / canvas.clientWidth * ends.length));
    canvas.addEventListener("pointermove", point);
    canvas.addEventListener("pointerdown", point);
    canvas.addEventListener("pointerleave", () => pointAt(null));
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      tell(chosen.row + step[0], chosen.column + step[1]);
    });
    at("what").addEventListener("change", drawHeat);
    at("order").addEventListener("change", drawHeat);
    drawRamp();
    drawHeat();
  };

  // The page.

  const draw = () => {
    for (const chart of charts.splice(0)) chart.destroy();
    for (const place of ["time", "shapes", "tried"]) at(place)?.replaceChildren();
    if (find) final.requirements.forEach(drawTried);
    else if (ends.length) CHARTS.forEach(drawTime);
    SHAPES.forEach(drawShape);
  };

  Chart.defaults.font.family = "system-ui, sans-serif";
  drawVerdict();
  drawRequirements();
  drawTiles();
  drawFigures();
  if (find) drawSteps();
  at("charts").hidden = false;
  document.documentElement.dataset.ready = "1";
  if (find || !ends.length) at("over-time").remove();
  if (!find && !ends.length) at("charts").prepend(element("p", "card", "No second was measured, so there are no charts over time."));
  draw();
  if (at("over-time")) {
    const column = Math.round([...seconds].sort((a, b) => a.seconds - b.seconds)[seconds.length >> 1].seconds);
    if (column > 1) at("tools").querySelector("h2").textContent = `Over time, the worst of each ${column} s`;
    beginHeat();
    at("log").addEventListener("change", draw);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const printed = (on) => () => {
    document.documentElement.classList.toggle("printed", on);
    draw();
  };
  addEventListener("beforeprint", printed(true));
  addEventListener("afterprint", printed(false));
})();
