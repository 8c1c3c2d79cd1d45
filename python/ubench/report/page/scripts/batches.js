// SPDX-License-Identifier: ISC
// The chart of batches of clients: the rate of each, and how long its clients wait at a load.
"use strict";

function batchLabel(choice) {
  return `${choice.name}, ${WORK_NAMES[choice.exchange] || choice.exchange}`;
}

// "200/s", "50 to 200/s"
function loadText(load) {
  return `${load.measured.map(figure).join(" to ")}/s`;
}

// How far a load is from a rate, as a logarithm; 0 if the rate is within it.
function distance(load, perS) {
  return Math.max(0, Math.log(load.from / perS), Math.log(perS / load.to));
}

// The load that is nearest to what a site requires; without a site the lowest.
function nearestLoad(choice, site) {
  if (!site) return choice.loads[0];
  const perS = required(site, choice.demand, site.clients);
  return choice.loads.reduce((near, each) =>
    (distance(each, perS) < distance(near, perS) ? each : near));
}

// What the site requires, and whether that is the load of the chart; "" without a site.
function siteText(choice, load, site) {
  if (!site) return "";
  const perS = required(site, choice.demand, site.clients);
  const needs = `Your site requires ${figure(perS)} ${WORKS[choice.demand]}/s`;
  if (distance(load, perS) === 0) return `${needs}.`;
  return nearestLoad(choice, site) === load
    ? `${needs}, which was not measured: this is the nearest load.`
    : `${needs}: this is another load.`;
}

function bestText(choice, load) {
  const at = `At ${loadText(load)}`;
  const limit = timeText(DATA.patience_s);
  if (load.best === null) return `${at} no batch answers 99 % of its clients within ${limit}.`;
  const best = choice.batches[load.best];
  const delay = timeText(load.delays[load.best].p99_s);
  if (best.single) {
    return `${at} single commits are best: no batch is faster and answers 99 % within ${limit}.`;
  }
  const single = choice.batches.find((each) => each.single);
  const gain = single
    ? `, ${(best.per_s / single.per_s).toFixed(2)} times the rate of single commits` : "";
  return `Best ${at.toLowerCase()}: a batch of ${best.title}. It does ${figure(best.per_s)}/s` +
    `${gain}, and 99 % are answered within ${delay}.`;
}

function notDrawnText(choice, load) {
  const hidden = choice.batches.map((each, i) => ({ title: each.title, delay: load.delays[i] }))
    .filter(({ delay }) => delay.p99_s === null)
    .map(({ title, delay }) => `${title} (${delay.overloaded ? "too slow" : "not measured"})`);
  return hidden.length ? `Not drawn: ${hidden.join(", ")}.` : "";
}

function delayText(delay) {
  if (delay.overloaded) return "too slow";
  return delay.p99_s === null ? "n/a" : timeText(delay.p99_s);
}

// Writes the name of each point beside it, where it meets no other.
const pointNames = {
  id: "pointNames",
  afterDatasetsDraw(chart) {
    const { ctx, chartArea } = chart;
    const { data } = chart.data.datasets[0];
    const [gap, height] = [12, 16];
    const points = chart.getDatasetMeta(0).data;
    const taken = points.map(({ x, y }) => [x - 5, y - 5, x + 5, y + 5]);
    const isFree = ([left, top, right, bottom]) =>
      left >= chartArea.left && right <= chart.width && top >= chartArea.top &&
      bottom <= chartArea.bottom && !taken.some((other) =>
        left < other[2] && right > other[0] && top < other[3] && bottom > other[1]);
    ctx.save();
    ctx.textAlign = "left";
    points.forEach(({ x, y }, i) => {
      const { title, isBest } = data[i];
      const text = isBest ? `best: ${title}` : title;
      ctx.font = `${isBest ? "bold " : ""}12px system-ui, sans-serif`;
      const width = ctx.measureText(text).width;
      const place = [
        [x + gap, y - height / 2], [x - gap - width, y - height / 2],
        [x - width / 2, y - gap - height], [x - width / 2, y + gap],
      ].map(([left, top]) => [left, top, left + width, top + height]).find(isFree);
      if (!place) return;
      taken.push(place);
      writeOver(ctx, text, place[0], place[1] + 12);
    });
    ctx.restore();
  },
};

// The points of a chart, each with its name and look; the best one first, which is named first.
function batchPoints(choice, load) {
  const points = choice.batches.map((each, i) => ({
    x: load.delays[i].p99_s,
    y: each.per_s,
    title: each.title,
    isBest: i === load.best,
  }));
  return points.filter(({ x }) => x !== null).sort((a, b) => b.isBest - a.isBest);
}

function batchChart(choice, load) {
  const points = batchPoints(choice, load);
  const delays = [...points.map(({ x }) => x), DATA.patience_s];
  const colour = storeColour(choice.store);
  const looks = (ofBest, ofOthers) => points.map(({ isBest }) => (isBest ? ofBest : ofOthers));
  return {
    type: "line",
    data: {
      datasets: [{
        data: points,
        showLine: false,
        backgroundColor: colour,
        borderColor: looks(style("ink"), colour),
        borderWidth: looks(2, 1),
        pointStyle: looks("rectRot", "circle"),
        pointRadius: looks(9, 5),
      }],
    },
    plugins: [pointNames],
    options: {
      ...lineOptions(
        axis("99 % of clients are answered within", {
          type: "logarithmic",
          min: 0.6 * Math.min(...delays),
          max: 1.8 * Math.max(...delays),
          ticks: { callback: (value) => (isRound(value) ? timeText(value) : null), maxRotation: 0 },
        }),
        axis("exchanges per second, closed loop", {
          min: 0,
          suggestedMax: 1.05 * Math.max(1, ...points.map(({ y }) => y)),
          ticks: { callback: figure },
        }),
        {
          legend: { display: false },
          marks: { top: 18, lines: [{
            x: DATA.patience_s, text: `wait at most ${timeText(DATA.patience_s)}`, colour: "need",
            dash: [4, 4],
          }] },
          tooltip: {
            callbacks: {
              title: ([item]) => item.raw.title,
              label: ({ raw }) => `${figure(raw.y)}/s; 99 % within ${timeText(raw.x)}`,
            },
          },
        },
      ),
      layout: { padding: { top: 18 } },
    },
  };
}

function startBatches() {
  const select = document.getElementById("batch-of");
  if (!select) return;
  const loads = document.getElementById("batch-load");
  const { batches } = DATA;
  fillSelect(select, batches.map((each, i) => [String(i), batchLabel(each)]));
  const chosen = () => batches[Number(select.value)];
  const drawIt = () => {
    const choice = chosen();
    const load = choice.loads[Number(loads.value)];
    claim("batch", bestText(choice, load));
    document.getElementById("batch-site").textContent = siteText(choice, load, shown.site);
    document.getElementById("batch-hidden").textContent = notDrawnText(choice, load);
    const points = choice.batches.map((each, i) =>
      `${each.title}: ${figure(each.per_s)}/s, ${delayText(load.delays[i])}`);
    document.getElementById("canvas-batch").setAttribute(
      "aria-label",
      `Rate and delay of batches of ${batchLabel(choice)}, at ${loadText(load)}. ` +
        `${points.join("; ")}. ${bestText(choice, load)}`,
    );
    draw("canvas-batch", 420, () => batchChart(choice, load));
  };
  const chooseLoad = () => {
    const choice = chosen();
    fillSelect(loads, choice.loads.map((load, i) => [String(i), loadText(load)]));
    loads.value = String(choice.loads.indexOf(nearestLoad(choice, shown.site)));
  };
  const followSite = () => {
    chooseLoad();
    drawIt();
  };
  select.addEventListener("change", followSite);
  loads.addEventListener("change", drawIt);
  const form = document.getElementById("site");
  if (form) {
    form.addEventListener("input", followSite);
    form.addEventListener("reset", () => setTimeout(followSite));
  }
  chooseLoad();
  redrawn(drawIt);
  const number = (text) => ({ text, number: true });
  tableBehind("table-batches", [
    "store and exchange", number("clients come at"), "batch", number("exchanges/s"),
    number("99 % within"), "best",
  ], () => batches.flatMap((choice) => choice.loads.flatMap((load) => choice.batches.map(
    (each, i) => [
      batchLabel(choice),
      { text: loadText(load), value: load.from },
      each.title,
      { text: figure(each.per_s), value: each.per_s },
      { text: delayText(load.delays[i]), value: load.delays[i].p99_s },
      i === load.best ? "best" : "",
    ],
  ))));
}
