// SPDX-License-Identifier: ISC
// The charts below the answer: ratios, latencies, threads, whole servers, crashes; and all results.
"use strict";

const MOST_ROWS = 40; // of a chart, until the reader asks for all of them
const QUANTILE_NAMES = [
  [0.5, "half"],
  [0.05, "1 in 20"],
  [0.01, "1 in 100"],
  [0.001, "1 in 1,000"],
  [0.0001, "1 in 10,000"],
];
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const POINTS = ["circle", "rect", "triangle", "rectRot", "star", "cross"];

// ---- Ratios

function ratioText(each) {
  if (!each.shown) return isNarrow() ? "not shown" : "no difference shown";
  const interval = `${each.low.toFixed(2)} to ${each.high.toFixed(2)}`;
  return isNarrow() ? `${each.ratio.toFixed(2)}×` : `${each.ratio.toFixed(2)}× (${interval})`;
}

// "0.951 to 1.002" of the ends of an interval.
function range(ends) {
  return ends.map((end) => end.toFixed(3)).join(" to ");
}

function ratioColour(each) {
  if (!each.shown) return style("muted");
  return style(each.ratio > 1 ? "faster" : "slower");
}

function ratioTicks(low, high) {
  const all = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000,
  ];
  const inside = all.filter((value) => value >= low && value <= high);
  const step = isNarrow() ? Math.ceil(inside.length / 5) : 1;
  const middle = inside.indexOf(1);
  return inside.filter((_, i) => (i - middle) % step === 0);
}

function drawRatios(canvas, rows) {
  const labels = rows.map((each) => wrapped(each.label, isNarrow() ? 21 : 46));
  const lines = labels.reduce((sum, label) => sum + Math.max(label.length, 1.3), 0);
  const ends = rows.flatMap((each) => [each.low, each.high, ...(each.null || [])]);
  const low = Math.min(0.9, ...ends) / 1.05;
  const room = isNarrow() ? 1.1 : (Math.max(1.15, ...ends) / low) ** 0.45;
  const high = Math.max(1.15, ...ends) * room;
  draw(canvas, lines * ROW + rows.length * 6 + 70, () => ({
    type: "bar",
    data: {
      labels,
      datasets: [
        {
          data: rows.map((each) => [each.low, each.high]),
          backgroundColor: rows.map(ratioColour),
          barThickness: 4,
          minBarLength: 3,
        },
      ],
    },
    options: {
      indexAxis: "y",
      layout: { padding: { top: 16 } },
      scales: {
        x: axis("speed, as a multiple of the first", {
          type: "logarithmic",
          min: low,
          max: high,
          afterBuildTicks: (scale) => {
            scale.ticks = ratioTicks(low, high).map((value) => ({ value }));
          },
          ticks: { callback: (value) => `${value}×`, maxRotation: 0, autoSkip: false },
        }),
        y: labelAxis(isNarrow() ? 150 : 310),
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: ([item]) => rows[item.dataIndex].label,
            label: (item) => {
              const each = rows[item.dataIndex];
              return [
                `${each.ratio.toFixed(3)}× (95 % interval ${range([each.low, each.high])})`,
                each.null ? `noise of the machine: ${range(each.null)}` : "",
                each.shown ? "" : "no difference shown",
              ].filter(Boolean);
            },
          },
        },
        marks: {
          half: 9,
          bands: rows.map((each) => each.null),
          lines: [{ x: 1, text: "same speed", colour: "ink" }],
          dots: rows.map((each) => ({ x: each.ratio, colour: ratioColour(each) })),
          texts: rows.map(ratioText),
        },
      },
    },
  }));
}

// "1.13" of one ratio, "1.13 to 1.38" of several.
function span(ratios) {
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  return low === high ? low : `${low} to ${high}`;
}

function certainty(rows) {
  const shown = rows.filter((each) => each.shown).length;
  if (rows.length === 1) {
    return shown ? "the difference is more than chance" : "no difference is shown";
  }
  return `${shown} of ${rows.length} comparisons show a difference`;
}

const KEY_CHANGES = ["flush 1 → 2", "flush 1 → 2 binlog 0", "sync on → off"];
const SAFE = [
  "PostgreSQL sync on", "MariaDB flush 1", "MySQL flush 1", "MySQL flush 1, binary log off",
];

// The questions that most readers have, each answered by all of its comparisons.
function findings() {
  const lines = [];
  for (const change of KEY_CHANGES) {
    const rows = DATA.ratios.filter((each) => each.change.startsWith(`${change}|`));
    for (const product of new Set(rows.map((each) => each.change.split("|")[1]))) {
      const own = rows.filter((each) => each.change === `${change}|${product}`);
      const ratios = own.map((each) => each.ratio);
      const claim = `${change} makes ${product} ${span(ratios)} times as fast`;
      lines.push(sentence(strong(claim), ` (${certainty(own)}).`));
    }
  }
  for (const [i, first] of SAFE.entries()) {
    for (const second of SAFE.slice(i + 1)) {
      const changes = [`${first} → ${second}`, `${second} → ${first}`];
      const own = DATA.ratios.filter((each) => changes.includes(each.change));
      if (!own.length) continue;
      const ratios = own.map((each) => (each.change === changes[1] ? each.ratio : 1 / each.ratio));
      const claim = `${first} is ${span(ratios)} times as fast as ${second}`;
      lines.push(sentence(strong(claim), ` (${certainty(own)}).`));
    }
  }
  return lines;
}

function startRatios() {
  const holder = document.getElementById("ratio-charts");
  if (!holder) return;
  document.getElementById("findings").replaceChildren(...findings());
  const questions = [...new Set(DATA.ratios.map((each) => each.question))];
  questions.forEach((question, number) => {
    const rows = DATA.ratios.filter((each) => each.question === question);
    const id = `canvas-ratio-${number}`;
    const canvas = make("canvas", { id, role: "img" });
    const all = make("button", { type: "button", class: "more" }, `Show all ${rows.length}`);
    holder.append(
      make("figure", {}, make("h3", {}, question), make("div", { class: "canvas" }, canvas), all),
    );
    let isWhole = rows.length <= MOST_ROWS;
    all.hidden = isWhole;
    const drawIt = () => {
      // Of many, those with the greatest effects.
      const kept = [...rows]
        .sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)))
        .slice(0, isWhole ? rows.length : MOST_ROWS);
      const drawn = rows.filter((each) => kept.includes(each));
      canvas.setAttribute(
        "aria-label",
        `${question} ${drawn.map((each) => `${each.label}: ${ratioText(each)}`).join("; ")}`,
      );
      drawRatios(id, drawn);
    };
    all.addEventListener("click", () => {
      isWhole = true;
      all.hidden = true;
      drawIt();
    });
    redrawn(drawIt);
  });
  tableBehind("table-ratios", [
    "question", "change", { text: "ratio", number: true }, { text: "95 % interval", number: true },
    { text: "A against A", number: true }, "verdict", "begun", { text: "blocks", number: true },
    "source",
  ], () => DATA.ratios.map((each) => [
    each.question,
    each.label,
    { text: each.ratio.toFixed(3), value: each.ratio },
    { text: `${each.low.toFixed(3)} to ${each.high.toFixed(3)}`, value: each.low },
    each.null ? { text: range(each.null), value: each.null[0] } : null,
    each.shown ? (each.ratio > 1 ? "faster" : "slower") : "no difference shown",
    each.begun,
    each.blocks,
    each.source,
  ]));
}

// ---- Latencies

const WORK_NAMES = {
  renew: "renewals",
  dora: "new clients (DORA)",
  "dora-known": "returning clients (DORA)",
  create: "single inserts",
  search: "single searches",
  update: "single updates",
  delete: "single deletions",
};

// "1 in 100" of 100.
function shareName(value) {
  const known = QUANTILE_NAMES.find(([share]) => Math.abs(share * value - 1) < 0.01);
  return known ? known[1] : null;
}

// True of 1, 2 and 5 with any number of zeros, which a logarithmic axis names.
function isRound(value) {
  return /^[125](\.0*)?e/.test(value.toExponential());
}

function roundFigure(value) {
  return isRound(value) ? figure(value) : null;
}

function lineOptions(x, y, more = {}) {
  return {
    scales: { x, y },
    interaction: { mode: "nearest", intersect: false },
    plugins: { legend: legend(), ...more },
  };
}

// Curves of one store have one colour, and differ in their dashes and points.
function lineStyle(store, number) {
  return {
    borderColor: storeColour(store),
    backgroundColor: storeColour(store),
    borderDash: DASHES[number % DASHES.length],
    pointStyle: POINTS[number % POINTS.length],
    pointRadius: 4,
    borderWidth: 2,
  };
}

function styles(list) {
  const counts = {};
  return list.map((each) => {
    counts[each.store] = (counts[each.store] ?? -1) + 1;
    return lineStyle(each.store, counts[each.store]);
  });
}

function startLatencies() {
  const select = document.getElementById("latency-work");
  if (!select) return;
  const works = [...new Set(DATA.latencies.map((each) => each.work))];
  fillSelect(select, works.map((work) => [work, WORK_NAMES[work] || work]));
  const narrow = document.getElementById("latency-all");
  const drawIt = () => {
    const ofWork = DATA.latencies.filter((each) => each.work === select.value);
    const ofKea = ofWork.filter((each) => each.in_kea);
    const rows = narrow.checked || !ofKea.length ? ofWork : latest(ofKea);
    const looks = styles(rows);
    document.getElementById("canvas-latency").setAttribute(
      "aria-label",
      `Latency of ${WORK_NAMES[select.value] || select.value}. ${rows
        .map((each) => `${each.name}: half take at most ${timeText(each.quantiles[0][1] / 1e9)}`)
        .join("; ")}`,
    );
    draw("canvas-latency", isNarrow() ? 460 : 440, () => ({
      type: "line",
      data: {
        datasets: rows.map((each, i) => ({
          label: each.name,
          data: each.quantiles.map(([share, ns]) => ({ x: 1 / share, y: ns / 1e9 })),
          ...looks[i],
        })),
      },
      options: lineOptions(
        axis("share of requests that take longer", {
          type: "logarithmic",
          min: 1.8,
          afterBuildTicks: (scale) => {
            scale.ticks = QUANTILE_NAMES.map(([share]) => ({ value: 1 / share }));
          },
          ticks: {
            callback: shareName,
            maxRotation: isNarrow() ? 45 : 0,
            autoSkip: false,
          },
        }),
        axis("time", {
          type: "logarithmic",
          min: 0.7 * Math.min(...rows.flatMap((each) => each.quantiles.map(([, ns]) => ns / 1e9))),
          max: 1.4 * Math.max(...rows.flatMap((each) => each.quantiles.map(([, ns]) => ns / 1e9))),
          ticks: { callback: (value) => (isRound(value) ? timeText(value) : null) },
        }),
        {
          tooltip: {
            callbacks: {
              title: ([item]) => `${shareName(item.parsed.x)} take longer than`,
              label: (item) => `${timeText(item.parsed.y)}: ${item.dataset.label}`,
            },
          },
        },
      ),
    }));
  };
  select.addEventListener("change", drawIt);
  narrow.addEventListener("change", drawIt);
  const short = latest(DATA.latencies.filter((each) => each.in_kea));
  narrow.parentElement.hidden = DATA.latencies.length === short.length;
  redrawn(drawIt);
  tableBehind("table-latency", [
    "store", "work", "a power cut loses",
    ...["p50", "p95", "p99", "p99.9", "p99.99"].map((text) => ({ text, number: true })),
  ], () => DATA.latencies.map((each) => [
    each.name,
    WORK_NAMES[each.work] || each.work,
    each.loss,
    ...[0, 1, 2, 3, 4].map((i) => {
      const [, ns] = each.quantiles[i] || [];
      return ns ? { text: timeText(ns / 1e9), value: ns } : null;
    }),
  ]));
}

// Of names that differ in their version only, the one with the newest version.
function latest(rows) {
  const best = new Map();
  for (const each of rows) {
    const version = (/\d+(\.\d+)+/.exec(each.name) || ["0"])[0];
    const key = `${each.name.replace(version, "")}|${each.work}|${each.loss}`;
    const known = best.get(key);
    if (!known || compareVersions(version, known.version) > 0) best.set(key, { version, each });
  }
  return [...best.values()].map(({ each }) => each);
}

// ---- Threads

function startThreads() {
  if (!document.getElementById("canvas-threads")) return;
  const select = document.getElementById("threads-file");
  const files = [...new Set(DATA.threads.map((each) => each.file))];
  const size = (file) => DATA.threads.filter((each) => each.file === file)
    .reduce((sum, each) => sum + (each.server ? 0 : each.points.length), 0);
  files.sort((a, b) => size(b) - size(a));
  fillSelect(select, files.map((file) => [file, file]));
  select.parentElement.hidden = files.length === 1;
  const label = (each) => {
    const work = WORK_NAMES[each.exchange] || each.exchange;
    return `${each.name}${each.server ? ", whole Kea" : ""}, ${work}`;
  };
  const described = (each) => {
    const points = each.points.map(([count, rate]) => `${count}: ${figure(rate)}/s`);
    return `${label(each)}: ${points.join(", ")}`;
  };
  const drawIt = () => {
    const rows = DATA.threads.filter((each) => each.file === select.value);
    const names = rows.map(label);
    document.getElementById("canvas-threads").setAttribute(
      "aria-label",
      `Rate by number of threads. ${rows.map(described).join("; ")}`,
    );
    const all = rows.flatMap((each) => each.points.map(([, rate]) => rate));
    const isWide = Math.max(...all) > 20 * Math.min(...all);
    const looks = styles(rows);
    const legendLines = isNarrow() ? rows.length : Math.ceil(rows.length / 2);
    draw("canvas-threads", 340 + legendLines * 22, () => ({
      type: "line",
      data: {
        datasets: rows.map((each, i) => ({
          label: names[i],
          data: each.points.map(([x, y]) => ({ x, y })),
          ...looks[i],
        })),
      },
      options: lineOptions(
        axis("threads", {
          type: "logarithmic",
          afterBuildTicks: (scale) => {
            const counts = [1, 2, 4, 8, 16, 32, 64].filter((count) => count <= scale.max);
            scale.ticks = counts.map((value) => ({ value }));
          },
          ticks: { callback: (value) => String(value) },
        }),
        axis("per second", isWide
          ? { type: "logarithmic", ticks: { callback: roundFigure } }
          : { min: 0, ticks: { callback: figure } }),
        {
          tooltip: {
            callbacks: {
              title: ([item]) => `${item.parsed.x} threads`,
              label: (item) => `${figure(item.parsed.y)}/s: ${item.dataset.label}`,
            },
          },
        },
      ),
    }));
  };
  select.addEventListener("change", drawIt);
  redrawn(drawIt);
  tableBehind("table-threads", [
    "store", "exchange", { text: "threads", number: true },
    { text: "per second", number: true }, "file",
  ], () => DATA.threads.flatMap((each) => each.points.map(([threads, rate]) => [
    label(each), each.exchange, threads, { text: figure(rate), value: rate }, each.file,
  ])));
}

// ---- Whole servers

const COMMANDS = {
  seconds: "one of a pair is killed",
  expire: "leases expire",
  lfc: "the lease file is cleaned up",
  storm: "all clients start at once",
};

function startSeconds() {
  const select = document.getElementById("seconds-of");
  if (!select) return;
  const rows = DATA.seconds;
  fillSelect(select, rows.map((each, i) => [
    String(i),
    `${COMMANDS[each.command] || each.command}: ${each.name} (${each.begun.slice(0, 10)})`,
  ]));
  const drawIt = () => {
    const each = rows[Number(select.value)];
    const silent = each.granted.filter((granted, i) => granted === 0 && each.asked[i] > 0).length;
    const text = silent === 0
      ? "Leases were granted in every second."
      : `No lease was granted in ${silent} of ${each.asked.length} seconds.`;
    document.getElementById("seconds-text").textContent = text;
    document.getElementById("canvas-seconds").setAttribute(
      "aria-label",
      `${each.name}: requests and granted leases in each second. ${text}`,
    );
    draw("canvas-seconds", 340, () => ({
      type: "line",
      data: {
        labels: each.asked.map((_, i) => i + 1),
        datasets: [
          {
            label: "clients that asked",
            data: each.asked,
            borderColor: style("muted"),
            backgroundColor: style("muted"),
            borderDash: [5, 4],
            stepped: true,
            pointRadius: 0,
          },
          {
            label: "leases granted",
            data: each.granted,
            borderColor: style("loss-nothing"),
            backgroundColor: style("fill"),
            fill: "origin",
            stepped: true,
            pointRadius: 0,
          },
        ],
      },
      options: {
        interaction: { mode: "index", intersect: false },
        scales: {
          x: axis("second", { ticks: { maxRotation: 0, autoSkipPadding: 16 } }),
          y: axis("per second", { beginAtZero: true }),
        },
        plugins: { legend: legend() },
      },
    }));
  };
  select.addEventListener("change", drawIt);
  redrawn(drawIt);
  tableBehind("table-seconds", [
    "server", "event", { text: "second", number: true }, { text: "asked", number: true },
    { text: "granted", number: true }, "source",
  ], () => rows.flatMap((each) => each.asked.map((asked, i) => [
    each.name, COMMANDS[each.command] || each.command, i + 1, asked, each.granted[i], each.source,
  ])));
}

const MOST_LOST = 0.2; // above it, how much is lost tells nothing

function lostText(value) {
  if (value > 100 * MOST_LOST) return null;
  return value === 100 * MOST_LOST ? `${value} % or more` : `${value} %`;
}

function startSearches() {
  const select = document.getElementById("search-family");
  if (!select) return;
  const families = ["DHCPv4", "DHCPv6"].filter((family) =>
    DATA.searches.some((each) => each.name.includes(family)));
  fillSelect(select, families.map((family) => [family, family]));
  const drawIt = () => {
    const rows = DATA.searches.filter((each) => each.name.includes(select.value));
    const names = [...new Set(rows.map((each) => each.name))].sort();
    const series = names.map((name) => {
      const members = rows.filter((each) => each.name === name);
      const rates = members.map((each) => each.rate).filter((rate) => rate !== null);
      const found = rates.length ? ` (${rates.map(figure).join(", ")}/s)` : "";
      return {
        name: name.replace(`, ${select.value}`, "") + found,
        store: members[0].store,
        trials: members.flatMap((each) => each.trials),
      };
    });
    const limit = (rows.find((each) => each.limit) || {}).limit;
    const offered = rows.flatMap((each) => each.trials.map(([rate]) => rate));
    document.getElementById("canvas-search").setAttribute(
      "aria-label",
      "Share of clients without an answer by offered rate. Rates at which the servers kept up: " +
        series.map((each) => each.name).join("; "),
    );
    const looks = styles(series);
    const legendLines = isNarrow() ? series.length : Math.ceil(series.length / 2);
    const ends = [Math.min(...offered), Math.max(...offered)];
    draw("canvas-search", 360 + legendLines * 22, () => ({
      type: "line",
      data: {
        datasets: [
          ...series.map((each, i) => ({
            label: each.name,
            data: each.trials.map(([x, lost]) => ({ x, y: 100 * Math.min(lost, MOST_LOST), lost })),
            ...looks[i],
            showLine: false,
            pointRadius: 5,
          })),
          ...(limit ? [{
            label: `limit of the search: ${figure(100 * limit)} %`,
            data: ends.map((x) => ({ x, y: 100 * limit, lost: limit })),
            borderColor: style("need"),
            backgroundColor: style("need"),
            borderWidth: 2,
            borderDash: [4, 4],
            pointRadius: 0,
            pointStyle: "line",
          }] : []),
        ],
      },
      options: lineOptions(
        axis("clients that asked, per second", {
          type: "logarithmic",
          ticks: { callback: (value) => (isRound(value) ? figure(value) : null), maxRotation: 0 },
        }),
        axis("without an answer in time", {
          min: 0,
          max: 100 * MOST_LOST + 1,
          ticks: { stepSize: 5, callback: lostText },
        }),
        {
          tooltip: {
            callbacks: {
              title: ([item]) => `${figure(item.parsed.x)} clients/s`,
              label: (item) => `${figure(100 * item.raw.lost)} % lost: ${item.dataset.label}`,
            },
          },
        },
      ),
    }));
  };
  select.addEventListener("change", drawIt);
  redrawn(drawIt);
  tableBehind("table-search", [
    "server", { text: "asked per second", number: true }, { text: "lost", number: true },
    { text: "result: leases/s", number: true }, "source",
  ], () => DATA.searches.flatMap((each) => each.trials.map(([rate, lost]) => [
    each.name,
    { text: figure(rate), value: rate },
    { text: `${figure(100 * lost)} %`, value: lost },
    each.rate === null ? null : { text: figure(each.rate), value: each.rate },
    each.source,
  ])));
}

// ---- Crashes

const CLASS_COLOURS = {
  "power-safe": "loss-nothing",
  bounded: "loss-latest",
  "process-safe": "loss-any",
  volatile: "loss-any",
};

const CRASHED_STORES = { memfile: "memfile", sqlite: "SQLite", mysql: "", pgsql: "" };

// "MariaDB 10.11.19 flush 2" of the cell "mysql flush 2".
function crashName(each) {
  const product = each.product.replace(/[(,].*$/, "").trim();
  const rest = each.name.replace(new RegExp(`^${each.store} `), "");
  const setting = each.store === "pgsql" ? rest.replace(/^(on|off)\b/, "sync $1") : rest;
  const known = product || CRASHED_STORES[each.store] || each.store;
  const lead = each.store === "memfile" ? "memfile," : known;
  const control = each.control ? " (syncs disabled on purpose)" : "";
  return `${lead} ${setting}${control}`;
}

function crashText(each) {
  const window = each.lossy && each.window_s ? `: the last ${timeText(each.window_s)}` : "";
  return `${each.lossy} of ${each.crashes}${isNarrow() ? "" : window}`;
}

// What Kea's memfile loses, as it writes without syncing.
function crashSentence(rows) {
  const written = rows.find((each) => each.store === "memfile" && each.name === "memfile write");
  if (!written) return "";
  const slow = rows.find((each) => each.name === "memfile write, 500/s");
  const window = slow && slow.window_s
    ? ` At 500 changes/s the crash lost those of the last ${timeText(slow.window_s)}.` : "";
  return `A memfile that is written but not synced, as Kea does it, lost acknowledged changes in ` +
    `${written.lossy} of ${written.crashes} crashes of this kind.${window}`;
}

function startCrashes() {
  const select = document.getElementById("crash-level");
  if (!select) return;
  const levels = new Map(DATA.crashes.map((each) => [each.level, each.cause]));
  fillSelect(select, [...levels]);
  if (levels.has("2")) select.value = "2";
  const all = document.getElementById("crash-all");
  let isWhole = false;
  const drawIt = () => {
    const ofLevel = DATA.crashes.filter((each) => each.level === select.value);
    ofLevel.sort((a, b) => b.lossy / b.crashes - a.lossy / a.crashes || b.crashes - a.crashes);
    const lossy = ofLevel.filter((each) => each.lossy);
    const kept = ofLevel.filter((each) => !each.lossy);
    const room = Math.max(MOST_ROWS - lossy.length, 8);
    const rows = isWhole ? ofLevel : [...lossy.slice(0, MOST_ROWS - 8), ...kept.slice(0, room)];
    all.hidden = rows.length === ofLevel.length;
    all.textContent = `Show all ${ofLevel.length}`;
    const labels = rows.map((each) =>
      wrapped(`${crashName(each)}, ${each.class || "class not known"}`, isNarrow() ? 22 : 44));
    const lines = labels.reduce((sum, label) => sum + Math.max(label.length, 1.3), 0);
    const text = crashText;
    document.getElementById("crash-text").textContent = crashSentence(ofLevel);
    document.getElementById("canvas-crash").setAttribute(
      "aria-label",
      `Crashes that lost acknowledged changes, ${levels.get(select.value)}: ` +
        rows.map((each) => `${crashName(each)}: ${text(each)}`).join("; "),
    );
    draw("canvas-crash", lines * ROW + rows.length * 6 + 70, () => ({
      type: "bar",
      data: {
        labels,
        datasets: [{
          data: rows.map((each) => (100 * each.lossy) / each.crashes),
          backgroundColor: rows.map((each) =>
            style((!each.control && CLASS_COLOURS[each.class]) || "muted")),
          maxBarThickness: 18,
        }],
      },
      options: {
        indexAxis: "y",
        scales: {
          x: axis("crashes that lost acknowledged changes", {
            min: 0, max: isNarrow() ? 150 : 135,
            ticks: {
              stepSize: 20,
              callback: (value) => (value <= 100 && value % 20 === 0 ? `${value} %` : null),
            },
          }),
          y: labelAxis(isNarrow() ? 150 : 310),
        },
        plugins: {
          legend: { display: false },
          tooltip: {
            callbacks: {
              title: ([item]) => crashName(rows[item.dataIndex]),
              label: (item) => {
                const each = rows[item.dataIndex];
                return [
                  `${text(each)} crashes lost something`,
                  `at most ${figure(100 * each.bound)} % (95 % confidence)`,
                  each.class,
                ];
              },
            },
          },
          marks: {
            intervals: rows.map((each) => [(100 * each.lossy) / each.crashes, 100 * each.bound]),
            texts: rows.map(text),
            onBars: true,
          },
        },
      },
    }));
  };
  select.addEventListener("change", drawIt);
  all.addEventListener("click", () => {
    isWhole = true;
    drawIt();
  });
  redrawn(drawIt);
  tableBehind("table-crash", [
    "configuration", "class", "crash", { text: "lost", number: true },
    { text: "crashes", number: true }, { text: "at most", number: true },
    { text: "median window", number: true }, "settings",
  ], () => DATA.crashes.map((each) => [
    crashName(each), each.class, each.cause, each.lossy, each.crashes,
    { text: `${figure(100 * each.bound)} %`, value: each.bound },
    each.window_s ? { text: timeText(each.window_s), value: each.window_s } : null, each.settings,
  ]));
}

// ---- All results

function startResults() {
  tableBehind("table-results", [
    "configuration", "class", "work", { text: "per second", number: true }, "begun", "settings",
    "warnings", "source",
  ], () => DATA.results.map((each) => {
    const rates = Object.entries(each.rates);
    const texts = rates.map(([name, rate]) =>
      rates.length > 1 ? `${name} ${figure(rate)}` : figure(rate));
    const text = texts.join(", ") || "n/a";
    return [
      each.name, each.class, each.work, { text, value: rates.length ? rates[0][1] : null },
      each.begun, each.settings, each.warned, each.source,
    ];
  }));
}

startRatios();
startLatencies();
startThreads();
startSeconds();
startSearches();
startCrashes();
startResults();
setTimeout(drawWaiting);
