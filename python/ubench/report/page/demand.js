// SPDX-License-Identifier: ISC
// The chart of what the clients in a site's lease files require, hour by hour.
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
