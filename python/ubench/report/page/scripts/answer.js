// SPDX-License-Identifier: ISC
// The rules of the answer, as in the Python modules rates, elsewhere, fit and verdicts: what a
// store does at another place, and whether that is enough for a site. Nothing here draws.
"use strict";

const LEAST_FOR_INTERVAL = 6;
const DEMANDS = ["renew", "restart"];
const STEPS = 60; // of the search for an interval

function median(sorted) {
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// The exact 95 % interval of the median of sorted values; null of too few.
function medianInterval(sorted) {
  const count = sorted.length;
  let interval = null;
  let combinations = 1;
  let fewer = 0;
  for (let k = 1; k <= (count + 1) >> 1; k += 1) {
    fewer += combinations;
    combinations = (combinations * (count - k + 1)) / k;
    if (1 - 2 * (fewer / 2 ** count) < 0.95) break;
    interval = [sorted[k - 1], sorted[count - k]];
  }
  return interval;
}

// How long a change waits for syncs that threads share, each with a change an interval.
function syncWait(sync, interval, threads) {
  if (interval <= 0) return sync;
  const others = ((threads - 1) * sync) / interval;
  const busy = others / (others + Math.exp(-others));
  return sync * (1 + busy / 2);
}

// The rate of a sample at another place; null if it cannot be computed.
function rateElsewhere(rate, waits, place) {
  if (place.round_trip_s === 0 && place.sync_s === null) return rate;
  const network = (place.round_trip_s * waits.trips) / waits.threads;
  if (place.sync_s === null || waits.changes === 0 || waits.syncs === 0) {
    return 1 / (1 / rate + network);
  }
  if (waits.syncs === null || waits.sync_s === null) return null;
  const [near, far] = [waits.syncs * waits.sync_s, waits.syncs * place.sync_s];
  const sharing = waits.shared ? waits.threads : 1;
  const nearInterval = sharing / (rate * waits.changes);
  const nearWait = syncWait(near, nearInterval, sharing);
  let work = nearInterval - nearWait;
  let [share, least] = [1, 0];
  if (sharing > 1) {
    [share, least] = [Math.min(1, nearInterval / nearWait), Math.min(2, nearInterval / near)];
    work = Math.max(0, work);
  }
  work += (network * sharing) / waits.changes;
  let interval = work + far;
  for (let step = 0; step < STEPS; step += 1) {
    const wait = share * syncWait(far, interval, sharing);
    interval = (interval + Math.max(work + wait, least * far)) / 2;
  }
  return interval > 0 ? sharing / (interval * waits.changes) : null;
}

// The rate of an exchange: median, slowest run and interval; or {unknown: why}.
function rateOf(measured, place) {
  if (measured.groups.length === 0) return { unknown: measured.unknown };
  const runs = [];
  for (const group of measured.groups) {
    for (const [rate, leases] of group.runs) {
      const there = rateElsewhere(rate, group, place);
      if (there !== null) runs.push({ rate: there, leases });
    }
  }
  if (runs.length === 0) return { unknown: "disk" };
  const most = Math.max(...runs.map((run) => run.leases));
  const used = runs.filter((run) => most === 0 || 2 * run.leases > most);
  const logs = used.map((run) => Math.log(run.rate)).sort((a, b) => a - b);
  const interval = logs.length >= LEAST_FOR_INTERVAL ? medianInterval(logs) : null;
  const [low, high] = interval || [logs[0], logs[logs.length - 1]];
  return {
    per_s: Math.exp(median(logs)),
    least: Math.exp(logs[0]),
    low: Math.exp(low),
    high: Math.exp(high),
    is_interval: interval !== null,
    runs: used.length,
    leases: most,
    exchange: measured.exchange,
    kind: measured.kind,
  };
}

function isKnown(rate) {
  return rate.unknown === undefined;
}

function ratesOf(setup, site) {
  const restart = rateOf(site.restart_as_new ? setup.restart_new : setup.restart, site);
  const renew = rateOf(setup.renew, site);
  if (!setup.server || isKnown(renew)) return { renew, restart };
  // A whole server renews at least as often as it grants new leases.
  return { renew: isKnown(restart) ? { ...restart, kind: "new leases" } : restart, restart };
}

function required(site, demand, clients) {
  return clients / (demand === "renew" ? site.lease_s * site.renew_at : site.restart_s);
}

function mostClients(limits, setup, rate) {
  const addresses = setup.family === 4 ? limits.ipv4_addresses : Infinity;
  if (rate.leases === 0 && !setup.measured) return addresses;
  return Math.min(limits.most_leases * rate.leases, addresses);
}

function judge(site, times) {
  const known = times.filter((value) => value !== null);
  if (known.length < times.length) return "not known";
  const least = Math.min(...known);
  if (least >= site.headroom) return "fast enough";
  return least >= 1 ? "without headroom" : "too slow";
}

// How a setup serves a site. Of `scale`, times the required rate is the least of both demands.
function fit(limits, setup, site) {
  const rates = ratesOf(setup, site);
  const times = {};
  const most = {};
  for (const demand of DEMANDS) {
    const rate = rates[demand];
    most[demand] = isKnown(rate) ? mostClients(limits, setup, rate) : null;
    times[demand] = null;
    if (isKnown(rate) && site.clients <= most[demand]) {
      times[demand] = rate.per_s / required(site, demand, site.clients);
    }
  }
  const values = Object.values(times);
  const verdict = judge(site, values);
  const least = values.includes(null) ? null : Math.min(...values);
  const limit = times.renew !== null && times.renew <= times.restart ? "renew" : "restart";
  const clients = served(site, setup, rates, most);
  return { setup, rates, times, most, verdict, least, limit, served: clients };
}

function served(site, setup, rates, most) {
  if (!setup.measured || !DEMANDS.every((demand) => isKnown(rates[demand]))) return null;
  const byRates = DEMANDS.map(
    (demand) => rates[demand].per_s / (required(site, demand, 1) * site.headroom),
  );
  return {
    by_rates: Math.min(...byRates),
    by_leases: Math.min(...DEMANDS.map((demand) => most[demand])),
  };
}

function compareLists(a, b) {
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

function knowledge(each) {
  const known = DEMANDS.filter((demand) => isKnown(each.rates[demand])).length;
  const clients = each.served ? Math.min(each.served.by_rates, each.served.by_leases) : 0;
  return [each.setup.server ? 1 : 0, known, -each.setup.search_rank, clients];
}

// One fit for each name and loss: the whole server if one was measured, else the best known.
function representatives(limits, fits) {
  const best = new Map();
  for (const each of fits) {
    const key = `${each.setup.loss}|${each.setup.name}`;
    const known = best.get(key);
    if (!known || compareLists(knowledge(each), knowledge(known)) > 0) best.set(key, each);
  }
  const order = (each) => [
    each.setup.measured ? 0 : 1,
    each.setup.kea_rank,
    limits.losses.indexOf(each.setup.loss),
    isKnown(each.rates.renew) ? -each.rates.renew.per_s : 0,
  ];
  return [...best.values()].sort((a, b) => compareLists(order(a), order(b)));
}

// The fits that a verdict is about: those measured here, and of them those that Kea has.
function judged(limits, fits) {
  const all = representatives(limits, fits);
  const measured = all.filter((each) => each.setup.measured);
  const candidates = measured.length ? measured : all;
  const ofKea = candidates.filter((each) => each.setup.in_kea);
  return ofKea.length ? ofKea : candidates;
}

function answer(limits, site) {
  return limits.setups.map((setup) => fit(limits, setup, site));
}
