// SPDX-License-Identifier: ISC
// The charts of ratios of duels and of the answer: which store is faster, and settings.
"use strict";

// "1.29× (1.24 to 1.35, of 2)": the interval of one comparison, the range of several.
function ratioText(each) {
  const count = each.count > 1 ? `, of ${each.count}` : "";
  const ends = `(${each.low.toFixed(2)} to ${each.high.toFixed(2)}${count})`;
  if (!each.shown) return isNarrow() ? `no difference shown ${ends}` : "no difference shown";
  return `${each.ratio.toFixed(2)}× ${ends}`;
}

// "0.951 to 1.002" of the ends of an interval.
function range(ends) {
  return ends.map((end) => end.toFixed(3)).join(" to ");
}

function ratioColour(each) {
  if (!each.shown) return style("muted");
  return style(each.ratio > 1 ? "faster" : "slower");
}

function ratioTicks(low, high, isSmall) {
  const all = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000,
  ];
  const inside = all.filter((value) => value >= low && value <= high);
  const step = isSmall ? Math.ceil(inside.length / 5) : 1;
  const middle = inside.indexOf(1);
  return inside.filter((_, i) => (i - middle) % step === 0);
}

// Dots of ratios with their intervals. Small charts have the labels above the dots.
function drawRatios(canvas, rows, title, { isAbove = isNarrow(), textOf = ratioText } = {}) {
  const rowsAt = rowLabels(rows.map((each) => each.label), 310, 46, isAbove);
  const ends = rows.flatMap((each) => [each.low, each.high, ...(each.null || [])]);
  const low = Math.min(0.9, ...ends) / 1.05;
  const room = (Math.max(1.15, ...ends) / low) ** (isAbove ? 0.9 : 0.45);
  const high = Math.max(1.15, ...ends) * room;
  draw(canvas, rowsAt.height + 70, () => ({
    type: "bar",
    data: {
      labels: rowsAt.labels,
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
      layout: { padding: { top: rowsAt.top } },
      scales: {
        x: axis(title, {
          type: "logarithmic",
          min: low,
          max: high,
          afterBuildTicks: (scale) => {
            scale.ticks = ratioTicks(low, high, isAbove).map((value) => ({ value }));
          },
          ticks: { callback: (value) => `${value}×`, maxRotation: 0, autoSkip: false },
        }),
        y: rowsAt.axis,
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: ([item]) => rows[item.dataIndex].label,
            label: (item) => {
              const each = rows[item.dataIndex];
              const ends = range([each.low, each.high]);
              return [
                each.count > 1
                  ? `${each.ratio.toFixed(3)}× (median of ${each.count} comparisons: ${ends})`
                  : `${each.ratio.toFixed(3)}× (95 % interval ${ends})`,
                each.count > 1 ? `${each.agreeing} of them show the difference` : "",
                each.null ? `noise of the machine: ${range(each.null)}` : "",
                each.shown ? "" : "no difference shown",
              ].filter(Boolean);
            },
          },
        },
        marks: {
          half: 9,
          top: rowsAt.top,
          above: rowsAt.above,
          bands: rows.map((each) => each.null),
          lines: [{ x: 1, text: "same speed", colour: "ink" }],
          dots: rows.map((each) => ({ x: each.ratio, colour: ratioColour(each) })),
          texts: rows.map(textOf),
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
const PRICES = {
  latest: "a power cut then loses about the last second",
  "latest, or kill": "a power cut, or a kill of the server, then loses about the last second",
  any: "a power cut can then lose any number of recent leases",
  "any, or kill": "a power cut or a kill can then lose any number of recent leases",
};

// What the settings bring that most readers ask for, with their price.
function settingFindings() {
  const lines = [];
  for (const change of KEY_CHANGES) {
    const rows = DATA.ratios.filter((each) => each.change.startsWith(`${change}|`));
    for (const product of new Set(rows.map((each) => each.change.split("|")[1]))) {
      const own = rows.filter((each) => each.change === `${change}|${product}`);
      const claim = `${change} makes ${product} ${span(own.map((each) => each.ratio))}`;
      const price = PRICES[DATA.summaries.find(
        (each) => each.change === own[0].change && each.price,
      )?.price];
      lines.push(sentence(
        strong(`${claim} times as fast`),
        ...(price ? ["; ", strong(price)] : []),
        ` (${certainty(own)}).`,
      ));
    }
  }
  return lines;
}

// How Kea's stores compare that lose nothing, each pair by all of its comparisons.
function storeFindings() {
  const [equal] = DATA.contests;
  const rows = DATA.ratios.filter((each) => each.question === equal);
  return [...new Set(rows.map((each) => each.change))].map((change) => {
    const own = rows.filter((each) => each.change === change);
    const [first, second] = change.split(" against ");
    const ratios = span(own.map((each) => each.ratio));
    return sentence(
      strong(`${first} is ${ratios} times as fast as ${second}`),
      ` (${certainty(own)}).`,
    );
  });
}

// How many comparisons show a difference, and the largest of them.
function questionClaim(rows) {
  const shown = rows.filter((each) => each.shown);
  if (!shown.length) return "No difference is shown.";
  const effect = (each) => Math.abs(Math.log(each.ratio));
  const [largest] = [...shown].sort((a, b) => effect(b) - effect(a));
  const text = `${largest.label}: ${figure(largest.ratio)} times as fast.`;
  if (rows.length === 1) return text;
  return `${shown.length} of ${rows.length} show a difference. The largest: ${text}`;
}

// A chart of the summaries of a question, and a button for all of its comparisons.
function addRatioChart(holder, question, number) {
  const every = DATA.ratios.filter((each) => each.question === question);
  const short = DATA.summaries.filter((each) => each.question === question);
  const title = DATA.contests.includes(question)
    ? "speed of the first store, as a multiple of the other"
    : "speed after the change, as a multiple of that before";
  const id = `canvas-ratio-${number}`;
  const canvas = make("canvas", { id, role: "img" });
  const more = make("button", { type: "button", class: "more", "aria-expanded": "false" });
  holder.append(make(
    "figure", {}, make("h3", {}, question), make("p", { class: "claim" }, questionClaim(short)),
    make("div", { class: "canvas" }, canvas), more,
  ));
  let isWhole = false;
  more.hidden = every.length === short.length;
  const drawIt = () => {
    const rows = isWhole ? every : short;
    more.textContent = isWhole ? "Show each question once" : `Show all ${every.length} comparisons`;
    more.setAttribute("aria-expanded", String(isWhole));
    canvas.setAttribute(
      "aria-label",
      `${question} ${rows.map((each) => `${each.label}: ${ratioText(each)}`).join("; ")}`,
    );
    drawRatios(id, rows, title);
  };
  more.addEventListener("click", () => {
    isWhole = !isWhole;
    drawIt();
  });
  redrawn(drawIt);
}

function startRatios() {
  const questions = [...new Set(DATA.ratios.map((each) => each.question))];
  const isContest = (question) => DATA.contests.includes(question);
  questions.forEach((question, number) => {
    const holder = document.getElementById(isContest(question) ? "store-charts" : "ratio-charts");
    addRatioChart(holder, question, number);
  });
  startRatioPart("stores", storeFindings, questions.filter(isContest));
  startRatioPart("ratios", settingFindings, questions.filter((each) => !isContest(each)));
}

// The sentences and the table of a section.
function startRatioPart(name, findings, questions) {
  const section = document.getElementById(name);
  if (!section) return;
  section.querySelector(".findings").replaceChildren(...findings());
  const rows = DATA.ratios.filter((each) => questions.includes(each.question));
  tableBehind(`table-${name}`, [
    "question", "change", { text: "ratio", number: true }, { text: "95 % interval", number: true },
    { text: "A against A", number: true }, "verdict", "begun", { text: "blocks", number: true },
    "source",
  ], () => rows.map((each) => [
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
