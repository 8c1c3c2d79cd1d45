// SPDX-License-Identifier: ISC
// The charts of the short answers, whose sentences the page has as text.
"use strict";

// Bars of rates, or of seconds, coloured by what a power cut loses.
function drawBars(canvas, each) {
  const { rows } = each;
  const rowsAt = rowLabels(rows.map((row) => row.label), 0, 0, true);
  const most = Math.max(...rows.flatMap((row) => [row.value, ...(row.interval || [])])) || 1;
  draw(canvas, rowsAt.height + 44, () => ({
    type: "bar",
    data: {
      labels: rowsAt.labels,
      datasets: [{
        data: rows.map((row) => row.value),
        backgroundColor: rows.map((row) => lossColour(row.loss)),
        maxBarThickness: 18,
      }],
    },
    options: {
      indexAxis: "y",
      layout: { padding: { top: rowsAt.top - 16 } },
      scales: {
        x: axis(each.axis, {
          min: 0,
          max: 1.25 * most, // with room for the figures
          ticks: {
            callback: (value, i, ticks) => (i === ticks.length - 1 ? null : figure(value)),
            maxRotation: 0,
          },
        }),
        y: rowsAt.axis,
      },
      plugins: {
        legend: { display: false },
        tooltip: { callbacks: { title: ([item]) => rows[item.dataIndex].label,
          label: (item) => rows[item.dataIndex].text } },
        marks: {
          top: rowsAt.top - 16,
          above: rowsAt.above,
          intervals: rows.map((row) => row.interval),
          texts: rows.map((row) => row.text),
          onBars: true,
        },
      },
    },
  }));
}

function shortText(row) {
  return row.shown ? `${row.ratio.toFixed(2)}× as fast` : "no difference shown";
}

function startShort() {
  for (const each of DATA.short) {
    const id = `canvas-short-${each.name}`;
    const isOfRatios = each.kind === "ratios";
    const textOf = (row) => (isOfRatios ? shortText(row) : row.text);
    document.getElementById(id).setAttribute(
      "aria-label",
      `${each.question} ${each.rows.map((row) => `${row.label}: ${textOf(row)}`).join("; ")}`,
    );
    redrawn(() => {
      if (isOfRatios) drawRatios(id, each.rows, each.axis, { isAbove: true, textOf });
      else drawBars(id, each);
    }, true);
  }
}

startShort();
