// SPDX-License-Identifier: ISC
// The charts of whole servers: second by second, load against lost share, and where time goes.
"use strict";

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
        plain: name.replace(`, ${select.value}`, ""),
        rates,
        store: members[0].store,
        trials: members.flatMap((each) => each.trials),
      };
    });
    const limit = (rows.find((each) => each.limit) || {}).limit;
    const offered = rows.flatMap((each) => each.trials.map(([rate]) => rate));
    const best = (each) => (each.rates.length ? Math.max(...each.rates) : null);
    claim("search", series.some((each) => best(each) !== null)
      ? `They kept up with ${fromTo(series, best, (rate) => `${figure(rate)} leases/s`,
        (each) => each.plain)}.`
      : "No rate was found at which they kept up.");
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

// ---- Where the time goes

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
    {
      text: `${figure(Math.abs((100 * part.us) / row.whole_us))} %`,
      value: part.us / row.whole_us,
    },
    row.source,
  ])));
}
