// SPDX-License-Identifier: ISC
// The chart of what a setting is worth: ratios of duels and of the answer.
"use strict";

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
