// SPDX-License-Identifier: ISC
// The chart of where the time of a lease goes.
"use strict";

// The colour of each part; kinds of statements are shades of one.
const PART_COLOURS = {
  outside: "muted",
  socket: "grid",
  queue: "need",
  harness: "grid",
  client: "faster",
  server: "faster",
  wait: "loss-unknown",
  database: "slower",
  sync: "loss-any",
  missing: "panel",
};
const STATEMENT_SHADES = [42, 54, 66, 76, 84];

function partColour(name, number) {
  if (name !== "statement") return style(PART_COLOURS[name] || "band");
  return `hsl(150 45% ${STATEMENT_SHADES[number % STATEMENT_SHADES.length]}%)`;
}

// The parts of all bars, each title once, in the order of the first bar that has it.
function partTitles(rows) {
  const titles = new Map();
  const shown = rows.flatMap((row) => row.parts).filter((part) => part.us > 0);
  for (const part of shown) titles.set(part.title, part.name);
  const last = (name) => (name === "missing" ? 1 : 0);
  return [...titles].sort(([, a], [, b]) => last(a) - last(b));
}

function whereClaim(rows) {
  const largest = (row) => row.parts.reduce((most, part) => (part.us > most.us ? part : most));
  const longest = rows.reduce((most, row) => (row.whole_us > most.whole_us ? row : most));
  const part = largest(longest);
  const share = figure((100 * part.us) / longest.whole_us);
  return `The largest part of ${longest.name}: ${part.title}, ${share} % of ` +
    `${timeText(longest.whole_us / 1e6)}.`;
}

function startWhere() {
  if (!document.getElementById("canvas-where")) return;
  const rows = DATA.where;
  claim("where", whereClaim(rows));
  const titles = partTitles(rows);
  document.getElementById("canvas-where").setAttribute(
    "aria-label",
    `Where the time of a lease goes. ${rows.map((row) => {
      const parts = row.parts.map((part) => `${part.title} ${timeText(Math.abs(part.us) / 1e6)}`);
      return `${row.name}: ${parts.join(", ")}`;
    }).join("; ")}`,
  );
  const usOf = (row, title) => {
    const part = row.parts.find((each) => each.title === title);
    return part ? Math.max(0, part.us) / 1e6 : 0;
  };
  redrawn(() => {
    const labels = rowLabels(rows.map((row) => row.name), 260, 34);
    const legendLines = isNarrow() ? titles.length : Math.ceil(titles.length / 3);
    let statement = 0;
    draw("canvas-where", labels.height + rows.length * 14 + 90 + legendLines * 22, () => ({
      type: "bar",
      data: {
        labels: labels.labels,
        datasets: titles.map(([title, name]) => ({
          label: title,
          data: rows.map((row) => usOf(row, title)),
          backgroundColor: partColour(name, name === "statement" ? statement++ : 0),
          borderColor: style("muted"),
          borderWidth: name === "missing" ? 1 : 0,
          barThickness: 22,
        })),
      },
      options: {
        indexAxis: "y",
        scales: {
          x: axis("time", {
            stacked: true,
            ticks: { callback: (value) => timeText(value) },
          }),
          y: { ...labels.axis, stacked: true },
        },
        plugins: {
          legend: legend(),
          marks: { above: labels.above, top: labels.top },
          tooltip: {
            callbacks: {
              title: ([item]) => rows[item.dataIndex].name,
              label: (item) => `${timeText(item.parsed.x)}: ${item.dataset.label}`,
            },
          },
        },
      },
    }));
  });
  tableBehind("table-where", [
    "server", "part", { text: "count", number: true }, { text: "time", number: true },
    { text: "share", number: true }, "source",
  ], () => rows.flatMap((row) => row.parts.map((part) => [
    row.name,
    part.title,
    part.count === null ? null : { text: figure(part.count), value: part.count },
    { text: `${figure(Math.abs(part.us))} µs`, value: part.us },
    { text: `${figure(Math.abs((100 * part.us) / row.whole_us))} %`, value: part.us / row.whole_us },
    row.source,
  ])));
}
