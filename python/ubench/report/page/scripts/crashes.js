// SPDX-License-Identifier: ISC
// The chart of crashes: how many of them lost something.
"use strict";

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
  return `${each.lossy} of ${each.crashes}${window}`;
}

// What stores lost that are safe by their settings.
function safeSentence(rows) {
  const safe = rows.filter((each) => each.class === "power-safe" && !each.control);
  const sum = (name) => safe.reduce((total, each) => total + each[name], 0);
  if (!safe.length) return "";
  return `With power-safe settings ${sum("lossy")} of ${grouped(String(sum("crashes")))} crashes ` +
    "lost an acknowledged change.";
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
    const most = isNarrow() ? 26 : MOST_ROWS;
    const room = Math.max(most - lossy.length, 8);
    const rows = isWhole ? ofLevel : [...lossy.slice(0, most - 8), ...kept.slice(0, room)];
    all.hidden = rows.length === ofLevel.length;
    all.textContent = `Show all ${ofLevel.length}`;
    const names = rows.map((each) => `${crashName(each)}, ${each.class || "class not known"}`);
    const rowsAt = rowLabels(names, 310, 44);
    const text = crashText;
    claim("crash", safeSentence(ofLevel));
    document.getElementById("crash-text").textContent = crashSentence(ofLevel);
    document.getElementById("canvas-crash").setAttribute(
      "aria-label",
      `Crashes that lost acknowledged changes, ${levels.get(select.value)}: ` +
        rows.map((each) => `${crashName(each)}: ${text(each)}`).join("; "),
    );
    draw("canvas-crash", rowsAt.height + 70, () => ({
      type: "bar",
      data: {
        labels: rowsAt.labels,
        datasets: [{
          data: rows.map((each) => (100 * each.lossy) / each.crashes),
          backgroundColor: rows.map((each) =>
            style((!each.control && CLASS_COLOURS[each.class]) || "muted")),
          maxBarThickness: 18,
        }],
      },
      options: {
        indexAxis: "y",
        layout: { padding: { top: rowsAt.top - 16 } },
        scales: {
          x: axis("crashes that lost acknowledged changes", {
            min: 0, max: isNarrow() ? 150 : 135,
            ticks: {
              stepSize: 20,
              callback: (value) => (value <= 100 && value % 20 === 0 ? `${value} %` : null),
            },
          }),
          y: rowsAt.axis,
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
            top: rowsAt.top - 16,
            above: rowsAt.above,
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
