// SPDX-License-Identifier: ISC
// What all charts share: numbers as text, elements, sortable tables, marks beside bars, colours.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const UNITS = { ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86400 };
const charts = [];

// ---- Numbers

function grouped(text) {
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

// Three significant digits: "0.463", "1,560".
function figure(value) {
  if (value === 0) return "0";
  if (value < 0.001) return "<0.001";
  if (value < 999.5) return String(Number(value.toPrecision(3)));
  const step = 10 ** (Math.floor(Math.log10(value)) - 2);
  return grouped(String(Math.round(Math.round(value / step) * step)));
}

function timeText(seconds) {
  const [name, size] = Object.entries({ ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1 })
    .reverse()
    .find(([, unit]) => seconds >= 0.9995 * unit) || ["ns", 1e-9];
  return `${figure(seconds / size)} ${name}`;
}

// "2h", "90s", "1.5ms", or a number of seconds; null for anything else.
function scanTime(text) {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-zµ]*)\s*$/.exec(text);
  if (!match || (match[2] && !(match[2] in UNITS))) return null;
  return Number(match[1]) * (match[2] ? UNITS[match[2]] : 1);
}

function times(value) {
  return `${value < 10 ? value.toPrecision(2) : figure(value)}×`;
}

// ---- Elements

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A table whose columns can be sorted. Cells are texts, or {text, value} to sort by the value.
function fillTable(holder, heads, rows) {
  holder.replaceChildren();
  const body = make("tbody");
  const table = make("table", {}, make("caption", {}, holder.dataset.caption));
  const buttons = heads.map((head, column) => {
    const button = make("button", { type: "button" }, head.text || head);
    button.addEventListener("click", () => sortBy(column));
    return make("th", { scope: "col", class: head.number ? "number" : "" }, button);
  });
  const valueOf = (cell) => (cell !== null && typeof cell === "object" ? cell.value : cell);
  const textOf = (cell) => (cell !== null && typeof cell === "object" ? cell.text : cell ?? "n/a");

  function show(ordered) {
    body.replaceChildren(
      ...ordered.map((row) => {
        const cells = row.map((cell, column) => {
          const name = column === 0 ? "th" : "td";
          const attributes = { class: heads[column].number ? "number" : "" };
          if (column === 0) attributes.scope = "row";
          return make(name, attributes, String(textOf(cell)));
        });
        return make("tr", {}, ...cells);
      }),
    );
  }

  function sortBy(column) {
    const head = buttons[column];
    const rising = head.getAttribute("aria-sort") !== "ascending";
    for (const each of buttons) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const sign = rising ? 1 : -1;
    const sorted = [...rows].sort((a, b) => {
      const [x, y] = [valueOf(a[column]), valueOf(b[column])];
      if (x === y) return 0;
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      if (typeof x === "number" && typeof y === "number") return sign * (x - y);
      return sign * String(x).localeCompare(String(y), "en", { numeric: true });
    });
    show(sorted);
  }

  show(rows);
  table.append(make("thead", {}, make("tr", {}, ...buttons)), body);
  holder.append(table);
}

// The table is made when its details are opened for the first time, and again when data change.
function tableBehind(id, heads, rowsOf) {
  const details = document.getElementById(id);
  if (!details) return () => {};
  const holder = details.querySelector(".table");
  let stale = true;
  const update = () => {
    if (details.open && stale) fillTable(holder, heads, rowsOf());
    stale = !details.open && stale;
  };
  details.addEventListener("toggle", update);
  return () => {
    stale = true;
    update();
  };
}

// The sentence above a chart that says what it shows.
function claim(name, text) {
  document.getElementById(`claim-${name}`).textContent = text;
}

// "A (1.2) to B (3.4)" of the rows with the least and the greatest value; "A (1.2)" of one row.
function fromTo(rows, valueOf, textOf, nameOf = (row) => row.name) {
  const known = rows.filter((row) => valueOf(row) !== null);
  known.sort((a, b) => valueOf(a) - valueOf(b));
  const texts = [known[0], known[known.length - 1]].map(
    (row) => `${textOf(valueOf(row))} (${nameOf(row)})`,
  );
  return known.length === 1 ? texts[0] : texts.join(" to ");
}

function fillSelect(select, options) {
  select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
}

// ---- Colours

const LOSS_GROUPS = [
  { name: "nothing", losses: ["nothing"], title: "A power cut loses nothing" },
  {
    name: "latest",
    losses: ["latest", "latest, or kill"],
    title: "A power cut loses about the last second",
  },
  {
    name: "any",
    losses: ["any", "any, or kill"],
    title: "A power cut can lose any number of recent leases",
  },
  {
    name: "unknown",
    losses: ["unknown"],
    title: "Published by others: what a power cut loses is not known",
  },
];

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function lossColour(loss) {
  return style(`loss-${LOSS_GROUPS.find((group) => group.losses.includes(loss)).name}`);
}

function isDark() {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function storeColour(store) {
  return (DATA.colours[store] || DATA.colours.other)[isDark() ? "dark" : "light"];
}

// ---- Charts

function isNarrow() {
  return document.documentElement.clientWidth < 700;
}

// A label in lines that fit beside the bars.
function wrapped(text, width = isNarrow() ? 22 : 42) {
  const lines = [];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    if (last >= 0 && `${lines[last]} ${word}`.length <= width) lines[last] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}

// Where the labels of bars are: beside them, or above each, as on narrow screens.
function rowLabels(texts, width, letters, isAbove = isNarrow()) {
  const labels = texts.map((text) => wrapped(text, isAbove ? 48 : letters));
  const most = Math.max(1, ...labels.map((label) => label.length));
  const lines = labels.reduce((sum, label) => sum + Math.max(label.length, 1.3), 0);
  return {
    labels,
    height: isAbove ? labels.length * (most * 15 + 26) : lines * 17 + labels.length * 6,
    axis: isAbove ? { display: false, grid: { display: false } } : labelAxis(width),
    above: isAbove ? labels : null,
    top: isAbove ? 16 + most * 7 : 16,
  };
}

// Writes text that lines do not strike through.
function writeOver(ctx, text, x, y) {
  ctx.lineWidth = 4;
  ctx.lineJoin = "round";
  ctx.strokeStyle = style("page");
  ctx.strokeText(text, x, y);
  ctx.fillStyle = style("ink");
  ctx.fillText(text, x, y);
}

// Where a text of that width begins, at `left` or further right, so that no line goes through it.
function clearOf(lines, left, width) {
  const gap = 6;
  return [...lines].sort((a, b) => a - b).reduce(
    (at, x) => (x > at - gap && x < at + width + gap ? x + gap : at), left,
  );
}

// The parts of a vertical line that labels above the bars do not reach, as [top, bottom].
function partsBeside(ctx, x, bars, labels, chartArea) {
  const parts = [];
  let top = chartArea.top;
  bars.forEach((bar, row) => {
    const lines = (labels && labels[row]) || [];
    const width = Math.max(0, ...lines.map((text) => ctx.measureText(text).width));
    if (!lines.length || chartArea.left + width + 6 < x) return;
    parts.push([top, bar.y - 25 - 14 * (lines.length - 1)]);
    top = bar.y - 9;
  });
  return [...parts, [top, chartArea.bottom]].filter(([from, to]) => to > from);
}

// Draws vertical lines, bands, intervals and texts that Chart.js has not. All are in data units.
const marks = {
  id: "marks",
  beforeDatasetsDraw(chart, _, options) {
    const { ctx, scales } = chart;
    const bars = chart.getDatasetMeta(0).data;
    ctx.save();
    (options.bands || []).forEach((band, row) => {
      if (!band || !bars[row]) return;
      const [left, right] = band.map((value) => scales.x.getPixelForValue(value));
      ctx.fillStyle = style("band");
      ctx.fillRect(left, bars[row].y - options.half, right - left, 2 * options.half);
    });
    ctx.restore();
  },
  afterDatasetsDraw(chart, _, options) {
    const { ctx, scales, chartArea } = chart;
    const bars = chart.getDatasetMeta(0).data;
    ctx.save();
    ctx.font = "12px system-ui, sans-serif";
    for (const line of options.lines || []) {
      const x = scales.x.getPixelForValue(line.x);
      ctx.strokeStyle = style(line.colour || "ink");
      ctx.lineWidth = line.width || 1.5;
      ctx.setLineDash(line.dash || []);
      ctx.beginPath();
      for (const [top, bottom] of partsBeside(ctx, x, bars, options.above, chartArea)) {
        ctx.moveTo(x, top);
        ctx.lineTo(x, bottom);
      }
      ctx.stroke();
      if (line.text) {
        ctx.fillStyle = style(line.colour || "ink");
        const isFar = x > (chartArea.left + chartArea.right) / 2;
        ctx.textAlign = line.side === "left" || isFar ? "right" : "left";
        const y = chartArea.top - (options.top || 16) + 11;
        ctx.fillText(line.text, x + (ctx.textAlign === "left" ? 4 : -4), y);
      }
    }
    ctx.setLineDash([]);
    bars.forEach((bar, row) => {
      const lines = (options.above && options.above[row]) || [];
      ctx.textAlign = "left";
      lines.forEach((text, i) => {
        writeOver(ctx, text, chartArea.left, bar.y - 13 - 14 * (lines.length - 1 - i));
      });
      const [interval, dot, text] = [options.intervals, options.dots, options.texts].map(
        (list) => list && list[row],
      );
      const band = options.bands && options.bands[row];
      const edges = [...(band || []), ...(options.bands ? [1] : [])];
      let right = Math.max(bar.x, ...edges.map((value) => scales.x.getPixelForValue(value)));
      if (interval) {
        const [low, high] = interval.map((value) => scales.x.getPixelForValue(value));
        ctx.strokeStyle = style("ink");
        ctx.lineWidth = 1.5;
        ctx.beginPath();
        ctx.moveTo(low, bar.y);
        ctx.lineTo(high, bar.y);
        for (const end of [low, high]) {
          ctx.moveTo(end, bar.y - 4);
          ctx.lineTo(end, bar.y + 4);
        }
        ctx.stroke();
        right = Math.max(right, high);
      }
      if (dot) {
        ctx.fillStyle = dot.colour;
        ctx.beginPath();
        ctx.arc(scales.x.getPixelForValue(dot.x), bar.y, 5, 0, 2 * Math.PI);
        ctx.fill();
      }
      if (text) {
        const width = ctx.measureText(text).width;
        const at = clearOf(
          (options.lines || []).map((line) => scales.x.getPixelForValue(line.x)), right + 8, width,
        );
        const fits = at + width <= chart.width;
        ctx.textAlign = fits ? "left" : "right";
        if (fits) writeOver(ctx, text, at, bar.y + 4);
        else if (options.onBars) {
          ctx.fillStyle = style("on-bar");
          const low = interval ? scales.x.getPixelForValue(interval[0]) : right;
          ctx.fillText(text, Math.min(bar.x, right, low) - 8, bar.y + 4);
        } else {
          writeOver(ctx, text, Math.min(bar.x, bar.base) - 8, bar.y + 4);
        }
      }
    });
    ctx.restore();
  },
};

function axis(title, more = {}) {
  const { ticks, ...rest } = more;
  return {
    title: { display: Boolean(title), text: title, color: style("ink") },
    grid: { color: style("grid"), borderColor: style("grid") },
    ticks: { color: style("ink"), ...ticks },
    ...rest,
  };
}

// The axis of the labels of bars, as wide as that of other charts.
function labelAxis(width) {
  return axis("", {
    grid: { display: false },
    ticks: { autoSkip: false },
    afterFit: (scale) => {
      scale.width = width;
    },
  });
}

// Puts a chart on a canvas that may have one. `height` is in pixels.
function draw(id, height, makeConfig) {
  const canvas = document.getElementById(id);
  if (!canvas) return;
  const known = charts.find((each) => each.id === id);
  if (known) known.chart.destroy();
  const entry = known || { id };
  entry.height = height;
  entry.makeConfig = makeConfig;
  canvas.parentElement.style.height = `${height}px`;
  const config = makeConfig();
  config.options = {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    ...config.options,
  };
  config.plugins = [marks, ...(config.plugins || [])];
  entry.chart = new Chart(canvas, config);
  if (!known) charts.push(entry);
}

function legend(more = {}) {
  return {
    position: "bottom",
    labels: { color: style("ink"), usePointStyle: true, boxWidth: 14, boxHeight: 7, padding: 10 },
    ...more,
  };
}

const redraws = [];
const waiting = [];

// Calls a function soon, and again when the theme or the width class changes. The first chart is
// drawn at once, the others one after the other when the browser has time.
function redrawn(drawAll, atOnce = false) {
  redraws.push(drawAll);
  if (atOnce) drawAll();
  else waiting.push(drawAll);
}

function drawWaiting() {
  const next = waiting.shift();
  if (!next) {
    document.documentElement.dataset.ready = "yes";
    return;
  }
  next();
  setTimeout(drawWaiting);
}

function redrawAll() {
  for (const drawAll of redraws) drawAll();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
matchMedia("(max-width: 699px)").addEventListener("change", redrawAll);
