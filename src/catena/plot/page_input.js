// Read-out, zooming and the building of the page.

const nearest = (s, x, y, {px, py}) => {
  let best = -1, distance = Infinity;
  const end = s.sorted ? lowerBound(s.x, x) : 0;
  const from = s.sorted ? Math.max(0, end - 2) : 0,
        to = s.sorted ? Math.min(s.x.length, end + 2) : s.x.length;
  for (let i = from; i < to; ++i) {
    const away =
        s.sorted ? Math.abs(s.x[i] - x) : Math.hypot(px(s.x[i]) - px(x), py(s.y[i]) - py(y));
    if (away < distance) {
      distance = away;
      best = i;
    }
  }
  return best;
};
const hideReadout = () => {
  tip.remove();
  for (const p of figure.panels)
    if (p.cursor) p.cursor.setAttribute('visibility', 'hidden');
};
const tip = document.createElement('div');
tip.className = 'tip';
const readOut = (panel, at) => {
  const a = panel.area;
  if (at.px < a.left || at.px > a.right || at.py < a.top || at.py > a.bottom) return hideReadout();
  tip.replaceChildren();
  const table = htmlElement('table', '', tip);
  let first = null;
  for (const s of panel.series.filter((t) => !t.hidden)) {
    const i = nearest(s, at.x, at.y, a);
    if (i < 0) continue;
    first = first ?? s.x[i];
    const row = htmlElement('tr', '', table);
    sample(s, htmlElement('td', '', row));
    htmlElement('td', '', row, s.name);
    htmlElement(
        'td', '', row,
        (s.x[i] === first ? '' : `(${shown(s.x[i], viewX)}) `) + shown(s.y[i], panel.yRange));
  }
  if (first === null) return hideReadout();
  tip.prepend(htmlElement('div', '', null, `${figure.xLabel || 'x'}: ${shown(first, viewX)}`));
  panel.box.append(tip);
  const scale = panel.svg.clientWidth / panel.width, x = a.px(first) * scale;
  const flip = x > panel.box.clientWidth / 2;
  tip.style.left = flip ? 'auto' : `${x + 14}px`;
  tip.style.right = flip ? `${panel.box.clientWidth - x + 14}px` : 'auto';
  const above = panel.svg.getBoundingClientRect().top - panel.box.getBoundingClientRect().top;
  tip.style.top = `${above + a.top * scale + 6}px`;
  for (const p of figure.panels) {
    const X = p.area.px(first);
    p.cursor.setAttribute('d', `M${X} ${p.area.top}V${p.area.bottom}`);
    p.cursor.setAttribute(
        'visibility', X >= p.area.left && X <= p.area.right ? 'visible' : 'hidden');
  }
};

// ---- pointer, wheel, keys

const locate = (panel, event) => {
  const box = panel.svg.getBoundingClientRect(), a = panel.area;
  const x = (event.clientX - box.left) / box.width * panel.width,
        y = (event.clientY - box.top) / box.height * panel.height;
  return {
    px: x,
    py: y,
    x: viewX[0] + (x - a.left) / (a.right - a.left) * (viewX[1] - viewX[0]),
    y: panel.yRange[0] + (a.bottom - y) / (a.bottom - a.top) * (panel.yRange[1] - panel.yRange[0]),
  };
};
// What a drag selects: a flat one a span of x, a narrow one a span of y, any other a box.
const selection = ({left, right, top, bottom}, from, to) => {
  const wide = Math.abs(to.px - from.px) > 6, high = Math.abs(to.py - from.py) > 24;
  const clampX = (v) => Math.max(left, Math.min(right, v)),
        clampY = (v) => Math.max(top, Math.min(bottom, v));
  const x = wide ? [from.px, to.px].map(clampX).sort((p, q) => p - q) : [left, right];
  const y = high ? [from.py, to.py].map(clampY).sort((p, q) => p - q) : [top, bottom];
  return {wide, high, x, y};
};
const listen = (panel) => {
  const {svg} = panel;
  const fingers = new Map();
  let start = null;
  const stop = (event) => {
    fingers.delete(event.pointerId);
    start = null;
    panel.select.setAttribute('visibility', 'hidden');
  };
  svg.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    fingers.set(event.pointerId, locate(panel, event));
    const at = locate(panel, event);
    if (event.pointerType !== 'mouse') return readOut(panel, at);
    svg.setPointerCapture(event.pointerId);
    start = at;
  });
  svg.addEventListener('pointermove', (event) => {
    const at = locate(panel, event);
    if (fingers.size === 2 && fingers.has(event.pointerId)) {  // pinch: both fingers keep their x
      const [id] = [...fingers.keys()].filter((key) => key !== event.pointerId);
      const other = fingers.get(id), before = fingers.get(event.pointerId);
      const a = panel.area, perPixel = (before.x - other.x) / (at.px - other.px);
      if (perPixel > 0 && Math.abs(at.px - other.px) > 20) {
        setX(other.x - (other.px - a.left) * perPixel, other.x + (a.right - other.px) * perPixel);
        fingers.set(event.pointerId, {...at, x: before.x});
      }
      return hideReadout();
    }
    if (!start) return readOut(panel, at);
    const {x, y, wide, high} = selection(panel.area, start, at);
    const attributes = {
      x: x[0],
      y: y[0],
      width: x[1] - x[0],
      height: y[1] - y[0],
      visibility: wide || high ? 'visible' : 'hidden'
    };
    for (const key in attributes) panel.select.setAttribute(key, attributes[key]);
  });
  svg.addEventListener('pointerup', (event) => {
    if (start) {
      const {x, y, wide, high} = selection(panel.area, start, locate(panel, event)), a = panel.area;
      const xAt = (p) => viewX[0] + (p - a.left) / (a.right - a.left) * (viewX[1] - viewX[0]);
      const yAt = (p) => panel.yRange[0] +
          (a.bottom - p) / (a.bottom - a.top) * (panel.yRange[1] - panel.yRange[0]);
      if (high && y[1] > y[0]) panel.y = [yAt(y[1]), yAt(y[0])];
      if (wide && x[1] > x[0]) setX(xAt(x[0]), xAt(x[1]));
      if (wide || high) redraw();
    }
    stop(event);
  });
  svg.addEventListener('pointercancel', stop);
  svg.addEventListener('pointerleave', hideReadout);
  svg.addEventListener('dblclick', reset);
  svg.addEventListener('wheel', (event) => {
    event.preventDefault();
    const at = locate(panel, event),
          factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002)));
    if (event.shiftKey) {
      const f = Math.exp((event.deltaY || event.deltaX) * 0.002), [lo, hi] = panel.yRange;
      panel.y = [at.y - (at.y - lo) * f, at.y + (hi - at.y) * f];
      redraw();
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      panX(event.deltaX / panel.width * (viewX[1] - viewX[0]));
    } else {
      zoomX(at.x, factor);
    }
    hideReadout();
  }, {passive: false});
  svg.addEventListener('keydown', (event) => {
    const width = viewX[1] - viewX[0], middle = (viewX[0] + viewX[1]) / 2;
    const actions = {
      '+': () => zoomX(middle, 0.8),
      '=': () => zoomX(middle, 0.8),
      '-': () => zoomX(middle, 1.25),
      '0': reset,
      Escape: reset,
      ArrowLeft: () => panX(-0.1 * width),
      ArrowRight: () => panX(0.1 * width),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  });
};

// ---- the page

const main = document.getElementById('panels');
const touch = matchMedia('(pointer: coarse)').matches;
const tools = htmlElement('div', 'tools', document.querySelector('header'));
htmlElement(
    'span', '', tools,
    touch ? 'Pinch to zoom, touch to read' :
            'Scroll or drag to zoom, Shift+scroll for y, double-click to reset');
const resetButton = htmlElement('button', '', tools, 'Reset');
resetButton.addEventListener('click', reset);
main.style.setProperty('--columns', figure.columns);

const addLegend = (className, parent, panels) => {
  const legend = htmlElement('div', className, parent);
  panels[0].series.forEach((s, i) => {
    const button = htmlElement('button', '', legend);
    sample(s, button);
    htmlElement('span', '', button, s.name || `series ${i + 1}`);
    button.title = 'Click to hide or show';
    button.setAttribute('aria-pressed', 'true');
    button.addEventListener('click', () => {
      s.hidden = !s.hidden;
      for (const p of panels) p.series[i].hidden = s.hidden;
      button.setAttribute('aria-pressed', String(!s.hidden));
      redraw();
    });
  });
};
if (figure.sharedLegend) addLegend('legend shared', main, figure.panels);
figure.panels.forEach((panel, i) => {
  panel.id = `clip${i}`;
  panel.y = null;
  panel.box = htmlElement('section', '', main);
  if (panel.title) htmlElement('h2', '', panel.box, panel.title);
  if (panel.legend) addLegend('legend', panel.box, [panel]);
  panel.svg = svgElement(
      'svg', {
        class: 'plot',
        tabindex: 0,
        role: 'img',
        'aria-label': panel.title || panel.yLabel || 'plot'
      },
      panel.box);
  listen(panel);
});
const xLabel = htmlElement('div', 'x-label', main);
if (!figure.panels.length) main.prepend(htmlElement('p', '', null, 'no data'));
arrange();
figure.panels.forEach(draw);
new ResizeObserver(redraw).observe(main);
redraw();
