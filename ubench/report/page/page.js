/* SPDX-License-Identifier: ISC */
/*
 * Draws the tables and charts of the page from the JSON in #data, which data.c writes.
 * Text that comes from results only ever becomes a text node or an attribute.  Times in
 * the data are in nanoseconds, rates in operations per second.
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
const LINES_MAX = 8, ROWS_MAX = 60, BOXES_MAX = 24, WORDS_MAX = 8;

/* ---- Figures as text ---- */

/* One for each number of decimal places: making them takes long. */
const FORMATS = [0, 1, 2, 3, 4, 5, 6].map((places) => new Intl.NumberFormat('en', {
    minimumFractionDigits: places, maximumFractionDigits: places }));
function digits(value, count) {
    const size = value === 0 ? count : Math.floor(Math.log10(Math.abs(value)));
    return FORMATS[Math.min(6, Math.max(0, count - 1 - size))]
        .format(Number(value.toPrecision(count)));
}
const rate = (value) => value >= 1e6 ? digits(value / 1e6, 3) + ' M' : digits(value, 3);
function time(ns) {
    const units = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3], ['ns', 0]];
    const [unit, size] = units.find((one) => ns >= one[1]);
    return digits(ns / (size || 1), 3) + ' ' + unit;
}
const percent = (value) => digits(value, 3) + ' %';
const PLAIN = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const plain = (value) => PLAIN.format(value);

/* ---- Elements ---- */

const SVG = 'http://www.w3.org/2000/svg';
const SVG_NAMES = new Set(['svg', 'path', 'line', 'text', 'polyline']);

/* Children are elements or text; what is null is left out. */
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

/* Stores in a fixed order. */
const ORDER = new Intl.Collator('en', { numeric: true });
const place = (order, value) => order.includes(value) ? order.indexOf(value) : 99;
data.groups.sort((a, b) => place(CLASSES, a.class) - place(CLASSES, b.class) ||
    a.workload.localeCompare(b.workload) || place(STORES, a.store) - place(STORES, b.store));
for (const group of data.groups)
    group.name = group.class + ', ' + group.label;

/* ---- What is shown: filters and choices, which are the page's address ---- */

const FACETS = [
    { key: 'class', label: 'Durability', of: (group) => group.class, order: CLASSES },
    { key: 'store', label: 'Store', of: (group) => group.store, order: STORES },
    { key: 'workload', label: 'Workload', of: (group) => group.workload },
    { key: 'threads', label: 'Threads', of: (group) => property(group, 'threads') || '1' },
    { key: 'version', label: 'Version', of: (group) => group.version },
];
let state = null; /* URLSearchParams; no-KEY=VALUE is left out */

const property = (group, key) =>
    (key in group.properties ? group.properties : data.common)[key] ?? null;

function readAddress() {
    state = new URLSearchParams(location.hash.slice(1));
    draw();
}

function choose(key, value) {
    state.set(key, value);
    history.replaceState(null, '', '#' + state);
    draw();
}

const isOff = (key, value) => state.getAll('no-' + key).includes(value);
const isShown = (group) => FACETS.every((facet) => !isOff(facet.key, facet.of(group)));

function toggle(key, value) {
    const off = state.getAll('no-' + key);
    state.delete('no-' + key);
    for (const other of off.includes(value) ? off.filter((one) => one !== value) : [...off, value])
        state.append('no-' + key, other);
    history.replaceState(null, '', '#' + state);
    draw();
}

function sorted(values, order = []) {
    return [...new Set(values)].sort((a, b) => place(order, a) - place(order, b) ||
        ORDER.compare(a, b));
}

function drawFilters() {
    const boxes = FACETS.map((facet) => {
        const values = sorted([...data.groups, ...data.open].map(facet.of), facet.order);
        if (values.length < 2 || values.length > BOXES_MAX)
            return null;
        return el('fieldset', {}, el('legend', {}, facet.label),
            ...values.map((value) => el('label', {}, el('input', {
                type: 'checkbox', 'data-key': facet.key + ' ' + value,
                checked: isOff(facet.key, value) ? null : '',
                change: () => toggle(facet.key, value),
            }), facet.key === 'store' ? mark(value) : null, value)));
    });
    document.getElementById('filters').replaceChildren(...boxes.filter(Boolean));
}

/* ---- Marks and what is said of them ---- */

/* Of a server, "kea-dhcp4/mysql", that of its store. */
const bare = (store) => STORES.includes(store.split('/').pop()) ? store.split('/').pop() : 'other';
const storeClass = (store) => 's-' + bare(store);
const shapeOf = (store) => SHAPES[bare(store)];

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
    tip.textContent = target.dataset.tip;
    const place = target.getBoundingClientRect();
    const left = Math.min(place.right + 10, innerWidth - tip.offsetWidth - 8);
    const below = place.bottom + tip.offsetHeight + 12 < innerHeight;
    tip.style.left = Math.max(4, left) + scrollX + 'px';
    tip.style.top = (below ? place.bottom + 8 : place.top - tip.offsetHeight - 8) +
        scrollY + 'px';
}

function rateTip(group, { median: middle, low, high, count }, name) {
    return name + ': ' + rate(middle) + ' per second, median of ' + count +
        (count === 1 ? ' run' : ' runs') + (low === null ? ''
            : ', 95 % interval ' + rate(low) + ' to ' + rate(high)) + '\n' + group.about;
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
    return { at, ticks, format };
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

const titled = (title, ...parts) => el('figure', {}, el('figcaption', {}, title), ...parts);
const wide = () => Math.max(280, Math.min(960, document.querySelector('main').clientWidth));
const note = (text) => el('p', { class: 'note' }, text);

/* A choice of one of several, kept in the address under key. */
function picker(label, key, values, chosen) {
    return el('label', { class: 'picker' }, label + ' ',
        el('select', { 'data-key': key, change: (event) => choose(key, event.target.value) },
            ...values.map((value) => el('option', { value,
                selected: value === chosen ? '' : null },
                value + (data.helps[value] ? ': ' + data.helps[value] : '')))));
}

/* A number, kept in the same way. */
const field = (label, key, value, attributes) => el('label', { class: 'picker' }, label + ' ',
    el('input', { ...attributes, value, 'data-key': key,
                  change: (event) => choose(key, event.target.value) }));

const leftOut = (all, shown) => all > shown
    ? note('Left out: ' + (all - shown) + ' more; filter to see them.') : null;
const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + '\u2026' : text;

/* ---- The figure that the charts show: of one workload, all of it or a phase ---- */

function figuresOf(groups) {
    return sorted(groups.map((group) => group.workload)).flatMap((workload) => {
        const phases = [...new Set(groups.filter((group) => group.workload === workload)
            .flatMap((group) => group.phases.map((phase) => phase.name)))];
        return [...phases.length > 1 ? [''] : [], ...phases].map((phase) => ({ workload, phase,
            name: phase === workload ? phase : (phase || 'all') + ' of ' + workload,
            unit: (phase || 'operations') + ' per second' }));
    });
}

/* What was chosen, or else the renewal of a lease: what a server does most. */
function chosenFigure(groups) {
    const figures = figuresOf(groups);
    return figures.find((figure) => figure.name === state.get('figure')) ||
        figures.find((figure) => figure.workload === 'renew') || figures[0];
}

const rateOf = (group, figure) => figure.phase === '' ? group.overall
    : group.phases.find((phase) => phase.name === figure.phase)?.rate ?? null;

/* ---- Rates: a panel for each class ---- */

/* rows: [{store, label, value, low, high, tip, click}], low and high null where there
   is no interval. */
function panel(rows, options) {
    const rowHeight = 22, height = rows.length * rowHeight + 46, width = wide();
    const box = { left: Math.min(width * 0.4, options.left), right: width - 12, top: 6,
                  bottom: height - 40 };
    const x = scale(options.values, box.left, box.right, options.format);
    const svg = frame({ ...options, width, height, box, x });
    rows.forEach((row, index) => {
        const y = box.top + (index + 0.5) * rowHeight;
        svg.append(el('text', { x: box.left - 8, y: y + 4, 'text-anchor': 'end' },
                      cut(row.label, box.left / 7)));
        if (row.low !== null)
            svg.append(el('line', { class: 'interval ' + storeClass(row.store), y1: y, y2: y,
                                    x1: x.at(row.low), x2: x.at(row.high) }));
        svg.append(point(row.store, x.at(row.value), y, row.tip,
                         row.click ? { click: row.click } : {}));
    });
    return svg;
}

function rateRow(group, figure) {
    const value = rateOf(group, figure);
    return { store: group.store, class: group.class, label: group.label, value: value.median,
             low: value.low === null ? null : Math.max(value.low, value.median / 1e3),
             high: value.high, tip: rateTip(group, value, figure.name),
             click: () => choose('line', String(group.id)) };
}

function drawRates(groups, figure) {
    const rows = groups.map((group) => rateRow(group, figure)).slice(0, ROWS_MAX);
    const values = rows.flatMap((row) => [row.value, row.low, row.high]);
    const panels = sorted(rows.map((row) => row.class), CLASSES).map((name) =>
        titled(name + (data.classes[name] ? ': ' + data.classes[name] : ''),
            panel(rows.filter((row) => row.class === name), { left: 300, values, format: rate,
                xTitle: figure.unit, label: 'Rates, ' + name })));
    return [el('h2', {}, 'How fast'),
            note('A mark is the median of the runs, its bar the 95 % interval: where bars ' +
                 'overlap, a difference may be chance. Compare within a panel: of one class.'),
            ...panels, leftOut(groups.length, rows.length)];
}

/* ---- Lines: latencies by percentile, open loops, seconds ---- */

/* At most LINES_MAX lines: what was chosen, then what stands for its store. */
function chosenLines(groups) {
    const rank = (group) => String(group.id) === state.get('line') ? 0 : group.standard ? 1 : 2;
    return [...groups].sort((a, b) => rank(a) - rank(b)).slice(0, LINES_MAX);
}

/* A chart with its legend.  lines: [{store, label, points: [[x, y, text]]}]; with words
   x is an index of these. */
function lineChart(title, lines, options) {
    const width = wide(), height = options.height || 300, words = options.words;
    const box = { left: 62, right: width - 14, top: 22, bottom: height - 38 };
    const shown = lines.filter((line) => !isOff('line', line.label));
    const points = (shown.length > 0 ? shown : lines).flatMap((line) => line.points);
    const step = words ? (box.right - box.left) / words.length : 0;
    const x = words ? { at: (index) => box.left + (index + 0.5) * step, ticks: [...words.keys()],
                        format: (index) => cut(words[index], Math.max(4, step / 7)) }
        : scale(points.map((p) => p[0]), box.left, box.right, options.xFormat, options.xKind);
    const y = scale([...points.map((p) => p[1]), ...(options.limits || [])], box.bottom, box.top,
                    options.yFormat, options.yKind);
    const svg = frame({ ...options, label: title, width, height, box, x, y });
    for (const limit of options.limits || [])
        svg.append(el('line', { class: 'limit', x1: box.left, x2: box.right,
                                y1: y.at(limit), y2: y.at(limit) }));
    for (const line of shown) {
        svg.append(el('polyline', {
            class: 'line ' + storeClass(line.store) + ' d' + lines.indexOf(line) % 4,
            points: line.points.map((p) => x.at(p[0]) + ',' + y.at(p[1])).join(' '),
        }));
        for (const p of line.points.filter((q) => q[2]))
            svg.append(point(line.store, x.at(p[0]), y.at(p[1]), p[2]));
    }
    return titled(title, svg, legend(lines));
}

/* A click on an entry leaves its line out, wherever it is drawn. */
function legend(lines) {
    return el('ul', { class: 'legend' }, ...lines.map((line, index) => el('li', {},
        el('button', { type: 'button', 'aria-pressed': String(!isOff('line', line.label)),
                       'data-key': 'line ' + line.label,
                       click: () => toggle('line', line.label) },
           el('svg', { class: 'key ' + storeClass(line.store), viewBox: '0 0 34 12',
                       'aria-hidden': 'true' },
              el('line', { class: 'line d' + index % 4, x1: 0, x2: 34, y1: 6, y2: 6 }),
              el('path', { d: shapeOf(line.store), transform: 'translate(17,6)' })),
           line.label))));
}

/* Percentiles by the nines that they have: 0.9 is 1, 0.99 is 2. */
const nines = (quantile) => -Math.log10(1 - quantile);

function drawLatencies(groups, figure) {
    const name = figure.phase || groups[0].phases[0].name;
    const latencyOf = (group) => (group.phases.find((p) => p.name === name) || {}).latency;
    const there = groups.filter((group) => (latencyOf(group) || []).length > 0);
    if (there.length === 0)
        return [];
    const lines = chosenLines(there).map((group) => ({
        store: group.store, label: group.name,
        points: latencyOf(group).map(([quantile, ns]) => [nines(quantile), ns,
            digits(quantile * 100, Math.ceil(nines(quantile)) + 2) + ' % of ' + name +
            ' took ' + time(ns) + ' or less\n' + group.about]),
    }));
    return [el('h2', {}, 'How long one operation takes'),
            note('At p50 half of the operations took this time or less, at p99 99 %. ' +
                 'A click on a name below a chart leaves its line out.'),
            lineChart('Latency of ' + name + ' by percentile', lines, {
                xTitle: 'percentile of the operations', yTitle: 'time of one ' + name,
                yFormat: time, yKind: 'log', xKind: 'linear',
                xFormat: (value) => value === 0 ? 'p0'
                    : value % 1 === 0 ? 'p' + (100 - 100 / 10 ** value) : '',
            }), leftOut(there.length, lines.length)];
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
            const rest = [group.store, group.version,
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

function drawAgainst(groups, figure) {
    const axes = axesOf(groups);
    if (axes.size === 0)
        return [];
    const keys = [...axes.keys()].sort();
    const key = axes.has(state.get('against')) ? state.get('against')
        : keys.includes('threads') ? 'threads' : keys[0];
    const members = axes.get(key).slice(0, LINES_MAX), all = members.flat();
    const words = sorted(all.map((group) => property(group, key)));
    const isScale = words.length > WORDS_MAX && words.every((word) => /^[0-9.]+$/.test(word));
    const at = (group) => isScale ? Number(property(group, key))
        : words.indexOf(property(group, key));
    const lines = members.map((line) => ({
        store: line[0].store, label: sorted(line.map((g) => g.class), CLASSES).join(' / ') + ', ' +
            line[0].label.replace(key + '=' + property(line[0], key), '').replace(/, *(,|$)/, '$1'),
        points: line.slice().sort((a, b) => at(a) - at(b)).map((group) => [at(group),
            rateOf(group, figure).median, key + '=' + property(group, key) + '\n' +
            rateTip(group, rateOf(group, figure), figure.name)]),
    }));
    const classOf = (word) => sorted(all.filter((group) => property(group, key) === word)
        .map((group) => group.class), CLASSES);
    const isPromise = members.some((line) => new Set(line.map((g) => g.class)).size > 1);
    return [el('h2', {}, 'What a setting does'), picker('Setting', 'against', keys, key),
            lineChart(figure.name + ' against ' + key, lines, {
                words: isScale ? null : isPromise ? words.map((word) =>
                    word + ': ' + classOf(word).join(', ')) : words,
                xTitle: key, xFormat: plain, yTitle: figure.unit, yFormat: rate }),
            isPromise ? promises(all, key, figure) : null,
            leftOut(axes.get(key).length, lines.length)];
}

/* What each value of a setting promises, where it decides the class. */
function promises(groups, key, figure) {
    return table('What each value of ' + key + ' promises',
        ['store', 'what differs', key, 'class', figure.unit, 'lost something in crash tests'],
        groups.map((group) => [storeCell(group), group.differs, property(group, key), group.class,
            rateCell(group, rateOf(group, figure), figure.name), group.loss || 'not tested']));
}

/* ---- Second by second, with zoom ---- */

function drawSeconds(groups) {
    const there = groups.filter((group) => group.seconds.length > 2);
    if (there.length === 0)
        return [];
    const chosen = chosenLines(there);
    const last = Math.max(...chosen.map((group) => group.seconds.length - 1));
    const from = Math.min(Number(state.get('from')), last - 1);
    const to = Math.max(from + 1, Math.min(Number(state.get('to') || last), last));
    const lines = chosen.map((group) => {
        const counts = group.seconds;
        const least = [...counts].sort((a, b) => a - b)[counts.length >> 1] / 10;
        return { store: group.store, label: group.name,
                 points: counts.map((count, second) => [second, count, count < least
                     ? 'second ' + second + ': ' + count + ' operations, a stall\n' + group.about
                     : null]).filter((p) => p[0] >= from && p[0] <= to) };
    });
    const slider = { type: 'range', min: 0, max: last };
    return [el('h2', {}, 'Second by second'),
            note('One run of each. A mark is a stall: a second with less than a tenth of the ' +
                 'median. The two sliders zoom.'),
            field('From second', 'from', from, slider), field('to', 'to', to, slider),
            lineChart('Operations in each second', lines, {
                xTitle: 'second of the run', xKind: 'span', xFormat: plain,
                yTitle: 'operations in the second', yFormat: rate }),
            leftOut(there.length, lines.length)];
}

/* ---- Requests at a rate, storms, predictions ---- */

function drawOpen(groups) {
    const storms = groups.filter((group) => group.storm);
    const rated = groups.filter((group) => group.trials.length > 0);
    const lines = sorted(rated.map((group) => group.line)).slice(0, LINES_MAX / 2)
        .flatMap((name) => ['p50', 'p99'].map((quantile) =>
            responses(rated.filter((group) => group.line === name), quantile)))
        .filter((line) => line.points.length > 0);
    const limits = [...new Set(rated.flatMap((g) => g.trials.map((t) => t.deadline)))];
    const end = (ns) => ns === null ? 'not all' : ns === 0 ? 'n/a' : { text: time(ns), order: ns };
    return lines.length + storms.length === 0 ? [] : [el('h2', {}, 'Requests at a rate'),
        lines.length === 0 ? null : lineChart(
            'Response time against the offered rate; the dashed line is the deadline', lines, {
                xTitle: 'offered requests per second', xFormat: rate, yFormat: time,
                yKind: 'log', yTitle: 'response time', limits }),
        storms.length === 0 ? null : table('All clients restart at once: until they were served',
            ['store', 'what differs', 'clients', 'half', '99 %', 'all'], storms.map((group) =>
                [storeCell(group), group.differs, number(group.storm.clients),
                 end(group.storm.half), end(group.storm.most), end(group.storm.all)]))];
}

function responses(groups, quantile) {
    const points = groups.flatMap((group) => group.trials.map((trial) => [trial.rate,
        trial[quantile], quantile + ' at ' + rate(trial.rate) + ' requests per second: ' +
        time(trial[quantile]) + '; ' + digits(trial.bad * 100, 3) + ' % late or lost' +
        (trial.invalid ? '; invalid: ' + trial.invalid : '') + '\n' + group.about]));
    return { store: groups[0].store, label: groups[0].line + ', ' + quantile,
             points: points.filter((p) => p[0] > 0 && p[1] > 0).sort((a, b) => a[0] - b[0]) };
}

/* predictions of a group: [[what, unit, predicted, measured], ...] */
function drawPredictions(groups) {
    const all = groups.flatMap((group) => (group.predictions ?? [])
        .map((one) => [group, ...one]));
    const rows = all.slice(0, ROWS_MAX).map(([group, what, unit, predicted, measured]) => {
        const format = unit === 'rate' ? (value) => rate(value) + ' per second' : time;
        return { store: group.store, label: group.label + ': ' + what, low: null, high: null,
                 value: measured / predicted, tip: what + ': measured ' + format(measured) +
                     ', predicted ' + format(predicted) + '\n' + group.about };
    });
    return rows.length === 0 ? [] : [el('h2', {}, 'Prediction and measurement'),
            note('Predicted: what a closed loop did, a simulated queue does or, of a whole server, ' +
                 'its store with the server\'s time. At 1 the measurement is the same.'),
            titled('Measured, divided by predicted', panel(rows, { left: 400, format: plain,
                values: [1, ...rows.map((row) => row.value)], xTitle: 'measured / predicted',
                label: 'Predictions' }))];
}

/* ---- History: as a ratio to the first campaign ---- */

/* campaigns of a group: [[name, time, rate of all, rate of each phase...], ...] */
function drawHistory(groups, figure) {
    const lines = new Map();
    for (const group of groups) {
        const column = 3 + group.phases.findIndex((phase) => phase.name === figure.phase);
        const campaigns = group.campaigns.map((one) => ({ name: one[0], at: one[1],
            rate: one[column], group })); /* of no phase, 2: that of all */
        lines.set(group.name, [...(lines.get(group.name) || []),
                               ...campaigns.filter((one) => one.rate > 0)]);
    }
    const long = [...lines].filter(([, campaigns]) => campaigns.length > 1);
    if (long.length === 0)
        return [];
    const byTime = (a, b) => a.at < b.at ? -1 : 1;
    const names = [...new Set(long.flatMap(([, campaigns]) => campaigns).sort(byTime)
        .map((one) => one.name))];
    const shown = long.slice(0, LINES_MAX).map(([label, campaigns]) => {
        const first = campaigns.sort(byTime)[0];
        return { store: first.group.store, label, points: campaigns.map((one) => {
            const share = one.rate / first.rate * 100;
            return [names.indexOf(one.name), share, one.name + ': ' + rate(one.rate) +
                ' per second, ' + percent(share) + ' of the first\n' + one.group.about];
        }) };
    });
    return [el('h2', {}, 'History'),
            note('The dashed lines are 10 % below and above the first campaign.'),
            lineChart(figure.name + ' in each campaign', shown, {
                words: names, xTitle: 'campaign', yTitle: 'rate, in % of the first campaign',
                yKind: 'span', yFormat: percent, limits: [90, 100, 110] }),
            leftOut(long.length, shown.length)];
}

/* ---- Tables ---- */

/* A cell is a text, or {text, order, tip, store}: order is a number. */
function table(title, names, rows) {
    const [sortedTitle, chosen, down] = (state.get('sort') || '').split('|');
    const column = sortedTitle === title ? names.indexOf(chosen) : -1;
    const compare = (a, b) => a.order !== undefined && b.order !== undefined ? a.order - b.order
        : ORDER.compare(a.text || a, b.text || b);
    const shown = column < 0 ? rows
        : [...rows].sort((a, b) => (down ? -1 : 1) * compare(a[column], b[column]));
    return el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': title },
        el('table', {}, el('caption', {}, title),
        el('thead', {}, el('tr', {}, ...names.map((name, index) => el('th', {
            scope: 'col',
            'aria-sort': index !== column ? null : down ? 'descending' : 'ascending' },
            el('button', { type: 'button', 'data-key': title + '|' + name, click: () =>
                choose('sort', title + '|' + name + (index === column && !down ? '|down' : '')),
            }, name))))),
        el('tbody', {}, ...shown.map((row) => el('tr', {}, ...row.map((cell) =>
            el('td', { class: cell.order !== undefined ? 'number' : null,
                       'data-tip': cell.tip || null },
               cell.store ? mark(cell.store) : null, cell.text || cell)))))));
}

const number = (value) => ({ text: plain(value), order: value });
const storeCell = (group) => ({ text: group.store, store: group.store });

function rateCell(group, value, name) {
    return value === null ? { text: '\u2013', order: -1 }
        : { text: rate(value.median), order: value.median, tip: rateTip(group, value, name) };
}

function drawTable(groups) {
    const titles = [...new Set(groups.map((group) => group.section))];
    return [el('h2', {}, 'All rates, per second'), ...titles.map((title) => {
        const members = groups.filter((group) => group.section === title);
        const figures = figuresOf(members);
        return table(title, ['store', 'what differs', 'runs',
            ...figures.map((figure) => figure.phase || 'overall')],
            members.map((group) => [storeCell(group), group.differs, number(group.overall.count),
                ...figures.map((one) => rateCell(group, rateOf(group, one), one.name))]));
    })];
}

function drawCrashes(cells) {
    return cells.length === 0 ? [] : [el('h2', {}, 'Crashes'), table('What crashes took',
        ['store', 'configuration', 'level', 'class', 'crashes', 'lost something', 'leases lost',
         'other damage'],
        cells.map((one) => [storeCell(one), one.name, one.level, one.class, number(one.crashes),
            number(one.lossy), number(one.lost), one.damage]))];
}

/* ---- The answer: which stores are fast enough for a site ---- */

function drawAnswer() {
    const site = data.answer, host = document.getElementById('site');
    if (host === null)
        return;
    const [clients, hours, minutes] = ['clients', 'hours', 'minutes'].map((key) =>
        Number(state.get(key)) > 0 ? Number(state.get(key)) : site[key]);
    const needs = [clients / (hours * 3600 * site.renewAt), clients / (minutes * 60)];
    const rows = site.rows.filter((row) => ['class', 'store'].every((key) =>
        !isOff(key, row[key])));
    for (const row of rows) { /* a rate speaks for so many clients and no more */
        row.times = row.rates.map((one, demand) => one && clients <= (one.most ?? Infinity)
            ? one.rate / needs[demand] : null);
        const known = row.times.filter((one) => one !== null);
        row.verdict = known.length === 0 || known.length < row.rates.filter(Boolean).length
            ? 'not known' : Math.min(...known) >= site.reserve ? 'fast enough' : 'too slow';
    }
    const nameOf = (row) => row.label + ' (' + row.class + ')';
    const listed = (verdict, intro) => {
        const found = rows.filter((row) => row.verdict === verdict);
        const names = found.map(nameOf).join('; ');
        return names && intro + (found.length < rows.length ? names
            : 'every store measured here') + '. ';
    };
    const positive = { type: 'number', min: 0, step: 'any' };
    const cellOf = (value, text) => value === null ? { text: 'n/a', order: -1 }
        : { text: text + digits(value, 3), order: value };
    host.replaceChildren(field('Clients', 'clients', clients, positive),
        field('hours of a lease', 'hours', hours, positive),
        field('minutes in which all may restart', 'minutes', minutes, positive),
        el('p', { class: 'answer' }, listed('fast enough', 'Fast enough for this site: '),
           ...['renewals', 'restarts'].map((name, demand) => {
               const missing = rows.filter((row) => row.verdict === 'fast enough' &&
                   !row.rates[demand]);
               return missing.length === 0 ? '' : 'No ' + name + ' were measured of: ' +
                   missing.map(nameOf).join('; ') + '. ';
           }),
           listed('too slow', 'Too slow: '), listed('not known', 'Not known, as rates are ' +
               'missing, or speak for ten times the leases that were in the store: '),
           rows.every((row) => row.verdict === 'fast enough') ? 'So choose by what may be lost.'
               : ''),
        el('p', {}, 'Each client renews its lease after ' + plain(hours * site.renewAt) +
           ' hours. Together they need ' + digits(needs[0], 3) + ' renewals a second, and ' +
           digits(needs[1], 3) + ' restarts a second while all restart; ' +
           plain(site.reserve) + ' times as many is called enough, for reserve.'),
        table('What each store does in a second, and how many times what is needed that is',
            ['class', 'store', 'verdict', 'renewals', 'times need', 'restarts',
             'times need (restarts)'], rows.map((row) => [row.class,
                { text: row.label, store: row.store }, row.verdict,
                ...row.rates.flatMap((one, demand) => [
                    cellOf(one && one.rate, one && one.estimated ? '~' : ''),
                    cellOf(row.times[demand], '')])])));
}

/* ---- All of it ---- */

function draw() {
    const shown = data.groups.filter(isShown), open = data.open.filter(isShown);
    const measured = shown.filter((group) => group.phases.length > 0);
    const figure = chosenFigure(measured);
    const there = measured.filter((group) => group.workload === figure.workload &&
        rateOf(group, figure));
    const parts = [...there.length === 0 ? [] : [
        [picker('Figure', 'figure', figuresOf(measured).map((one) => one.name), figure.name)],
        drawRates(there, figure), drawLatencies(there, figure), drawAgainst(there, figure),
        drawSeconds(there), drawHistory(there, figure)],
        drawOpen(open), drawPredictions([...measured, ...open]), drawCrashes(data.crashes), drawTable(measured)];
    const focus = document.activeElement.dataset.key;
    drawFilters();
    drawAnswer();
    document.getElementById('count').textContent = shown.length + ' of ' + data.groups.length +
        ' configurations are shown.';
    document.getElementById('drawn').replaceChildren(...parts.filter((part) => part.length > 0)
        .map((part) => el('section', {}, ...part.filter((one) => one !== null))));
    [...document.querySelectorAll('[data-key]')].find((made) => made.dataset.key === focus)
        ?.focus();
}

document.body.append(tip);
readAddress();
for (const name of ['pointerover', 'focusin'])
    document.addEventListener(name, showTip);
addEventListener('hashchange', readAddress);
addEventListener('resize', draw);
}());
