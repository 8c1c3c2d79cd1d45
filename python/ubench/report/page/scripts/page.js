// SPDX-License-Identifier: ISC
// The table of all results, and the start of all parts of the page.
"use strict";

function startResults() {
  tableBehind("table-results", [
    "configuration", "class", "work", { text: "per second", number: true }, "begun", "settings",
    "warnings", "source",
  ], () => DATA.results.map((each) => {
    const rates = Object.entries(each.rates);
    const texts = rates.map(([name, rate]) =>
      rates.length > 1 ? `${name} ${figure(rate)}` : figure(rate));
    const text = texts.join(", ") || "n/a";
    return [
      each.name, each.class, each.work, { text, value: rates.length ? rates[0][1] : null },
      each.begun, each.settings, each.warned, each.source,
    ];
  }));
}

startRatios();
startHistories();
startLatencies();
startThreads();
startBatches();
startSeconds();
startSearches();
startWhere();
startDemand();
startDays();
startCrashes();
startResults();
setTimeout(drawWaiting);
