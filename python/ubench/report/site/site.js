// SPDX-License-Identifier: ISC
// The index: sorts its rows by a column, and shows only those that the reader asks for.
"use strict";

const table = document.getElementById("index");

function keyOf(row, column) {
  const cell = row.cells[column];
  const key = cell.dataset.key ?? cell.textContent.trim().toLowerCase();
  return cell.classList.contains("number") ? Number(key) || 0 : key;
}

function sortBy(column) {
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies[0].rows];
  const isNumber = rows.some((row) => row.cells[column].classList.contains("number"));
  const current = heads[column].getAttribute("aria-sort");
  const first = isNumber ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = current === first ? other : first;
  const sign = order === "ascending" ? 1 : -1;
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", order);
  rows.sort((a, b) => {
    const [one, two] = [keyOf(a, column), keyOf(b, column)];
    return one < two ? -sign : one > two ? sign : 0;
  });
  table.tBodies[0].append(...rows);
}

function filter() {
  const loss = document.getElementById("loss").value;
  const words = document.getElementById("search").value.toLowerCase().split(/[\s,]+/);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const text = row.textContent.toLowerCase();
    const isSafe = row.dataset.loss === "nothing" || row.dataset.loss === loss;
    row.hidden = Boolean(loss && !isSafe) || !words.every((word) => text.includes(word));
    if (!row.hidden) shown += 1;
  }
  document.getElementById("shown").textContent = `${shown} rows`;
}

if (table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(column));
    head.append(button);
  });
  document.getElementById("loss").addEventListener("change", filter);
  document.getElementById("search").addEventListener("input", filter);
  filter();
}
document.documentElement.dataset.ready = "yes";
