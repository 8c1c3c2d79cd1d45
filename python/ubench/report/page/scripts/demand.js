// SPDX-License-Identifier: ISC
// The charts of what the clients in a site's lease files require, hour by hour, and of what a day
// does to stores, second by second.
"use strict";

function startDemand() {
  const demand = DATA.demand;
  if (!demand) return;
  const hours = demand.hours;
  const line = (label, values, colour, more = {}) => ({
    label,
    data: values,
    borderColor: colour,
    backgroundColor: colour,
    stepped: true,
    pointRadius: 0,
    ...more,
  });
  document.getElementById("canvas-demand").setAttribute(
    "aria-label",
    `${demand.text} The ${demand.counted} per second in each hour: ${hours
      .map((hour) => `${hour.start} ${figure(hour.rate)}`).join("; ")}`,
  );
  redrawn(() => draw("canvas-demand", 340, () => ({
    type: "line",
    data: {
      labels: hours.map((hour) => hour.start),
      datasets: [
        line("in the worst minute", hours.map((hour) => hour.worst), style("muted"),
          { borderDash: [5, 4] }),
        line("on average", hours.map((hour) => hour.rate), style("loss-nothing"),
          { backgroundColor: style("fill"), fill: "origin" }),
      ],
    },
    options: {
      interaction: { mode: "index", intersect: false },
      scales: {
        x: axis("hour (UTC)", { ticks: { maxRotation: 0, autoSkipPadding: 16 } }),
        y: axis(`${demand.counted} per second`, { beginAtZero: true }),
      },
      plugins: { legend: legend() },
    },
  })));
  const number = (text) => ({ text, number: true });
  tableBehind("table-demand", [
    "hour (UTC)", number(`${demand.counted}/s`), number("worst minute"),
    ...demand.kinds.map(number),
  ], () => hours.map((hour) => [
    hour.start, { text: figure(hour.rate), value: hour.rate },
    { text: figure(hour.worst), value: hour.worst }, ...hour.counts,
  ]));
}

// ---- A day

const EVENT_LOOKS = {
  checkpoints: { text: "checkpoint", shape: "triangle" },
  vacuums: { text: "vacuum", shape: "rectRot" },
  cleanups: { text: "clean-up", shape: "rect" },
};

// Bytes as "1.2 MB", other numbers as figures.
function amount(value, title) {
  if (value === null || value === undefined) return "n/a";
  if (!title.startsWith("bytes")) return figure(value);
  const [unit, size] = [["GB", 1e9], ["MB", 1e6], ["kB", 1e3], ["B", 1]]
    .find(([, each]) => Math.abs(value) >= each) || ["B", 1];
  return `${value < 0 ? "-" : ""}${figure(Math.abs(value) / size)} ${unit}`;
}

// The points of an event stand on the line of their store.
function eventPoints(day, line, kind) {
  const points = line.map(() => null);
  for (const second of day.events[kind] || []) {
    const at = Math.min(points.length - 1, Math.floor(second / day.step));
    if (at >= 0) points[at] = line[at];
  }
  return points;
}

function startDays() {
  const select = document.getElementById("day-figure");
  if (!select) return;
  const days = DATA.days;
  const known = DATA.day_figures.filter(
    ({ name }) => days.some((each) => (each.lines[name] || []).some((value) => value !== null)),
  );
  fillSelect(select, known.map(({ name, title }) => [name, title]));
  const drawIt = () => {
    const { name, title } = known.find((each) => each.name === select.value);
    const rows = days.filter((each) => each.lines[name]);
    const length = Math.max(...rows.map((each) => each.lines[name].length * each.step));
    const step = Math.max(...rows.map((each) => each.step));
    const labels = [...Array(Math.ceil(length / step)).keys()].map((at) => at * step);
    const datasets = rows.map((each) => ({
      label: each.name,
      data: each.lines[name],
      borderColor: storeColour(each.store),
      backgroundColor: storeColour(each.store),
      borderWidth: 1.5,
      pointRadius: 0,
      spanGaps: true,
    }));
    const events = Object.entries(EVENT_LOOKS).flatMap(([kind, look]) => rows
      .filter((each) => (each.events[kind] || []).length)
      .map((each) => ({
        label: `${each.name}: ${look.text}`,
        data: eventPoints(each, each.lines[name], kind),
        borderColor: style("ink"),
        backgroundColor: storeColour(each.store),
        pointStyle: look.shape,
        pointRadius: 5,
        showLine: false,
      })));
    const texts = rows.map((each) => {
      const values = each.lines[name].filter((value) => value !== null);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return values.length
        ? `${each.name}: ${amount(least, title)} to ${amount(most, title)}`
        : `${each.name}: n/a`;
    });
    document.getElementById("canvas-day").setAttribute(
      "aria-label",
      `By time, ${title}. ${texts.join("; ")}`,
    );
    draw("canvas-day", 340 + (datasets.length + events.length) * 16, () => ({
      type: "line",
      data: { labels, datasets: [...datasets, ...events] },
      options: {
        interaction: { mode: "index", intersect: false },
        scales: {
          x: axis("second", { ticks: { maxRotation: 0, autoSkipPadding: 16 } }),
          y: axis(title, {
            beginAtZero: true,
            ticks: { callback: (value) => amount(value, title) },
          }),
        },
        plugins: {
          legend: legend(),
          tooltip: {
            callbacks: {
              label: (item) => `${amount(item.parsed.y, title)}: ${item.dataset.label}`,
            },
          },
        },
      },
    }));
  };
  select.addEventListener("change", drawIt);
  redrawn(drawIt);
  const number = (text) => ({ text, number: true });
  const cell = (value, title = "") => ({ text: amount(value, title), value });
  tableBehind("table-day", [
    "configuration", number("changes"), number("syncs each"), number("bytes written each"),
    number("of the device each"), number("bytes of logs each"), number("pages each"),
    number("growth"), number("checkpoints"), number("vacuums"), number("clean-ups"),
    number("they took"), number("they wrote"), "begun", "source",
  ], () => days.map((each) => {
    const { changes, each: costs, growth, events, cleanup_ms, cleanup_bytes } = each.totals;
    const took = cleanup_ms === null ? null : cleanup_ms / 1000;
    const logs = costs.log_bytes === null && costs.binlog_bytes === null
      ? null
      : (costs.log_bytes || 0) + (costs.binlog_bytes || 0);
    return [
      each.name, cell(changes), cell(costs.syncs), cell(costs.written_bytes),
      cell(costs.device_bytes), cell(logs), cell(costs.pages_written), cell(growth, "bytes"),
      cell(events.checkpoints), cell(events.vacuums), cell(events.cleanups),
      { text: took === null ? "n/a" : `${figure(took)} s`, value: took },
      cell(cleanup_bytes, "bytes"), each.begun, each.source,
    ];
  }));
}
