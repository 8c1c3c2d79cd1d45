// SPDX-License-Identifier: ISC
// The chart of the history: rates by the version of a program.
"use strict";

// All versions of some series: by their numbers, or as they came.
function versionsOf(rows) {
  const all = [...new Set(rows.flatMap((each) => each.points.map(([version]) => version)))];
  return rows.every((each) => each.by_number) ? all.sort(compareVersions) : all;
}

function startHistories() {
  const select = document.getElementById("history-of");
  if (!select) return;
  const subjects = [...new Set(DATA.histories.map((each) => each.subject))];
  fillSelect(select, subjects.map((subject) => [subject, subject]));
  select.parentElement.hidden = subjects.length === 1;
  const drawIt = () => {
    const rows = DATA.histories.filter((each) => each.subject === select.value);
    const versions = versionsOf(rows);
    const looks = styles(rows);
    const rateOf = (each, version) => each.points.find(([own]) => own === version)?.[1] ?? null;
    const described = (each) => versions
      .filter((version) => rateOf(each, version) !== null)
      .map((version) => `${version}: ${figure(rateOf(each, version))}/s`)
      .join(", ");
    const texts = rows.map((each) => `${each.name}: ${described(each)}`);
    const change = (each) => each.points[each.points.length - 1][1] / each.points[0][1];
    claim("history", "From the oldest to the newest version the rate is multiplied by " +
      `${fromTo(rows, change, (value) => value.toFixed(2))}.`);
    document.getElementById("canvas-history").setAttribute(
      "aria-label",
      `Rates by ${select.value}. ${texts.join("; ")}`,
    );
    const legendLines = isNarrow() ? rows.length : Math.ceil(rows.length / 2);
    draw("canvas-history", 320 + legendLines * 22, () => ({
      type: "line",
      data: {
        labels: versions,
        datasets: rows.map((each, i) => ({
          label: each.name,
          data: versions.map((version) => rateOf(each, version)),
          spanGaps: true,
          ...looks[i],
        })),
      },
      options: lineOptions(
        axis(select.value),
        axis("per second", { min: 0, ticks: { callback: figure } }),
        {
          tooltip: {
            callbacks: {
              label: (item) => `${figure(item.parsed.y)}/s: ${item.dataset.label}`,
            },
          },
        },
      ),
    }));
  };
  select.addEventListener("change", drawIt);
  redrawn(drawIt);
  tableBehind("table-history", [
    "configuration", "history of", "version", { text: "per second", number: true },
    { text: "runs", number: true }, "files",
  ], () => DATA.histories.flatMap((each) => each.points.map(([version, rate, runs]) => [
    each.name, each.subject, version, { text: figure(rate), value: rate }, runs,
    each.files.join(", "),
  ])));
}
