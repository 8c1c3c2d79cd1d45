/* SPDX-License-Identifier: ISC */
/*
 * Draws the charts of the page from the JSON in #data, which __init__.py writes, and lets its
 * tables be filtered and sorted.  Text that comes from results only ever becomes a text node or
 * an attribute.  Times in the data are in nanoseconds, rates in operations per second.
 */
'use strict';
(function () {
const data = JSON.parse(document.getElementById('data').textContent);
const STORES = Object.keys(data.stores), CLASSES = data.order;
const LINES_MAX = 8, ROWS_MAX = 60, BOXES_MAX = 24;

/* ---- Figures as text ---- */

const [short, exact] = [3, 6].map((most) => new Intl.NumberFormat('en', {
    maximumSignificantDigits: most }).format);
const rate = (value) => value >= 1e6 ? short(value / 1e6) + ' M' : short(value);
function time(ns) {
    const units = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3], ['ns', 1]];
    const [unit, size] = units.find((one) => ns >= one[1]) || units[3];
    return short(ns / size) + ' ' + unit;
}

/* ---- Elements ---- */

const SVG_NAMES = new Set(['svg', 'path', 'line', 'text', 'polyline']);

/* Children are elements or text; what is null is left out. */
function el(name, attributes, ...children) {
    const made = SVG_NAMES.has(name)
        ? document.createElementNS('http://www.w3.org/2000/svg', name)
        : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
        if (typeof value === 'function')
            made.addEventListener(key, value);
        else if (value !== null && value !== undefined)
            made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
}
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const note = (text) => el('p', { class: 'note' }, text);
const titled = (title, ...parts) => el('figure', {}, el('figcaption', {}, title), ...parts);
const wide = () => Math.max(280, Math.min(960, document.querySelector('main').clientWidth));
const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + '\u2026' : text;
const leftOut = (count, shown) => count > shown
    ? note('Left out: ' + (count - shown) + ' more; filter to see them.') : null;

/* ---- What is shown: filters and choices, which are the page's address ---- */

const ORDER = new Intl.Collator('en', { numeric: true });
const place = (order, value) => order.includes(value) ? order.indexOf(value) : 99;
const sorted = (values, order = []) => [...new Set(values)].sort((a, b) =>
    place(order, a) - place(order, b) || ORDER.compare(a, b));
data.groups.sort((a, b) => place(CLASSES, a.class) - place(CLASSES, b.class) ||
    a.workload.localeCompare(b.workload) || place(STORES, a.store) - place(STORES, b.store));

const FACETS = [
    { key: 'class', label: 'Durability', order: CLASSES },
    { key: 'store', label: 'Store', order: STORES },
    { key: 'workload', label: 'Workload' },
    { key: 'threads', label: 'Threads' },
    { key: 'version', label: 'Version' },
];
let state = null; /* URLSearchParams; no-KEY=VALUE is left out */

function change(turn) {
    turn();
    history.replaceState(null, '', '#' + state);
    draw();
}
const choose = (key, value) => change(() => state.set(key, value));
const isOff = (key, value) => state.has('no-' + key, value);
const isShown = (group) => FACETS.every((facet) => !isOff(facet.key, group[facet.key]));
const toggle = (key, value) => change(() => isOff(key, value)
    ? state.delete('no-' + key, value) : state.append('no-' + key, value));

function drawFilters() {
    const boxes = FACETS.map((facet) => {
        const values = sorted(data.groups.map((group) => group[facet.key]), facet.order);
        return values.length < 2 || values.length > BOXES_MAX ? null
            : el('fieldset', {}, el('legend', {}, facet.label),
                ...values.map((value) => el('label', {}, el('input', {
                    type: 'checkbox', 'data-key': facet.key + ' ' + value,
                    checked: isOff(facet.key, value) ? null : '',
                    change: () => toggle(facet.key, value),
                }), facet.key === 'store' ? mark(value) : null, value)));
    });
    document.getElementById('filters').replaceChildren(...boxes.filter(Boolean));
}

/* A choice of one of several, and a number, kept in the address under key. */
const picker = (label, key, values, chosen) => el('label', { class: 'picker' }, label + ' ',
    el('select', { 'data-key': key, change: (event) => choose(key, event.target.value) },
        ...values.map((value) => el('option', { value, selected: value === chosen ? '' : null },
            value))));
const field = (label, key, value, attributes) => el('label', { class: 'picker' }, label + ' ',
    el('input', { ...attributes, value, 'data-key': key,
                  change: (event) => choose(key, event.target.value) }));

/* ---- Marks and what is said of them ---- */

/* The store of "kea-dhcp4/mysql" is mysql. */
const bare = (store) => STORES.includes(store.split('/').pop()) ? store.split('/').pop() : 'other';
const storeClass = (store) => 's-' + bare(store);
const shapeOf = (store) => data.stores[bare(store)];
const mark = (store) => el('svg', { class: 'mark ' + storeClass(store), viewBox: '-6 -6 12 12',
    'aria-hidden': 'true' }, el('path', { d: shapeOf(store) }));
const point = (store, x, y, text) => el('path', { class: 'point ' + storeClass(store),
    d: shapeOf(store), transform: 'translate(' + x + ',' + y + ')', 'data-tip': text,
    tabindex: '0', role: 'img', 'aria-label': text });
const tip = el('div', { id: 'tip', role: 'tooltip', hidden: '' });

function showTip(event) {
    const target = event.target.closest('[data-tip]');
    tip.hidden = target === null;
    if (target === null)
        return;
    tip.textContent = target.dataset.tip;
    const place = target.getBoundingClientRect();
    const left = Math.min(place.right + 10, innerWidth - tip.offsetWidth - 8);
    const below = place.bottom + tip.offsetHeight + 12 < innerHeight;
    tip.style.left = Math.max(4, left) + scrollX + 'px';
    tip.style.top = (below ? place.bottom + 8 : place.top - tip.offsetHeight - 8) + scrollY + 'px';
}

/* ---- Axes ---- */

/* value -> pixel, with its ticks; a logarithm if the values differ enough. */
function scale(values, from, to, format, forced) {
    const there = values.filter(Number.isFinite);
    let low = Math.min(...there), high = Math.max(...there);
    const log = forced === 'log' || (forced !== 'linear' && low > 0 && high / low > 20);
    low = log ? low : Math.min(0, low);
    if (high === low)
        [low, high] = log ? [low / 2, high * 2] : [low, high + (Math.abs(high) || 1)];
    const turn = log ? Math.log10 : (value) => value;
    const spread = turn(high) - turn(low);
    const begin = turn(low) - (log ? spread * 0.04 : 0), end = turn(high) + spread * 0.04;
    const at = (value) => from + (turn(value) - begin) / (end - begin) * (to - from);
    const ticks = (log ? logTicks(low, high) : linearTicks(low, high))
        .filter((value) => turn(value) >= begin - 1e-9 && turn(value) <= end + 1e-9);
    return { at, ticks, format };
}

const range = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

function logTicks(low, high) {
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const steps = last - first > 4 ? [1] : last - first > 2 ? [1, 3] : [1, 2, 5];
    return range(first, last).flatMap((power) => steps.map((step) => step * 10 ** power));
}

function linearTicks(low, high) {
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
    return range(Math.ceil(low / step), Math.floor(high / step + 1e-6)).map((i) => i * step);
}

const words = (x, y, anchor, text, kind) =>
    el('text', { class: kind, x, y, 'text-anchor': anchor }, text);

/* An empty chart: box has its edges; x and y are scales. */
function frame({ width, height, box, x, y, xTitle, yTitle, label }) {
    const svg = el('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img',
                            'aria-label': label, width, height });
    let last = -Infinity; /* labels do not overlap */
    for (const tick of x.ticks) {
        const at = x.at(tick), text = at - last < 58 ? '' : x.format(tick);
        last = text === '' ? last : at;
        svg.append(el('line', { class: 'grid', x1: at, x2: at, y1: box.top, y2: box.bottom }),
                   words(at, box.bottom + 16, 'middle', text));
    }
    for (const tick of y ? y.ticks : []) {
        const at = y.at(tick);
        svg.append(el('line', { class: 'grid', y1: at, y2: at, x1: box.left, x2: box.right }),
                   words(box.left - 6, at + 4, 'end', y.format(tick)));
    }
    svg.append(words((box.left + box.right) / 2, height - 4, 'middle', xTitle, 'axis'),
               words(4, 12, 'start', yTitle || '', 'axis'));
    return svg;
}

/* rows: [{store, label, value, low, high, tip}]; low is null where there is no interval. */
function panel(rows, options) {
    const rowHeight = 22, height = rows.length * rowHeight + 46, width = wide();
    const box = { left: Math.min(width * 0.4, 300), right: width - 12, top: 6,
                  bottom: height - 40 };
    const x = scale(options.values, box.left, box.right, options.format || rate, options.kind);
    const svg = frame({ ...options, width, height, box, x });
    rows.forEach((row, index) => {
        const y = box.top + (index + 0.5) * rowHeight;
        svg.append(words(box.left - 8, y + 4, 'end', cut(row.label, box.left / 7)));
        if (row.low !== null)
            svg.append(el('line', { class: 'interval ' + storeClass(row.store), y1: y, y2: y,
                                    x1: x.at(row.low), x2: x.at(row.high) }));
        svg.append(point(row.store, x.at(row.value), y, row.tip));
    });
    return svg;
}

const legend = (lines) => el('ul', { class: 'legend' }, ...lines.map((line, index) => el('li', {},
    el('svg', { class: 'key ' + storeClass(line.store), viewBox: '0 0 34 12',
                'aria-hidden': 'true' },
       el('line', { class: 'line d' + index % 4, x1: 0, x2: 34, y1: 6, y2: 6 }),
       el('path', { d: shapeOf(line.store), transform: 'translate(17,6)' })), line.label)));

/* ---- Rates of one figure: of all of a workload, or of a phase ---- */

function drawRates(groups, figure) {
    const rows = groups.slice(0, ROWS_MAX).map((group) => {
        const value = group.figures[figure].rate;
        return { store: group.store, class: group.class, label: group.label, value: value.median,
                 low: value.low && Math.max(value.low, value.median / 1e3), high: value.high,
                 tip: figure + ': ' + value.text + '\n' + group.about };
    });
    const values = rows.flatMap((row) => [row.value, row.low, row.high]);
    const options = { values, xTitle: groups[0].figures[figure].phase + ' per second' };
    const panels = sorted(rows.map((row) => row.class), CLASSES).map((name) =>
        titled(name + ': ' + data.classes[name], panel(rows.filter((row) => row.class === name),
                                                       { ...options, label: 'Rates, ' + name })));
    return [el('h2', {}, 'How fast'),
            note('A mark is the median of the runs, its bar the 95 % interval: where bars ' +
                 'overlap, a difference may be chance. Compare within a panel: of one class.'),
            ...panels, leftOut(groups.length, rows.length)];
}

/* ---- Latencies by percentile; second by second ---- */

/* A chart of at most LINES_MAX lines: what stands for its store comes first.  pointsOf gives the
 * points of a group, [[x, y, text]]; those with a text have a mark. */
function drawLines(heading, said, groups, title, pointsOf, options) {
    if (groups.length === 0)
        return [];
    const lines = [...groups].sort((a, b) => b.standard - a.standard).slice(0, LINES_MAX)
        .map((group) => ({ store: group.store, label: group.class + ', ' + group.label,
                           points: pointsOf(group) }));
    const points = lines.flatMap((line) => line.points), width = wide(), height = 300;
    const box = { left: 62, right: width - 14, top: 22, bottom: height - 38 };
    const x = scale(points.map((p) => p[0]), box.left, box.right, options.xFormat, options.xKind);
    const y = scale(points.map((p) => p[1]), box.bottom, box.top, options.yFormat, options.yKind);
    const svg = frame({ ...options, label: title, width, height, box, x, y });
    lines.forEach((line, index) => {
        svg.append(el('polyline', {
            class: 'line ' + storeClass(line.store) + ' d' + index % 4,
            points: line.points.map((p) => x.at(p[0]) + ',' + y.at(p[1])).join(' ') }));
        for (const p of line.points.filter((q) => q[2]))
            svg.append(point(line.store, x.at(p[0]), y.at(p[1]), p[2]));
    });
    return [el('h2', {}, heading), note(said), titled(title, svg, legend(lines)),
            leftOut(groups.length, lines.length)];
}

/* Percentiles by the nines that they have: 0.9 is 1, 0.99 is 2. */
function drawLatencies(groups, figure) {
    const there = groups.filter((group) => group.figures[figure].latency.length > 0);
    const name = there[0]?.figures[figure].phase;
    const points = (group) => group.figures[figure].latency.map(([quantile, ns]) => [
        -Math.log10(1 - quantile), ns, exact(quantile * 100) + ' % of ' + name + ' took ' +
        time(ns) + ' or less\n' + group.about]);
    return drawLines('How long one operation takes',
        'At p50 half of the operations took this time or less, at p99 99 %.', there,
        'Latency of ' + name + ' by percentile', points, {
            xTitle: 'percentile of the operations', yTitle: 'time of one ' + name,
            yFormat: time, yKind: 'log', xKind: 'linear',
            xFormat: (value) => value % 1 === 0 ? 'p' + (100 - 100 / 10 ** value) : '' });
}

function drawSeconds(groups) {
    const points = ({ seconds, about }) => {
        const least = [...seconds].sort((a, b) => a - b)[seconds.length >> 1] / 10;
        return seconds.map((count, second) => [second, count, count < least
            ? 'second ' + second + ': ' + count + ' operations, a stall\n' + about : null]);
    };
    return drawLines('Second by second',
        'One run of each. A mark is a stall: a second with less than a tenth of the median.',
        groups.filter((group) => group.seconds.length > 2), 'Operations in each second', points, {
            xTitle: 'second of the run', xKind: 'linear', xFormat: short,
            yTitle: 'operations in the second', yFormat: rate });
}

/* ---- The tables that the page came with: filtered and sorted ---- */

const SITE = el('div', { id: 'site' });
const TABLES = all('table').map((table, index) => ({ index, table, rows: all('tbody tr', table),
    title: table.closest('#tables') && all('h3')
        .filter((head) => head.compareDocumentPosition(table) & 4).pop()?.textContent }));

function addSorting({ index, table }) {
    all('thead th', table).forEach((head, column) => {
        const key = index + '|' + column, name = head.textContent;
        head.replaceChildren(el('button', { type: 'button', 'data-key': 'sort ' + key, click: () =>
            choose('sort', key + (state.get('sort') === key ? '|down' : '')) }, name));
    });
}

function drawTables() {
    const keyOf = (group) => group.title + '\u0001' + group.label;
    const off = new Set(data.groups.filter((group) => !isShown(group)).map(keyOf));
    const [chosen, column, down] = (state.get('sort') || '').split('|');
    const text = (row) => row.children[column].textContent;
    const number = (row) => parseFloat(text(row).replace(/^~/, '').replaceAll(',', ''));
    for (const { index, table, rows, title } of TABLES) {
        const isSorted = String(index) === chosen;
        const shown = !isSorted ? rows : [...rows].sort((a, b) => (down ? -1 : 1) *
            (number(a) - number(b) || ORDER.compare(text(a), text(b))));
        all('thead th', table).forEach((head, i) => isSorted && String(i) === column
            ? head.setAttribute('aria-sort', down ? 'descending' : 'ascending')
            : head.removeAttribute('aria-sort'));
        for (const row of rows)
            row.hidden = title !== null && off.has(title + '\u0001' + row.children[0].textContent);
        table.tBodies[0].append(...shown);
    }
}

/* ---- The answer: which stores are fast enough for a site ---- */

function drawAnswer() {
    const site = data.answer, keys = ['clients', 'hours', 'minutes'];
    if (!site)
        return;
    const [clients, hours, minutes] = keys.map((key) =>
        Number(state.get(key)) > 0 ? Number(state.get(key)) : site[key]);
    const isOther = keys.some((key, i) => [clients, hours, minutes][i] !== site[key]);
    document.getElementById('screen').hidden = isOther; /* it is for the site that it names */
    ANSWER.table.closest('details').open ||= isOther;
    const needs = [clients / (hours * 3600 * site.renewAt), clients / (minutes * 60)];
    const [enough, near, slow, unknown] = site.verdicts, rows = ANSWER.rows;
    const put = (row, from, texts) =>
        texts.forEach((text, i) => { row.children[from + i].textContent = text; });
    const names = new Map(site.verdicts.map((verdict) => [verdict, []]));
    site.rows.forEach((row, index) => {
        const times = Math.min(...row.rates.map((one, i) => one ? one.rate / needs[i] : NaN));
        const most = Math.min(...row.rates.map((one) => one?.most ?? Infinity));
        const served = times * clients / site.reserve, known = clients <= most && !isNaN(times);
        put(rows[index], 4, [known ? short(times) : 'n/a', isNaN(times) ? 'n/a'
            : (served > most ? '>' : '') + short(Math.floor(Math.min(served, most)))]);
        rows[index].hidden = isOff('class', row.class) || isOff('store', row.store);
        if (!rows[index].hidden)
            names.get(!known ? unknown : times >= site.reserve ? enough
                : times >= 1 ? near : slow).push(row.name);
    });
    put(rows[site.rows.length], 2, [...needs.map(short), site.reserve, exact(clients)]);
    const positive = { type: 'number', min: 0, step: 'any' };
    SITE.replaceChildren(field('Clients', 'clients', clients, positive),
        field('hours of a lease', 'hours', hours, positive),
        field('minutes in which all may restart', 'minutes', minutes, positive),
        ...[...names].filter(([, found]) => found.length > 0).map(([verdict, found]) =>
            note(verdict + ': ' + found.join('; '))));
}

/* ---- Ratios of duels ---- */

function drawRatios() {
    const values = [1, ...data.ratios.flatMap((row) => [row.value, row.low, row.high])];
    if (data.ratios.length > 0)
        document.getElementById('ratios').replaceChildren(panel(data.ratios, {
            values, kind: 'log', format: (ratio) => ratio.toPrecision(3) / 1 + '',
            xTitle: 'ratio of the rates, with its 95 % interval', label: 'Duels' }));
}

/* ---- All of it ---- */

function draw() {
    const shown = data.groups.filter(isShown);
    const figures = [...new Set(shown.flatMap((group) => Object.keys(group.figures)))];
    /* The chosen figure, or else the renewal of a lease, which a server does most. */
    const figure = [state.get('figure'), 'renew', figures[0]].find((name) =>
        figures.includes(name));
    const there = shown.filter((group) => group.figures[figure]?.rate);
    const parts = there.length === 0 ? [] : [
        [picker('Figure', 'figure', figures, figure)],
        drawRates(there, figure), drawLatencies(there, figure), drawSeconds(there)];
    const focus = document.activeElement.dataset.key;
    drawFilters();
    drawTables();
    drawAnswer();
    drawRatios();
    document.getElementById('count').textContent = shown.length + ' of ' + data.groups.length +
        ' configurations are shown.';
    document.getElementById('drawn').replaceChildren(...parts.filter((part) => part.length > 0)
        .map((part) => el('section', {}, ...part.filter((one) => one !== null))));
    all('[data-key]').find((made) => made.dataset.key === focus)?.focus();
}

function readAddress() {
    state = new URLSearchParams(location.hash.slice(1));
    draw();
}

document.body.append(tip);
const ANSWER = TABLES.find((one) => one.table.closest('#answer details'));
document.getElementById('screen')?.after(SITE);
TABLES.filter((one) => !one.table.closest('#answer')).forEach(addSorting);
readAddress();
for (const name of ['pointerover', 'focusin'])
    document.addEventListener(name, showTip);
addEventListener('hashchange', readAddress);
addEventListener('resize', draw);
}());
