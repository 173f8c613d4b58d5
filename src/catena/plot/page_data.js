// The data of the page, its ranges and its ticks.
// page_data.js, page_draw.js and page_input.js follow one another in one script.
'use strict';

const figure = JSON.parse(document.getElementById('figure').textContent);

const decode = (text) =>
    new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const xs = figure.xs.map(decode).map((x) => {
  let last = -Infinity;
  return {x, sorted: x.every((v) => Number.isNaN(v) || (v >= last && ((last = v), true)))};
});
for (const panel of figure.panels) {
  for (const s of panel.series)
    Object.assign(s, {y: decode(s.y), x: xs[s.x].x, sorted: xs[s.x].sorted, hidden: false});
}

// First index whose x is not below `value`; gaps (NaN) count as the point before them.
const lowerBound = (x, value) => {
  let lo = 0, hi = x.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    let i = mid;
    while (i > lo && Number.isNaN(x[i])) --i;
    if (x[i] < value)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
};
const room = ([lo, hi], margin) => {
  if (!(lo <= hi)) return [0, 1];
  const largest = Math.max(Math.abs(lo), Math.abs(hi));
  if (largest < 1e-290) return [-1, 1];
  if (hi - lo <= 1.5e-14 * largest) return [lo - 0.1 * largest, hi + 0.1 * largest];
  return [lo - margin * (hi - lo), hi + margin * (hi - lo)];
};
const wholeX = () => {
  let lo = Infinity, hi = -Infinity;
  for (const {x} of xs)
    for (const v of x) {
      if (v < lo) lo = v;
      if (v > hi) hi = v;
    }
  return room([lo, hi], 0);
};
const fullX = wholeX();
let viewX = fullX;

// y of the visible series within the visible x, cut curves included
const fitY = (panel) => {
  let lo = Infinity, hi = -Infinity;
  const include = (y) => {
    if (y < lo) lo = y;
    if (y > hi) hi = y;
  };
  for (const {x, y, sorted} of panel.series.filter((s) => !s.hidden)) {
    const from = sorted ? Math.max(0, lowerBound(x, viewX[0]) - 1) : 0;
    for (let i = from; i < x.length && !(sorted && x[i - 1] > viewX[1]); ++i) {
      if (x[i] >= viewX[0] && x[i] <= viewX[1]) include(y[i]);
      for (const edge of viewX) {
        const part = (edge - x[i - 1]) / (x[i] - x[i - 1]);
        if (part > 0 && part < 1) include(y[i - 1] + part * (y[i] - y[i - 1]));
      }
    }
  }
  return room([lo, hi], 0.05);
};

// Ticks: the same rules as in axis.cpp.
const raised = (n) =>
    (n < 0 ? '10⁻' : '10') + [...String(Math.abs(n))].map((d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]).join('');
const pretty = (text) =>
    text.replace(/e([+-]\d+)/, (_, e) => '×' + raised(Number(e))).replace('-', '−');
const decimal = (m, e) => (e < 0 ? m / 10 ** -e : m * 10 ** e);
// The integer between two others with the most zeros at its end.
const roundest = (lo, hi) => {
  let unit = 1;
  while (Math.floor(hi / (10 * unit)) * 10 * unit >= lo) unit *= 10;
  return Math.ceil(lo / unit) * unit;
};
const ticks = ([lo, hi], count) => {
  const raw = (hi - lo) / Math.max(1, count);
  let e = Math.floor(Math.log10(raw)), m = raw / 10 ** e;
  m = m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10;
  if (m === 10) {
    m = 1;
    ++e;
  }
  const step = decimal(m, e), first = Math.ceil(lo / step - 1e-6),
        last = Math.floor(hi / step + 1e-6);
  const far = Math.max(Math.abs(first), Math.abs(last)) > 2e4 && first * last > 0;
  const origin = far ? roundest(first * m, last * m) : 0;
  const largest = decimal(Math.max(Math.abs(first * m - origin), Math.abs(last * m - origin)), e);
  const exponent = largest > 0 && (largest < 1e-2 || largest >= 1e5) ?
      3 * Math.floor(Math.log10(largest) / 3 + 1e-9) :
      0;
  const values = [], labels = [];
  for (let k = first; k <= last; ++k) {
    values.push(decimal(k * m, e));
    labels.push(pretty((decimal(k * m - origin, e - exponent) +
                        0).toFixed(Math.min(100, Math.max(0, exponent - e)))));
  }
  const offset = origin ? (origin > 0 ? '+' : '') + pretty(String(decimal(origin, e))) : '';
  return {
    values,
    labels,
    note: [exponent ? '×' + raised(exponent) : '', offset].filter(Boolean).join('  ')
  };
};
// As many digits as tell a thousandth of the range apart.
const shown = (v, [lo, hi]) => {
  const digits = Math.ceil(Math.log10(Math.max(Math.abs(lo), Math.abs(hi)) / (hi - lo))) + 4;
  return pretty(String(Number(v.toPrecision(Math.max(5, Math.min(16, digits))))));
};
