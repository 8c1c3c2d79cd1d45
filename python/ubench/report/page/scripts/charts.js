// SPDX-License-Identifier: ISC
// The charts of latencies and threads, and what all charts share.
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

// How long half of the requests take, and the longest that the most stores have.
function latencyClaim(rows) {
  const timeOf = (share) => (each) => {
    const found = each.quantiles.find(([own]) => own === share);
    return found ? found[1] / 1e9 : null;
  };
  const rare = [0.001, 0.01, 0.05].find((share) => rows.every((each) => timeOf(share)(each)));
  const half = `Half are done within ${fromTo(rows, timeOf(0.5), timeText)}.`;
  if (!rare) return half;
  return `${half} ${shareName(1 / rare)} take longer than ` +
    `${fromTo(rows, timeOf(rare), timeText)}.`;
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
    claim("latency", latencyClaim(rows));
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
    const gain = (each) => each.points[each.points.length - 1][1] / each.points[0][1];
    const counts = rows.flatMap((each) => each.points.map(([count]) => count));
    claim("threads", `From ${Math.min(...counts)} to ${Math.max(...counts)} threads the rate is ` +
      `multiplied by ${fromTo(rows, gain, (value) => value.toFixed(2), label)}.`);
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
