// The series of the last five minutes, in fixed space, and how they are drawn.

export const SECONDS = 300;
const HEIGHT = 60;
const SVG = 'http://www.w3.org/2000/svg';

/** Adds what is new, and keeps what the chart shows. */
export function append(old, news) {
  return old.concat(news).slice(-SECONDS);
}

function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  return element;
}

function points(counts, most) {
  const first = SECONDS - counts.length;
  return counts.map((count, i) => (first + i) + ',' + (HEIGHT - 1 - (HEIGHT - 4) * count / most).toFixed(1));
}

/** A chart of named series; the same one is drawn anew each second. */
export function chart(label, names) {
  const element = svg('svg', {
    class: 'chart', viewBox: '0 0 ' + (SECONDS - 1) + ' ' + HEIGHT, preserveAspectRatio: 'none', role: 'img',
    'aria-label': label,
  });
  const lines = names.map((name) => svg('polyline', { class: 'line ' + name, 'vector-effect': 'non-scaling-stroke' }));
  const area = svg('polygon', { class: 'area ' + names[0] });
  element.append(area, ...lines);
  return {
    element,
    draw(series) {
      const most = Math.max(1, ...series.map((counts) => counts.reduce((a, b) => Math.max(a, b), 0)));
      series.forEach((counts, i) => lines[i].setAttribute('points', points(counts, most).join(' ')));
      const [first] = series;
      const base = ['' + (SECONDS - first.length) + ',' + HEIGHT, (SECONDS - 1) + ',' + HEIGHT];
      area.setAttribute('points', first.length ? [base[0], ...points(first, most), base[1]].join(' ') : '');
    },
  };
}
