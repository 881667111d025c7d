// Draws the charts of a load run from the samples in the page. Its numbers come from there alone.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const data = JSON.parse(at("run").textContent);
  const { columns, each_client: eachClient, seconds_per_column: perColumn } = data;
  const { document: final, distributions, tick_ms: tickMs } = data.result;
  const ends = columns.at ?? [];
  const begins = ends.map((end, i) => end - columns.seconds[i]);
  const middles = ends.map((end, i) => (begins[i] + end) / 2);

  const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  /** A number for reading: three digits, or all of a large one. */
  const short = (value) => {
    if (value === null || value === undefined) return "not known";
    if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
    return String(Number(value.toPrecision(3)));
  };

  // Charts over time.

  const scaled = (list, factor) => (list ?? []).map((value) => (value === null ? null : value * factor));
  const spread = (path, factor = 1) => [
    { name: "median", values: scaled(columns[`${path}.p50`], factor), colour: "p50" },
    { name: "99 %", values: scaled(columns[`${path}.p99`], factor), colour: "p99" },
    { name: "largest", values: scaled(columns[`${path}.max`], factor), colour: "max", thin: true },
  ];
  /** The share of predictions that were not exact, in percent. */
  const wrong = (path) => (columns[`${path}.checked`] ?? []).map((checked, i) =>
    (checked > 0 ? 100 * (1 - columns[`${path}.exact`][i] / checked) : null));
  const line = (name, path, lineColour, factor = 1) =>
    ({ name, values: scaled(columns[path], factor), colour: lineColour });

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
        (flags ?? []).forEach((on, i) => {
          if (!on) return;
          const left = Math.max(chartArea.left, x.getPixelForValue(begins[i]));
          const right = Math.min(chartArea.right, x.getPixelForValue(ends[i]));
          ctx.fillRect(left, chartArea.top, right - left, chartArea.bottom - chartArea.top);
        });
      };
      fill("joining", columns.joining);
      fill("late", columns["generator.is_too_late"]);
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

  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const VALUE_OF = new Map([...DIGITS].map((digit, i) => [digit, i]));
  const UNKNOWN = 64 * 64 - 1;
  /** Reads the values of one client back; the program writes them in the same way. */
  const decode = (text) => Float32Array.from({ length: text.length / 2 }, (_, i) => {
    const level = 64 * VALUE_OF.get(text[2 * i]) + VALUE_OF.get(text[2 * i + 1]);
    return level === UNKNOWN ? NaN : 0.1 * (10 ** (level / 818.8) - 1);
  });
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

  const rows = {};
  for (const name of Object.keys(eachClient)) rows[name] = eachClient[name].map(decode);
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
    at("time").replaceChildren();
    at("shapes").replaceChildren();
    CHARTS.forEach(drawTime);
    SHAPES.forEach(drawShape);
  };

  Chart.defaults.font.family = "system-ui, sans-serif";
  at("charts").hidden = false;
  document.documentElement.dataset.ready = "1";
  if (!ends.length) {
    at("charts").replaceChildren(element("p", "card", "No second was measured, so there are no charts."));
    return;
  }
  if (perColumn > 1) at("tools").querySelector("h2").textContent = `Over time, the worst of each ${perColumn} s`;
  draw();
  beginHeat();
  at("log").addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const printed = (on) => () => {
    document.documentElement.classList.toggle("printed", on);
    draw();
  };
  addEventListener("beforeprint", printed(true));
  addEventListener("afterprint", printed(false));
})();
