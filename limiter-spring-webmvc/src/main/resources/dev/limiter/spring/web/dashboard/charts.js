// The series of the last five minutes, in fixed space, and how they are drawn: by uPlot, a script of its own.

import { make } from './elements.js';

export const SECONDS = 300;
const ROOM = 1.05;
const MINUTES = [-240, -180, -120, -60, 0];
const WHOLE = Array.from({ length: 12 }, (none, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
const DASHES = { permitted: [], refused: [5, 2], waiting: [2, 2] };
const dark = matchMedia('(prefers-color-scheme: dark)');

let palette = {};
function paint() {
  const style = getComputedStyle(document.documentElement);
  palette = Object.fromEntries(['permitted', 'refused', 'waiting', 'soft', 'line'].map((name) =>
    [name, style.getPropertyValue('--' + name).trim()]));
}
paint();
dark.addEventListener('change', paint);

/** Adds what is new, and keeps what the chart shows. */
export function append(old, news) {
  return old.concat(news).slice(-SECONDS);
}

const axis = (more) => ({
  stroke: () => palette.soft, grid: { stroke: () => palette.line, width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif', ...more,
});

function series(name, first) {
  return {
    label: name, stroke: () => palette[name], width: 1.5, dash: DASHES[name], points: { show: false },
    ...(first ? { fill: () => palette[name] + '26' } : {}),
  };
}

/**
 * A chart of named series of whole numbers; the same one is drawn anew each second, and destroyed when it is not shown any more.
 *
 * height: in CSS pixels; times: whether they are written below.
 */
export function chart(label, names, height, times) {
  const readout = make('p', { class: 'readout' });
  const element = make('div', { class: 'chart', role: 'img', 'aria-label': label }, readout);
  const tell = (plot) => {
    const { idx } = plot.cursor;
    readout.textContent = idx === null || idx === undefined ? ''
      : -plot.data[0][idx] + ' s ago: '
        + names.map((name, i) => name + ' ' + (plot.data[i + 1][idx] ?? 0)).join(', ');
  };
  const plot = new window.uPlot({
    width: 300, height, padding: [8, times ? 16 : 8, times ? 0 : 8, 0], legend: { show: false },
    cursor: { drag: { setScale: false, x: false, y: false }, y: false, points: { show: false } },
    scales: {
      x: { time: false, range: () => [1 - SECONDS, 0] },
      y: { range: (self, min, max) => [0, Math.max(1, max) * ROOM] },
    },
    axes: [
      axis({ show: times, size: 24, splits: () => MINUTES, values: () => MINUTES.map((at) => at === 0 ? 'now' : at / 60 + ' min') }),
      axis({ size: 44, space: 28, incrs: WHOLE }),
    ],
    series: [{}, ...names.map((name, i) => series(name, i === 0))],
    hooks: { setCursor: [tell] },
  }, [[], ...names.map(() => [])], element);
  const resized = new ResizeObserver(() => {
    if (element.clientWidth > 0 && element.clientWidth !== plot.width) {
      plot.setSize({ width: element.clientWidth, height });
    }
  });
  resized.observe(element);
  return {
    element,
    draw(counts) {
      plot.setData([counts[0].map((count, i) => i + 1 - counts[0].length), ...counts]);
    },
    destroy() {
      resized.disconnect();
      plot.destroy();
    },
  };
}
