// Drawing: panels as SVG elements.

const svgElement = (name, attributes, parent, text) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
};
const htmlElement = (name, className, parent, text) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
};
const paint = (element, series) => {
  element.style.setProperty('--light', series.light);
  element.style.setProperty('--dark', series.dark);
  if (series.dash) element.style.strokeDasharray = series.dash;
  return element;
};
const sample = (series, parent) => {
  const icon = svgElement('svg', {viewBox: '0 0 26 10', 'aria-hidden': 'true'}, parent);
  paint(svgElement('path', {class: 'curve', d: 'M0 5H26'}, icon), series).style.strokeWidth = 2.2;
};

// Path of a series; runs of points within one pixel column shrink to their extremes.
const curve = (s, px, py, width) => {
  const n = s.x.length, path = [], dots = [];
  const from = s.sorted ? Math.max(0, lowerBound(s.x, viewX[0]) - 1) : 0;
  const to = s.sorted ? Math.min(n, lowerBound(s.x, viewX[1]) + 1) : n;
  const thinning = s.sorted && to - from > 4 * width;
  const place = (i) => {
    const at = (v) => Math.max(-1e6, Math.min(1e6, v)).toFixed(2);
    return at(px(s.x[i])) + ' ' + at(py(s.y[i]));
  };
  let down = false, column = NaN, low = -1, high = -1;
  const add = (i) => {
    path.push((down ? 'L' : 'M') + place(i));
    down = true;
  };
  const flush = () => {
    if (low < 0) return;
    add(Math.min(low, high));
    if (low !== high) add(Math.max(low, high));
    low = high = -1;
  };
  for (let i = from; i < to; ++i) {
    if (Number.isNaN(s.y[i])) {
      flush();
      down = false;
      continue;
    }
    const alone =
        (i === 0 || Number.isNaN(s.y[i - 1])) && (i === n - 1 || Number.isNaN(s.y[i + 1]));
    if (alone) {
      dots.push(i);
      continue;
    }
    const here = thinning ? Math.floor(px(s.x[i])) : i;
    if (here !== column || low < 0) {
      flush();
      column = here;
      low = high = i;
    }
    if (s.y[i] < s.y[low]) low = i;
    if (s.y[i] > s.y[high]) high = i;
  }
  flush();
  return {d: path.join(''), dots};
};

const isEmpty = (panel) => panel.series.every((s) => !s.x.length);
const panelHeight = (width) => {
  if (figure.panels.length > 1) return Math.round(Math.max(200, Math.min(280, width * 0.5)));
  return Math.round(Math.max(260, Math.min(560, width * 0.55, innerHeight - 110)));
};

// Frames of one figure start at the same x and y, so that panels can be compared.
const arrange = () => {
  for (const panel of figure.panels) {
    panel.width = Math.max(240, panel.box.clientWidth);
    panel.height = panelHeight(panel.width);
    panel.yRange = panel.y || fitY(panel);
    panel.yTicks = isEmpty(panel) ? {values: [], labels: [], note: ''} :
                                    ticks(panel.yRange, panel.height / 55);
  }
  const labels = figure.panels.flatMap((p) => p.yTicks.labels);
  const labelWidth = Math.max(14, ...labels.map((l) => 6.8 * l.length));
  const left = 10 + labelWidth + (figure.panels.some((p) => p.yLabel) ? 18 : 0);
  const top = figure.panels.some((p) => p.yTicks.note) ? 20 : 8;
  for (const panel of figure.panels) {
    const right = panel.width - 10, bottom = panel.height - 22, [lo, hi] = panel.yRange;
    const px = (v) => left + (v - viewX[0]) / (viewX[1] - viewX[0]) * (right - left);
    const py = (v) => bottom - (v - lo) / (hi - lo) * (bottom - top);
    panel.area = {left, right, top, bottom, px, py};
  }
};

const drawAxes = (panel, xTicks) => {
  const {svg, yTicks, area: {left, right, top, bottom, px, py}} = panel;
  xTicks.values.forEach((v, i) => {
    svgElement('path', {class: 'grid', d: `M${px(v)} ${top}V${bottom}`}, svg);
    const atEnd = px(v) + 3.4 * xTicks.labels[i].length > panel.width;
    const x = atEnd ? panel.width : px(v), anchor = atEnd ? 'end' : 'middle';
    svgElement('text', {x, y: bottom + 16, 'text-anchor': anchor}, svg, xTicks.labels[i]);
  });
  yTicks.values.forEach((v, i) => {
    svgElement('path', {class: v === 0 ? 'zero' : 'grid', d: `M${left} ${py(v)}H${right}`}, svg);
    svgElement('text', {x: left - 6, y: py(v) + 4, 'text-anchor': 'end'}, svg, yTicks.labels[i]);
  });
  svgElement('text', {x: left, y: top - 6}, svg, yTicks.note);
  const space = 1.6 * (panel.height - 16), count = panel.yLabel.length;
  const size = Math.max(9, Math.min(12, space / Math.max(1, count))),
        most = Math.floor(space / size);
  const label = count > most ? panel.yLabel.slice(0, most - 1) + '…' : panel.yLabel;
  const transform = `translate(12 ${(top + bottom) / 2}) rotate(-90)`,
        style = `font-size: ${size}px`;
  svgElement('text', {class: 'y-label', 'text-anchor': 'middle', transform, style}, svg, label);
};

const draw = (panel) => {
  const {svg, area: {left, right, top, bottom, px, py}} = panel;
  svg.setAttribute('viewBox', `0 0 ${panel.width} ${panel.height}`);
  svg.replaceChildren();
  const frame = {x: left, y: top, width: right - left, height: bottom - top};
  svgElement('rect', frame, svgElement('clipPath', {id: panel.id}, svg));
  const xTicks = ticks(viewX, (right - left) / 95);
  drawAxes(panel, xTicks);
  const curves = svgElement('g', {'clip-path': `url(#${panel.id})`}, svg);
  for (const s of panel.series.filter((t) => !t.hidden)) {
    const {d, dots} = curve(s, px, py, right - left);
    paint(svgElement('path', {class: 'curve', d}, curves), s);
    for (const i of dots) {
      paint(
          svgElement('circle', {class: 'dot', cx: px(s.x[i]), cy: py(s.y[i]), r: 2.5}, curves), s);
    }
  }
  svgElement('rect', {class: 'frame', ...frame}, svg);
  if (isEmpty(panel)) {
    const x = (left + right) / 2, y = (top + bottom) / 2;
    svgElement('text', {x, y, 'text-anchor': 'middle'}, svg, 'no data');
  }
  panel.cursor = svgElement('path', {class: 'cursor', visibility: 'hidden'}, svg);
  panel.select = svgElement('rect', {class: 'select', visibility: 'hidden'}, svg);
  panel.note = xTicks.note;
};

let pending = false;
const redraw = () => {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    arrange();
    figure.panels.forEach(draw);
    const note = figure.panels.length ? figure.panels[0].note : '';
    xLabel.textContent = figure.xLabel + (note ? `  (${note})` : '');
    resetButton.disabled = viewX === fullX && figure.panels.every((p) => !p.y);
  });
};
const reset = () => {
  viewX = fullX;
  for (const p of figure.panels) p.y = null;
  redraw();
};
const setX = (lo, hi) => {
  lo = Math.max(lo, fullX[0]);
  hi = Math.min(hi, fullX[1]);
  const least = 1e-12 * Math.max(Math.abs(lo), Math.abs(hi), fullX[1] - fullX[0]);
  if (hi - lo > least) viewX = lo === fullX[0] && hi === fullX[1] ? fullX : [lo, hi];
  redraw();
};
const zoomX = (at, factor) => setX(at - (at - viewX[0]) * factor, at + (viewX[1] - at) * factor);
const panX = (by) => {
  const width = viewX[1] - viewX[0];
  const lo = Math.max(fullX[0], Math.min(fullX[1] - width, viewX[0] + by));
  setX(lo, lo + width);
};
