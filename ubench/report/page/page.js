/* SPDX-License-Identifier: ISC */
/*
 * Draws the tables and charts of the page from the JSON in #data, which page.c
 * writes.  Text that comes from results only ever becomes a text node or an
 * attribute.  Times in the data are in nanoseconds, rates in operations per
 * second.
 */
'use strict';
(function () {
/* Marks that turn the direction of writing around are not for a page. */
const data = JSON.parse(document.getElementById('data').textContent
    .replace(/\\u(061c|200[ef]|202[a-e]|206[6-9])/gi, '\\ufffd'));
const STORES = ['memfile', 'sqlite', 'mysql', 'pgsql', 'kea'];
const CLASSES = ['power-safe', 'bounded', 'process-safe', 'volatile', 'none', 'published'];
const SHAPES = {
    memfile: 'M-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0Z', sqlite: 'M-4,-4h8v8h-8Z',
    mysql: 'M0,-5L5,4H-5Z', pgsql: 'M0,-5L5,0L0,5L-5,0Z', kea: 'M-5,-4H5L0,5Z',
    other: 'M-5,-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5Z',
};
const LINES_MAX = 8;
const ROWS_MAX = 60, BOXES_MAX = 24;

/* ---- Figures as text ---- */

function digits(value, count) {
    if (value === 0)
        return '0';
    const places = Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(value))));
    return Number(value.toPrecision(count)).toLocaleString('en', {
        minimumFractionDigits: Math.min(places, 6),
        maximumFractionDigits: Math.min(places, 6),
    });
}
const rate = (value) => value >= 1e6 ? digits(value / 1e6, 3) + ' M' : digits(value, 3);
function time(ns) {
    for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3]]) {
        if (ns >= size)
            return digits(ns / size, 3) + ' ' + unit;
    }
    return digits(ns, 3) + ' ns';
}
const ratio = (value) => digits(value, 3) + ' \u00d7';
const plain = (value) => value.toLocaleString('en', { maximumSignificantDigits: 4 });

function median(values) {
    const order = [...values].sort((a, b) => a - b), half = order.length >> 1;
    return order.length % 2 ? order[half] : (order[half - 1] + order[half]) / 2;
}

/* ---- Elements ---- */

const SVG = 'http://www.w3.org/2000/svg';
const SVG_NAMES = new Set(['svg', 'g', 'path', 'line', 'text', 'rect', 'polyline', 'title']);

/* Children are elements or text; an attribute that is null is left out. */
function el(name, attributes, ...children) {
    const made = SVG_NAMES.has(name) ? document.createElementNS(SVG, name)
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

/* ---- Groups: stores in a fixed order, named by their workload where there are
   several ---- */

const place = (order, value) => order.includes(value) ? order.indexOf(value) : 99;
const several = new Set(data.groups.map((group) => group.workload)).size > 1;
data.groups.sort((a, b) => place(CLASSES, a.class) - place(CLASSES, b.class) ||
    a.workload.localeCompare(b.workload) || place(STORES, a.store) - place(STORES, b.store));
for (const group of data.groups)
    group.name = group.label + (several ? ', ' + group.workload : '');

/* ---- What is shown: filters and choices, kept in the address ---- */

const FACETS = [
    { key: 'class', label: 'Durability', of: (group) => group.class, order: CLASSES },
    { key: 'store', label: 'Store', of: (group) => group.store, order: STORES },
    { key: 'workload', label: 'Workload', of: (group) => group.workload },
    { key: 'threads', label: 'Threads', of: (group) => property(group, 'threads') || '1' },
    { key: 'version', label: 'Version of ubench', of: (group) => group.version },
];
const CHOICES = ['phase', 'against', 'line', 'sort'];
const state = { off: {} };

function property(group, key) {
    const value = key in group.properties ? group.properties[key] : data.common[key];
    return value === undefined ? null : value;
}

function readAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const facet of FACETS)
        state.off[facet.key] = new Set(wanted.getAll('no-' + facet.key));
    for (const key of CHOICES)
        state[key] = wanted.get(key) || '';
}

function writeAddress() {
    const kept = new URLSearchParams();
    for (const facet of FACETS)
        state.off[facet.key].forEach((value) => kept.append('no-' + facet.key, value));
    for (const key of CHOICES) {
        if (state[key] !== '')
            kept.set(key, state[key]);
    }
    history.replaceState(null, '', '#' + kept);
}

function choose(key, value) {
    state[key] = value;
    writeAddress();
    draw();
}

function toggle(facet, value, on) {
    state.off[facet][on ? 'delete' : 'add'](value);
    writeAddress();
    draw();
}

const isShown = (group) =>
    FACETS.every((facet) => !state.off[facet.key].has(facet.of(group)));

function sorted(values, order = []) {
    return [...new Set(values)].sort((a, b) => place(order, a) - place(order, b) ||
        a.localeCompare(b, 'en', { numeric: true }));
}

function drawFilters() {
    const boxes = FACETS.map((facet) => {
        const values = sorted([...data.groups, ...data.open].map(facet.of), facet.order);
        if (values.length < 2 || values.length > BOXES_MAX)
            return null;
        return el('fieldset', {}, el('legend', {}, facet.label),
            ...values.map((value) => el('label', {}, el('input', {
                type: 'checkbox', name: facet.key, value,
                change: (event) => toggle(facet.key, value, event.target.checked),
            }), facet.key === 'store' ? mark(value) : null, value)));
    });
    document.getElementById('filters').replaceChildren(...boxes.filter(Boolean));
}

/* The boxes as the address says, without making them anew: the focus stays. */
function checkFilters() {
    for (const box of document.querySelectorAll('#filters input'))
        box.checked = !state.off[box.name].has(box.value);
}

/* ---- Marks and what is said of them ---- */

const storeClass = (store) => 's-' + (STORES.includes(store) ? store : 'other');
const shapeOf = (store) => SHAPES[store] || SHAPES.other;

function mark(store) {
    return el('svg', { class: 'mark ' + storeClass(store), viewBox: '-6 -6 12 12',
                       'aria-hidden': 'true' },
              el('path', { d: shapeOf(store) }));
}

const tip = el('div', { id: 'tip', role: 'tooltip', hidden: '' });

function showTip(event) {
    const target = event.target.closest('[data-tip]');
    tip.hidden = target === null;
    if (target === null)
        return;
    tip.textContent = target.getAttribute('data-tip');
    const place = target.getBoundingClientRect();
    const left = Math.min(place.right + 10, innerWidth - tip.offsetWidth - 8);
    const below = place.bottom + tip.offsetHeight + 12 < innerHeight;
    tip.style.left = Math.max(4, left) + scrollX + 'px';
    tip.style.top = (below ? place.bottom + 8 : place.top - tip.offsetHeight - 8) +
        scrollY + 'px';
}

/* What hovering tells of a group, after the figure. */
function about(group) {
    const dates = sorted(group.runs.map((run) => run.at.slice(0, 10)));
    return [group.product + ', ' + group.class + (group.differs ? ', ' + group.differs : ''),
            group.durability, 'ubench ' + group.version + ', ' + dates[0] +
                (dates.length > 1 ? ' to ' + dates[dates.length - 1] : ''),
            group.warnings > 0 ? group.warnings + ' of ' + group.runs.length +
                ' runs carry a warning: ' + group.warning : '']
        .filter(Boolean).join('\n');
}

function rateTip(group, { median: middle, low, high, count }, name) {
    return name + ': ' + rate(middle) + ' per second, median of ' + count +
        (count === 1 ? ' run' : ' runs') + (low === null ? ''
            : ', 95 % interval ' + rate(low) + ' to ' + rate(high)) + '\n' + about(group);
}

/* ---- Axes ---- */

/* value -> pixel, with its ticks; a logarithm if the values differ enough. */
function scale(values, from, to, format, forced) {
    const there = values.filter((value) => value !== null && isFinite(value));
    let low = Math.min(...there), high = Math.max(...there);
    const log = forced === 'log' || (forced !== 'linear' && low > 0 && high / low > 20);
    low = log || forced === 'span' ? low : Math.min(0, low);
    if (high === low)
        [low, high] = log ? [low / 2, high * 2] : [low, high + (Math.abs(high) || 1)];
    const turn = log ? Math.log10 : (value) => value;
    const spread = turn(high) - turn(low);
    const begin = turn(low) - (log ? spread * 0.04 : 0), end = turn(high) + spread * 0.04;
    const at = (value) => from + (turn(value) - begin) / (end - begin) * (to - from);
    const ticks = (log ? logTicks(low, high) : linearTicks(low, high))
        .filter((value) => turn(value) >= begin - 1e-9 && turn(value) <= end + 1e-9);
    const back = (pixel) => begin + (pixel - from) / (to - from) * (end - begin);
    return { at, ticks, format, back };
}

function logTicks(low, high) {
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const steps = last - first > 4 ? [1] : last - first > 2 ? [1, 3] : [1, 2, 5];
    const ticks = [];
    for (let power = first; power <= last; power++)
        ticks.push(...steps.map((step) => step * 10 ** power));
    return ticks;
}

function linearTicks(low, high) {
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
    const ticks = [];
    for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step)
        ticks.push(Math.abs(value) < step / 1e6 ? 0 : value);
    return ticks;
}

/* An empty chart: box has its edges; x and y are scales or lists of words. */
function frame(options) {
    const { width, height, box, x, y, xTitle, yTitle, label } = options;
    const svg = el('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img',
                            'aria-label': label, width, height });
    let last = -Infinity; /* labels do not overlap */
    for (const tick of x.ticks) {
        const label = x.at(tick) - last < 58 ? '' : x.format(tick);
        last = label === '' ? last : x.at(tick);
        svg.append(el('line', { class: 'grid', x1: x.at(tick), x2: x.at(tick),
                                y1: box.top, y2: box.bottom }),
                   el('text', { x: x.at(tick), y: box.bottom + 16, 'text-anchor': 'middle' },
                      label));
    }
    for (const tick of y ? y.ticks : []) {
        svg.append(el('line', { class: 'grid', y1: y.at(tick), y2: y.at(tick),
                                x1: box.left, x2: box.right }),
                   el('text', { x: box.left - 6, y: y.at(tick) + 4, 'text-anchor': 'end' },
                      y.format(tick)));
    }
    svg.append(el('text', { class: 'axis', x: (box.left + box.right) / 2,
                            y: height - 4, 'text-anchor': 'middle' }, xTitle),
               el('text', { class: 'axis', x: 4, y: 12 }, yTitle || ''));
    return svg;
}

function point(store, x, y, text, extra) {
    return el('path', { class: 'point ' + storeClass(store), d: shapeOf(store),
                        transform: 'translate(' + x + ',' + y + ')', 'data-tip': text,
                        tabindex: '0', role: 'img', 'aria-label': text, ...extra });
}

const figure = (title, ...parts) => el('figure', {}, el('figcaption', {}, title), ...parts);
const wide = () => Math.max(280, Math.min(960, document.querySelector('main').clientWidth));
const note = (text) => el('p', { class: 'note' }, text);

/* A choice of one of several, kept in the address under key. */
function picker(label, key, values, chosen) {
    return el('label', { class: 'picker' }, label + ' ',
        el('select', { 'data-key': key, change: (event) => choose(key, event.target.value) },
            ...values.map((value) =>
                el('option', { value, selected: value === chosen ? '' : null }, value))));
}

/* ---- Rates: a panel for each class ---- */

const phaseNames = (groups) =>
    ['overall', ...new Set(groups.flatMap((group) => group.phases.map((phase) => phase.name)))];

function figureOf(group, phase) {
    if (phase === 'overall')
        return group.overall;
    const found = group.phases.find((candidate) => candidate.name === phase);
    return found ? found.rate : null;
}

function ratePanel(groups, phase, x, options) {
    const rowHeight = 22, height = groups.length * rowHeight + 46;
    const box = { left: options.left, right: options.width - 12, top: 6, bottom: height - 40 };
    const svg = frame({ width: options.width, height, box, x, xTitle: 'operations per second',
                        label: 'Rates of ' + options.title });
    groups.forEach((group, row) => {
        const y = box.top + (row + 0.5) * rowHeight, value = figureOf(group, phase);
        const text = rateTip(group, value, phase);
        svg.append(el('text', { x: box.left - 8, y: y + 4, 'text-anchor': 'end' },
                      cut(group.name, options.left / 7)));
        if (value.low !== null)
            svg.append(el('line', { class: 'interval ' + storeClass(group.store), y1: y, y2: y,
                                    x1: x.at(Math.max(value.low, value.median / 1e3)),
                                    x2: x.at(value.high) }));
        svg.append(point(group.store, x.at(value.median), y, text,
                         { click: () => choose('line', String(group.id)) }));
    });
    return svg;
}

const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + '\u2026' : text;

function drawRates(groups) {
    const names = phaseNames(groups);
    const phase = names.includes(state.phase) ? state.phase : 'overall';
    const there = groups.filter((group) => figureOf(group, phase)).slice(0, ROWS_MAX);
    const width = wide(), left = Math.min(width * 0.4, 300);
    if (there.length === 0)
        return [];
    const ends = there.map((group) => figureOf(group, phase)).flatMap((value) =>
        [value.median, value.high, value.low > value.median / 1e3 ? value.low : null]);
    const x = scale(ends, left, width - 12, rate);
    const panels = sorted(there.map((group) => group.class), CLASSES).map((name) => {
        const members = there.filter((group) => group.class === name);
        return figure(name + (data.classes[name] ? ': ' + data.classes[name] : ''),
                      ratePanel(members, phase, x, { width, left, title: name }));
    });
    return [el('h2', {}, 'Rates'), picker('Phase', 'phase', names, phase),
            note('Compare stores within one class. A bar is the 95 % interval of the median.'),
            ...panels, leftOut(groups.filter((group) => figureOf(group, phase)).length,
                               there.length)];
}

const leftOut = (all, shown) => all > shown
    ? note('Left out: ' + (all - shown) + ' more; filter to see them.') : null;

/* ---- Lines: latencies by percentile, open loops, seconds ---- */

/* At most LINES_MAX lines: what was chosen, then what stands for its store. */
function chosenLines(groups) {
    const rank = (group) => String(group.id) === state.line ? 0 : group.standard ? 1 : 2;
    return [...groups].sort((a, b) => rank(a) - rank(b)).slice(0, LINES_MAX);
}

/* lines: [{store, label, dashed, points: [[x, y, text]]}] */
function lineChart(lines, options) {
    const width = wide(), height = options.height || 300;
    const box = { left: 62, right: width - 14, top: 22, bottom: height - 38 };
    const points = lines.flatMap((line) => line.points);
    const x = options.x || scale(points.map((p) => p[0]), box.left, box.right,
                                 options.xFormat, options.xKind);
    const y = scale([...points.map((p) => p[1]), ...(options.limits || [])], box.bottom, box.top,
                    options.yFormat, options.yKind);
    const svg = frame({ ...options, width, height, box, x, y });
    for (const limit of options.limits || [])
        svg.append(el('line', { class: 'limit', x1: box.left, x2: box.right,
                                y1: y.at(limit), y2: y.at(limit) }));
    lines.forEach((line, index) => {
        svg.append(el('polyline', {
            class: 'line ' + storeClass(line.store) + ' d' + index % 4,
            points: line.points.map((p) => x.at(p[0]) + ',' + y.at(p[1])).join(' '),
        }));
        for (const p of line.points.filter((q) => q[2]))
            svg.append(point(line.store, x.at(p[0]), y.at(p[1]), p[2]));
    });
    return { svg, x, box };
}

function legend(lines) {
    return el('ul', { class: 'legend' }, ...lines.map((line, index) => el('li', {},
        el('svg', { class: 'key ' + storeClass(line.store), viewBox: '0 0 34 12',
                    'aria-hidden': 'true' },
           el('line', { class: 'line d' + index % 4, x1: 0, x2: 34, y1: 6, y2: 6 }),
           el('path', { d: shapeOf(line.store), transform: 'translate(17,6)' })),
        line.label)));
}

/* Percentiles by the nines that they have: 0.9 is 1, 0.99 is 2. */
const nines = (quantile) => -Math.log10(1 - quantile);

function drawLatencies(groups) {
    const names = phaseNames(groups).slice(1);
    const phase = names.includes(state.phase) ? state.phase : names[0];
    const latencyOf = (group) => (group.phases.find((p) => p.name === phase) || {}).latency;
    const there = groups.filter((group) => (latencyOf(group) || []).length > 0);
    if (there.length === 0)
        return [];
    const lines = chosenLines(there).map((group) => ({
        store: group.store, label: group.class + ', ' + group.name,
        points: latencyOf(group).map(([quantile, ns]) => [nines(quantile), ns,
            'p' + digits(quantile * 100, Math.ceil(nines(quantile)) + 2) + ' of ' + phase +
            ': ' + time(ns) + '\n' + about(group)]),
    }));
    const chart = lineChart(lines, {
        xTitle: 'percentile of the operations', yTitle: 'latency of ' + phase,
        label: 'Latencies of ' + phase + ' by percentile', yFormat: time, yKind: 'log',
        xKind: 'linear', xFormat: (value) => value === 0 ? 'p0'
            : value % 1 === 0 ? 'p' + (100 - 100 / 10 ** value) : '',
    });
    return [el('h2', {}, 'Latencies'),
            figure('Latency by percentile: ' + phase, chart.svg, legend(lines)),
            leftOut(there.length, lines.length)];
}

/* ---- Rate against what varies ---- */

/* Keys that differ between groups of which all else that was asked for is alike,
   so that a line can be drawn: key -> [[groups of one line]].  A setting that was
   read back may lead a line through classes; an option of the load may not. */
function axesOf(groups) {
    const axes = new Map();
    for (const key of data.axes) {
        const lines = new Map();
        for (const group of groups) {
            if (property(group, key) === null)
                continue;
            const rest = [group.store, group.workload, group.version,
                data.asked.includes(key) ? group.class : '',
                ...data.asked.filter((other) => other !== key)
                    .map((other) => property(group, other))].join('\u0001');
            lines.set(rest, [...(lines.get(rest) || []), group]);
        }
        const real = [...lines.values()].filter((members) =>
            new Set(members.map((group) => property(group, key))).size > 1);
        if (real.length > 0)
            axes.set(key, real);
    }
    return axes;
}

function drawAgainst(groups) {
    const axes = axesOf(groups);
    if (axes.size === 0)
        return [];
    const keys = [...axes.keys()].sort();
    const key = axes.has(state.against) ? state.against
        : keys.includes('threads') ? 'threads' : keys[0];
    const phase = phaseNames(groups).includes(state.phase) ? state.phase : 'overall';
    const members = axes.get(key).filter((line) => line.every((g) => figureOf(g, phase)));
    const words = sorted(members.flat().map((group) => property(group, key)));
    const numeric = words.every((word) => /^[0-9.]+$/.test(word));
    const at = (word) => numeric ? Number(word) : words.indexOf(word);
    const lines = members.slice(0, LINES_MAX).map((line) => ({
        store: line[0].store, label: [...new Set(line.map((g) => g.class))].join(' / ') + ', ' +
            line[0].store + ', ' + line[0].workload,
        points: line.slice().sort((a, b) => at(property(a, key)) - at(property(b, key)))
            .map((group) => [at(property(group, key)), figureOf(group, phase).median,
                key + '=' + property(group, key) + ', ' +
                (data.classes[group.class] || group.class) + '\n' +
                rateTip(group, figureOf(group, phase), phase)]),
    }));
    if (lines.length === 0)
        return [];
    const width = wide();
    const x = numeric ? null : { at: (index) => 62 + (index + 0.5) * (width - 76) / words.length,
                                 ticks: words.map((word, index) => index),
                                 format: (index) => cut(words[index], 100 / words.length + 6) };
    const chart = lineChart(lines, {
        x, xTitle: key, xFormat: plain, yTitle: 'operations per second',
        yFormat: rate, label: 'Rate against ' + key,
    });
    return [el('h2', {}, 'Rate against a setting'), picker('Setting', 'against', keys, key),
            figure(phase + ' against ' + key, chart.svg, legend(lines)), classRow(members, key),
            leftOut(members.length, lines.length)];
}

/* Which class each value of a setting is, where a line leads through several. */
function classRow(members, key) {
    const rows = new Map();
    for (const group of members.filter((line) => new Set(line.map((g) => g.class)).size > 1).flat())
        rows.set(group.store + ' ' + key + '=' + property(group, key) + ' ' + group.class, group);
    return rows.size === 0 ? null : table('Class of each value',
        ['store', key, 'class', 'what it promises'], [...rows.values()].map((group) =>
            [group.store, property(group, key), group.class, data.classes[group.class]]));
}

/* ---- Second by second, with zoom ---- */

function drawSeconds(groups) {
    const there = groups.filter((group) => group.seconds.length > 2);
    if (there.length === 0)
        return [];
    const lines = chosenLines(there);
    const host = el('div', {});
    const show = (from, to) => host.replaceChildren(...secondsChart(lines, from, to, show));
    show(0, Infinity);
    return [el('h2', {}, 'Second by second'),
            note('One run of each. A mark is a stall: a second with less than a tenth of the ' +
                 'median. Drag over the chart to zoom; + and - zoom, too.'),
            host, leftOut(there.length, lines.length)];
}

function secondsChart(groups, from, to, show) {
    const lines = groups.map((group) => {
        const counts = group.seconds, least = median(counts) / 10;
        return { store: group.store, label: group.class + ', ' + group.name,
                 points: counts.map((count, second) => [second, count, count < least
                     ? 'second ' + second + ': ' + count + ' operations, a stall\n' + about(group)
                     : null]).filter((p) => p[0] >= from && p[0] <= to) };
    }).filter((line) => line.points.length > 0);
    const chart = lineChart(lines, { xTitle: 'second of the run', yFormat: rate, xKind: 'span',
        xFormat: plain, yTitle: 'operations in the second',
        label: 'Operations in each second' });
    const last = Math.max(...groups.map((group) => group.seconds.length - 1));
    zoomable(chart, Math.max(0, from), Math.min(last, to), last, show);
    return [figure('Operations in each second', chart.svg, legend(lines)),
            el('button', { type: 'button', disabled: from <= 0 && to >= last ? '' : null,
                           click: () => show(0, Infinity) }, 'Whole run')];
}

function zoomable(chart, from, to, last, show) {
    const svg = chart.svg, box = chart.box;
    const band = el('rect', { class: 'band', y: box.top, height: box.bottom - box.top, width: 0 });
    let begun = null;
    const pixel = (event) => {
        const place = svg.getBoundingClientRect();
        return (event.clientX - place.left) / place.width * svg.viewBox.baseVal.width;
    };
    svg.append(band);
    svg.setAttribute('tabindex', '0');
    svg.classList.add('zoomable');
    svg.addEventListener('pointerdown', (event) => {
        begun = pixel(event);
        svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointermove', (event) => {
        band.setAttribute('x', Math.min(begun, pixel(event)));
        band.setAttribute('width', begun === null ? 0 : Math.abs(pixel(event) - begun));
    });
    svg.addEventListener('pointerup', (event) => {
        const ends = [begun, pixel(event)].sort((a, b) => a - b).map(chart.x.back);
        begun = null;
        if (ends[1] - ends[0] >= 1)
            show(Math.max(0, Math.floor(ends[0])), Math.min(last, Math.ceil(ends[1])));
    });
    svg.addEventListener('keydown', (event) => {
        const quarter = Math.max(1, Math.round((to - from) / 4));
        if (event.key === '+' && to - from > 4)
            show(from + quarter, to - quarter);
        else if (event.key === '-')
            show(from - quarter, to + quarter);
    });
}

/* ---- Requests at a rate, storms ---- */

function drawOpen() {
    const there = data.open.filter(isShown), storms = there.filter((group) => group.storm);
    const rated = there.filter((group) => group.trials.length > 0);
    const lines = sorted(rated.map((group) => group.line)).slice(0, LINES_MAX / 2)
        .flatMap((name) => ['p50', 'p99'].map((quantile) =>
            responses(rated.filter((group) => group.line === name), quantile)))
        .filter((line) => line.points.length > 0);
    const limits = [...new Set(rated.flatMap((g) => g.trials.map((t) => t.deadline)))];
    if (lines.length + storms.length === 0)
        return [];
    const title = 'Response time against the offered rate';
    return [el('h2', {}, 'Requests at a rate'), lines.length === 0 ? null
        : figure(title + '; the dashed line is the deadline', lineChart(lines, {
            xTitle: 'offered requests per second', xFormat: rate, yFormat: time, yKind: 'log',
            yTitle: 'response time', limits, label: title }).svg, legend(lines)),
        storms.length === 0 ? null : table('All clients restart at once: until they were served',
            ['store', 'what differs', 'clients', 'half', '99 %', 'all', 'all, predicted',
             'ratio'], storms.map(stormRow))];
}

function responses(groups, quantile) {
    const points = groups.flatMap((group) => group.trials.map((trial) => [trial.rate,
        trial[quantile], quantile + ' at ' + rate(trial.rate) + ' requests per second: ' +
        time(trial[quantile]) + '; ' + digits(trial.bad * 100, 3) + ' % late or lost' +
        (trial.invalid ? '; invalid: ' + trial.invalid : '') + '\n' + about(group)]));
    return { store: groups[0].store, label: groups[0].line + ', ' + quantile,
             points: points.filter((p) => p[0] > 0 && p[1] > 0).sort((a, b) => a[0] - b[0]) };
}

function stormRow(group) {
    const { measured, predicted } = group.storm;
    const shown = (ns) => ns === null ? 'not all' : time(ns);
    return [group.store, group.differs, number(measured.clients), shown(measured.half),
            shown(measured.most), shown(measured.all), predicted ? shown(predicted.all) : '',
            predicted && predicted.all && measured.all ? ratio(measured.all / predicted.all) : ''];
}

/* ---- History: as a ratio to the first campaign ---- */

function campaignsOf(group, phase) {
    const campaigns = new Map();
    for (const run of group.runs) {
        const value = phase === 'overall' ? run.overall
            : run.rates[group.phases.findIndex((p) => p.name === phase)];
        const name = run.campaign || run.at.slice(0, 10);
        const one = campaigns.get(name) || { name, at: run.at, rates: [], group };
        if (value > 0)
            one.rates.push(value);
        campaigns.set(name, one);
    }
    return [...campaigns.values()].filter((one) => one.rates.length > 0);
}

function drawHistory(groups) {
    const phase = phaseNames(groups).includes(state.phase) ? state.phase : 'overall';
    const lines = new Map();
    for (const group of groups) {
        const key = group.class + ', ' + group.name;
        lines.set(key, [...(lines.get(key) || []), ...campaignsOf(group, phase)]);
    }
    const long = [...lines].filter(([, campaigns]) => campaigns.length > 1);
    if (long.length === 0)
        return [];
    const shown = long.slice(0, LINES_MAX).map(([label, campaigns]) => {
        campaigns.sort((a, b) => a.at < b.at ? -1 : 1);
        const first = median(campaigns[0].rates);
        return { store: campaigns[0].group.store, label,
                 points: campaigns.map((one, index) => [index, median(one.rates) / first,
                     one.name + ': ' + rate(median(one.rates)) + ' per second, ' +
                     ratio(median(one.rates) / first) + ' of the first\n' + about(one.group)]) };
    });
    const chart = lineChart(shown, {
        xTitle: 'campaign, in order', yTitle: 'rate, of the first campaign', yKind: 'span',
        xKind: 'linear', xFormat: (value) => value % 1 === 0 ? String(value + 1) : '',
        yFormat: plain, limits: [1], label: 'Rates of each campaign',
    });
    return [el('h2', {}, 'History'),
            figure(phase + ' of each campaign, of the first', chart.svg, legend(shown)),
            leftOut(long.length, shown.length)];
}

/* ---- Tables ---- */

function table(title, names, rows) {
    const key = title + '/', chosen = state.sort.startsWith(key)
        ? state.sort.slice(key.length) : '';
    const column = names.indexOf(chosen.replace(/^-/, '')), down = chosen.startsWith('-');
    const value = (row) => row[column].order !== undefined ? row[column].order
        : row[column].text || row[column];
    const shown = column < 0 ? rows : [...rows].sort((a, b) => (down ? -1 : 1) *
        (typeof value(a) === 'number' ? value(a) - value(b)
            : value(a).localeCompare(value(b), 'en', { numeric: true })));
    return el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': title },
        el('table', {}, el('caption', {}, title),
        el('thead', {}, el('tr', {}, ...names.map((name, index) => el('th', {
            scope: 'col',
            'aria-sort': index !== column ? null : down ? 'descending' : 'ascending' },
            el('button', { type: 'button', click: () => choose('sort',
                key + (index === column && !down ? '-' : '') + name) }, name))))),
        el('tbody', {}, ...shown.map((row) => el('tr', {}, ...row.map(cell))))));
}

const number = (value) => ({ text: plain(value), order: value });

/* A cell is a text, or {text, order, tip, store}. */
function cell(value) {
    if (typeof value === 'string')
        return el('td', {}, value);
    return el('td', { class: value.order !== undefined ? 'number' : null,
                      'data-tip': value.tip || null },
              value.store ? mark(value.store) : null, value.text);
}

function rateCell(group, value, name) {
    return value === null ? { text: '\u2013', order: -1 }
        : { text: rate(value.median), order: value.median, tip: rateTip(group, value, name) };
}

function drawTable(groups) {
    const sections = new Map();
    for (const group of groups)
        sections.set(group.section, [...(sections.get(group.section) || []), group]);
    return [el('h2', {}, 'Tables'), ...[...sections].map(([title, members]) => {
        const names = phaseNames(members);
        return table(title, ['store', 'what differs', 'runs', ...names.slice(1), 'overall'],
            members.map((group) => [{ text: group.store, store: group.store }, group.differs,
                number(group.runs.length),
                ...[...names.slice(1), 'overall'].map((name) =>
                    rateCell(group, figureOf(group, name), name))]));
    })];
}

function drawCrashes() {
    if (data.crashes.length === 0)
        return [];
    return [el('h2', {}, 'Crashes'), table('What crashes took',
        ['store', 'configuration', 'level', 'class', 'crashes', 'lost something', 'leases lost',
         'other damage'],
        data.crashes.map((cell) => [{ text: cell.store, store: cell.store }, cell.name,
            cell.level, cell.class, number(cell.crashes), number(cell.lossy), number(cell.lost),
            cell.damage]))];
}

/* ---- All of it ---- */

function draw() {
    const shown = data.groups.filter(isShown);
    const measured = shown.filter((group) => group.phases.length > 0);
    const parts = [drawRates(measured), drawLatencies(measured), drawAgainst(measured),
                   drawSeconds(measured), drawOpen(), drawHistory(measured),
                   drawCrashes(), drawTable(measured)];
    const focus = document.activeElement.dataset.key;
    checkFilters();
    document.getElementById('count').textContent = shown.length + ' of ' + data.groups.length +
        ' configurations are shown.';
    document.getElementById('drawn').replaceChildren(...parts.filter((part) => part.length > 0)
        .map((part) => el('section', {}, ...part.filter((one) => one !== null))));
    if (focus && document.querySelector('[data-key="' + focus + '"]'))
        document.querySelector('[data-key="' + focus + '"]').focus();
}

readAddress();
document.body.append(tip);
drawFilters();
draw();
for (const name of ['pointerover', 'focusin'])
    document.addEventListener(name, showTip);
addEventListener('hashchange', () => { readAddress(); draw(); });
addEventListener('resize', draw);
}());
