// SPDX-License-Identifier: ISC
// The form of a site, the bars of its stores, and the sentences above them.
"use strict";

const LIMITS = DATA.answer;
const FIELDS = {
  clients: { scan: scanClients, expected: "a whole number from 1" },
  lease: { scan: (text) => positive(scanTime(text)), expected: "a time: 7200, 90s, 2h" },
  restart: { scan: (text) => positive(scanTime(text)), expected: "a time: 300, 90s, 5m" },
  rtt: { scan: scanTime, expected: "a time: 0, 500us, 1ms" },
  sync: {
    scan: (text) => (text.trim() ? positive(scanTime(text)) : ""),
    expected: "a time: 100us, 2ms; or nothing",
  },
  headroom: { scan: scanHeadroom, expected: "a number from 1" },
};
const WORKS = { renew: "renewals", restart: "restarts" };

function positive(value) {
  return value !== null && value > 0 ? value : null;
}

function scanClients(text) {
  const match = /^\s*([\d,]+)\s*([kM]?)\s*$/.exec(text);
  if (!match) return null;
  const value = Number(match[1].replaceAll(",", "")) * { "": 1, k: 1e3, M: 1e6 }[match[2]];
  return value >= 1 && value <= LIMITS.ipv4_addresses ? value : null;
}

function scanHeadroom(text) {
  const value = Number(text);
  return text.trim() && value >= 1 && value <= 1e6 ? value : null;
}

function field(name) {
  return document.getElementById(`site-${name}`);
}

// The site of the form; null if a value cannot be used, which the form then says.
function readSite() {
  const values = {};
  let isComplete = true;
  for (const [name, { scan, expected }] of Object.entries(FIELDS)) {
    const input = field(name);
    values[name] = scan(input.value);
    const isWrong = values[name] === null;
    input.setAttribute("aria-invalid", String(isWrong));
    document.getElementById(`wrong-${name}`).textContent = isWrong ? `Expected ${expected}.` : "";
    isComplete &&= !isWrong;
  }
  if (!isComplete) return null;
  return {
    clients: values.clients,
    lease_s: values.lease,
    renew_at: LIMITS.renew_at,
    restart_s: values.restart,
    restart_as_new: field("clients-are").value === "new",
    headroom: values.headroom,
    round_trip_s: values.rtt,
    sync_s: values.sync === "" ? null : values.sync,
  };
}

// ---- Which stores have a bar

function versionOrder(text) {
  return text.split(".").map(Number);
}

function compareVersions(a, b) {
  const [x, y] = [versionOrder(a), versionOrder(b)];
  for (let i = 0; i < Math.max(x.length, y.length); i += 1) {
    if ((x[i] || 0) !== (y[i] || 0)) return (x[i] || 0) - (y[i] || 0);
  }
  return 0;
}

function wanted(each) {
  const { setup } = each;
  const measured = field("measured").value;
  if (measured === "store" && (setup.server || !setup.measured)) return false;
  if (measured === "server" && !setup.server) return false;
  const family = field("family").value;
  if (family !== "all" && String(setup.family) !== family) return false;
  return field("all-stores").checked || setup.in_kea;
}

function productKey(setup) {
  const { product, server, family, measured, in_kea: inKea } = setup;
  return [product, server, family, measured, inKea].join("|");
}

// The products of some fits, each with its versions: the best known first, and of two that are
// known as well the newest. Stores alone and whole servers are apart.
function productVersions(fits) {
  const products = new Map();
  for (const { setup, least } of fits) {
    const key = productKey(setup);
    if (!products.has(key)) products.set(key, new Map());
    const versions = products.get(key);
    if (!versions.has(setup.version)) versions.set(setup.version, new Set());
    if (least !== null) versions.get(setup.version).add(setup.plain);
  }
  for (const [key, versions] of products) {
    products.set(key, [...versions].sort(([a, known], [b, others]) =>
      others.size - known.size || compareVersions(b, a)).map(([version]) => version));
  }
  return products;
}

// Settings of a product are compared by one version of it, unless all versions are asked for.
function ofOneVersion(fits) {
  if (field("versions").checked) return fits;
  const products = productVersions(fits);
  return fits.filter(({ setup }) => products.get(productKey(setup))[0] === setup.version);
}

// Which versions are shown, and which are not.
function versionsText(fits) {
  const texts = [...productVersions(fits)]
    .filter(([, versions]) => versions.length > 1)
    .map(([key, [version, ...others]]) => {
      const [product, isServer] = key.split("|");
      const name = product === "memfile" ? "memfile of Kea" : product;
      const where = isServer === "true" ? " in a whole server" : "";
      return `${name} ${version}${where} (not ${[...others].sort(compareVersions).join(", ")})`;
    });
  if (!texts.length || field("versions").checked) return "";
  const list = texts.join("; ");
  return `Of several versions of a store one is shown, with all of its settings: ${list}. `
    + "“Every version”, below “More choices”, shows the others.";
}

// ---- Sentences

function nameOf(setup) {
  const family = setup.family === 6 ? " (DHCPv6)" : "";
  return `${setup.title}${setup.server ? ", whole Kea" : ""}${family}`;
}

function sentence(...parts) {
  return make("li", {}, ...parts);
}

function strong(text) {
  return make("strong", {}, text);
}

function best(fits, losses) {
  const known = fits.filter((each) => losses.includes(each.setup.loss) && each.least !== null);
  known.sort((a, b) => b.least - a.least);
  return known;
}

function choice(lead, fits) {
  const [first] = fits;
  const among = field("all-stores").checked ? "" : " of Kea's stores";
  const rate = figure(first.rates[first.limit].per_s);
  return sentence(
    `${lead}: `,
    strong(nameOf(first.setup)),
    ` is the fastest${among}, at ${times(first.least)} what the site needs`,
    ` (${rate} ${WORKS[first.limit]}/s).`,
  );
}

// What a memfile lost in power cuts that was written without syncing, as Kea does it.
function lostInCuts(setup) {
  const ofMemfile = DATA.crashes.filter((each) => each.level === "2" && each.store === "memfile");
  const written = ofMemfile.find((each) => each.name === "memfile write");
  if (!written || !written.crashes || !setup.plain.startsWith("memfile")) return "";
  const slow = ofMemfile.find((each) => each.name === "memfile write, 500/s");
  const median = slow && slow.window_s
    ? `, at 500 changes/s those of the last ${timeText(slow.window_s)} (median)` : "";
  return ` (in tests ${written.lossy} of ${written.crashes} power cuts lost some${median})`;
}

function sentences(site, fits) {
  const lines = [];
  const known = fits.filter((each) => each.least !== null);
  const slow = known.filter((each) => each.verdict !== "fast enough");
  const unknown = fits.length - known.length;
  if (known.length && slow.length === 0) {
    const lead = strong(unknown
      ? `Of ${fits.length} stores, the ${known.length} with a verdict are fast enough`
      : "Every store below is fast enough");
    lines.push(sentence(lead, ", with the headroom you asked for."));
  } else if (known.length) {
    const names = slow.map((each) => `${nameOf(each.setup)} (${each.verdict})`);
    lines.push(sentence(strong("Not every store is fast enough: "), `${names.join(", ")}.`));
  }
  const safe = best(known, ["nothing"]);
  if (safe.length) lines.push(choice("If nothing may be lost", safe));
  const second = best(known, ["latest", "latest, or kill"]);
  if (second.length) lines.push(choice("If the last second may be lost", second));
  const inFile = best(known, ["any"]);
  const any = inFile.length ? inFile : best(known, ["any, or kill"]);
  if (any.length) {
    lines.push(
      sentence(
        strong(nameOf(any[0].setup)),
        ` is ${figure(any[0].least / (safe.length ? safe[0].least : 1))}`,
        safe.length ? " times as fast as the fastest safe store" : " times the required rate",
        ", and ",
        strong(inFile.length
          ? "a power cut can lose any number of recent leases"
          : "all leases are lost when its process ends"),
        inFile.length ? lostInCuts(any[0].setup) : "",
        ".",
      ),
    );
  }
  if (unknown) {
    lines.push(
      sentence(
        `${unknown} ${unknown === 1 ? "store has" : "stores have"} no verdict: a figure is not`,
        ` measured, or holds for at most ${LIMITS.most_leases} times the leases that were in the`,
        " store.",
      ),
    );
  }
  return lines;
}

// ---- Bars

function whyUnknown(each, site) {
  for (const demand of DEMANDS) {
    const rate = each.rates[demand];
    if (!isKnown(rate)) {
      const why = rate.unknown === "disk" ? "not known for this disk" : rate.unknown;
      return `${WORKS[demand]}: ${why}`;
    }
    if (each.most[demand] < site.clients) {
      return `not known beyond ${figure(each.most[demand])} clients`;
    }
  }
  return "";
}

function barLabel(each) {
  const { loss, plain } = each.setup;
  if (!loss.endsWith("or kill")) return nameOf(each.setup);
  const isInMemory = plain.endsWith("persist false");
  const what = isInMemory ? "all is lost when it ends" : "also lost if it is killed";
  return `${nameOf(each.setup)} (${what})`;
}

function scaled(each, site) {
  const rate = each.rates[each.limit];
  const need = required(site, each.limit, site.clients);
  return [rate.low / need, rate.high / need];
}

function bounds(fits, site) {
  const known = fits.filter((each) => each.least !== null);
  const values = known.flatMap((each) => [each.least, ...scaled(each, site)]);
  const low = Math.min(0.5, ...values);
  const high = Math.max(10, site.headroom * 2, ...values);
  return [10 ** Math.floor(Math.log10(low)), high * (isNarrow() ? 3 : 2.5)];
}

function isPowerOfTen(value) {
  return /^1(\.0*)?e/.test(value.toExponential());
}

function drawGroup(group, fits, site, [min, max]) {
  const figureElement = document.getElementById(`bars-${group.name}`);
  const ofGroup = fits.filter((each) => group.losses.includes(each.setup.loss));
  const members = ofGroup.filter((each) => each.least !== null);
  const others = ofGroup.filter((each) => each.least === null);
  figureElement.hidden = ofGroup.length === 0;
  figureElement.querySelector(".canvas").hidden = members.length === 0;
  const reasons = others.map((each) => `${nameOf(each.setup)} (${whyUnknown(each, site)})`);
  const fold = figureElement.querySelector(".others");
  fold.hidden = !reasons.length;
  fold.querySelector("summary").textContent =
    `${reasons.length} ${reasons.length === 1 ? "store has" : "stores have"} no verdict`;
  fold.querySelector("p").textContent = `${reasons.join(", ")}.`;
  if (!members.length) return;
  members.sort((a, b) => b.least - a.least);
  const rowsAt = rowLabels(members.map(barLabel), 230, 34);
  const canvas = document.getElementById(`canvas-${group.name}`);
  canvas.setAttribute(
    "aria-label",
    `${group.title}. ${members
      .map((each) => `${nameOf(each.setup)}: ${times(each.least)} the need, ${each.verdict}`)
      .join("; ")}. The table below has all figures.`,
  );
  draw(`canvas-${group.name}`, rowsAt.height + 80, () => ({
    type: "bar",
    data: {
      labels: rowsAt.labels,
      datasets: [
        {
          data: members.map((each) => each.least),
          backgroundColor: style(`loss-${group.name}`),
          maxBarThickness: 18,
        },
      ],
    },
    options: {
      indexAxis: "y",
      layout: { padding: { top: rowsAt.top } },
      scales: {
        x: axis("rate, as a multiple of what the site needs", {
          type: "logarithmic",
          min,
          max,
          ticks: {
            callback: (value) => (isPowerOfTen(value) ? `${figure(value)}×` : null),
            maxRotation: 0,
          },
        }),
        y: rowsAt.axis,
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: ([item]) => nameOf(members[item.dataIndex].setup),
            label: (item) => tip(members[item.dataIndex], site),
          },
        },
        marks: {
          top: rowsAt.top,
          above: rowsAt.above,
          lines: [
            { x: 1, text: "needed", side: "left", colour: "need", width: 2.5 },
            {
              x: site.headroom, text: `enough (${site.headroom}×)`, colour: "need", dash: [4, 4],
            },
          ],
          intervals: members.map((each) => scaled(each, site)),
          texts: members.map((each) => times(each.least)),
          onBars: true,
        },
      },
    },
  }));
}

function tip(each, site) {
  const lines = DEMANDS.map((demand) => {
    const rate = each.rates[demand];
    if (!isKnown(rate)) return `${WORKS[demand]}: not known (${rate.unknown})`;
    const need = figure(required(site, demand, site.clients));
    return `${figure(rate.per_s)} ${WORKS[demand]}/s (${rangeText(rate)}); needed: ${need}`;
  });
  return [...lines, `${each.verdict}`];
}

function rangeText(rate) {
  if (rate.runs === 1) return "one run";
  const name = rate.is_interval ? "95 % interval" : `range of ${rate.runs} runs`;
  return `${name} ${figure(rate.low)} to ${figure(rate.high)}`;
}

// ---- The table

const ANSWER_HEADS = [
  "store", "a power cut loses", { text: "renewals/s", number: true },
  { text: "interval or range", number: true }, { text: "restarts/s", number: true },
  { text: "times the need", number: true }, "verdict", { text: "clients", number: true },
  { text: "runs", number: true }, "measured", "settings", "files",
];

function answerRow(each, site) {
  const rateCell = (rate) =>
    isKnown(rate)
      ? { text: figure(rate.per_s), value: rate.per_s }
      : { text: `n/a (${rate.unknown})`, value: null };
  const { renew } = each.rates;
  const most = each.served && Math.floor(Math.min(each.served.by_rates, each.served.by_leases));
  const mark = each.served && each.served.by_rates > each.served.by_leases ? ">" : "";
  return [
    nameOf(each.setup),
    each.setup.loss,
    rateCell(renew),
    isKnown(renew) ? { text: rangeText(renew), value: renew.low } : null,
    rateCell(each.rates.restart),
    {
      text: each.least === null ? whyUnknown(each, site) : times(each.least),
      value: each.least,
    },
    each.verdict,
    most === null ? null : { text: mark + figure(most), value: most },
    { text: isKnown(renew) ? String(renew.runs) : "0", value: renew.runs || 0 },
    each.setup.begun,
    each.setup.settings || "not read",
    each.setup.files.join(", "),
  ];
}

// ---- The form

let shown = { site: null, fits: [] };
let updateTable = () => {};

function showSite() {
  const site = readSite();
  if (!site) return;
  const all = representatives(LIMITS, answer(LIMITS, site).filter(wanted));
  const fits = ofOneVersion(all);
  shown = { site, fits };
  document.getElementById("versions").textContent = versionsText(all);
  const needs = DEMANDS.map((demand) => {
    const rate = required(site, demand, site.clients);
    return `${figure(rate)} ${WORKS[demand]}/s`;
  });
  document.getElementById("needs").textContent =
    `${grouped(String(site.clients))} clients need ${needs.join(", and after a power cut ")}.`;
  document.getElementById("sentences").replaceChildren(
    ...(fits.length ? sentences(site, fits) : [sentence("No result fits the choices above.")]),
  );
  const range = bounds(fits, site);
  for (const group of LOSS_GROUPS) drawGroup(group, fits, site, range);
  updateTable();
}

function rememberSite() {
  const values = [...document.querySelectorAll("#site input, #site select")].map((input) => [
    input.id.replace("site-", ""),
    input.type === "checkbox" ? Number(input.checked) : input.value,
  ]);
  history.replaceState(null, "", `#${new URLSearchParams(values)}`);
}

function recallSite() {
  if (!location.hash.includes("=")) return;
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    const input = field(name);
    if (!input) continue;
    if (input.type === "checkbox") input.checked = value === "1";
    else input.value = value;
  }
}

function setUpFilters() {
  const { setups } = LIMITS;
  const kinds = [
    ["store", "the lease store alone", setups.some((each) => !each.server && each.measured)],
    ["server", "a whole DHCP server", setups.some((each) => each.server)],
  ].filter(([, , isThere]) => isThere);
  const all = [["all", "whatever is best known"]];
  fillSelect(field("measured"), [...kinds, ...all]);
  const alone = setups.filter((each) => !each.server && each.measured && each.in_kea);
  field("measured").value = alone.length ? "store" : "all";
  const families = [...new Set(setups.map((each) => each.family))].sort();
  fillSelect(field("family"), [
    ...families.map((family) => [String(family), `IPv${family}`]),
    ["all", "both"],
  ]);
  field("family").value = families.includes(4) ? "4" : "all";
  field("all-stores").checked = !setups.some((each) => each.in_kea && each.measured);
}

function startSite() {
  if (!LIMITS) return;
  setUpFilters();
  recallSite();
  updateTable = tableBehind("table-answer", ANSWER_HEADS, () =>
    shown.fits.map((each) => answerRow(each, shown.site)));
  const form = document.getElementById("site");
  form.addEventListener("input", () => {
    showSite();
    rememberSite();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    setUpFilters();
    showSite();
    rememberSite();
  }));
  redrawn(showSite, true);
}

// For programs that ask the page: the answer for a site, as `answer --format=json` has it.
window.ubench = {
  answer(site) {
    const fits = answer(LIMITS, site);
    return {
      setups: fits.map((each) => ({
        name: each.setup.name,
        verdict: each.verdict,
        times: each.least,
        clients_by_rates: each.served && each.served.by_rates,
        clients_by_leases: each.served && each.served.by_leases,
        rates: DEMANDS.map((demand) => each.rates[demand].per_s ?? null),
        least: DEMANDS.map((demand) => each.rates[demand].least ?? null),
      })),
      judged: judged(LIMITS, fits).map((each) => fits.indexOf(each)),
    };
  },
};

startSite();
