// Draws the rates of the last five minutes. The colours are in the style sheet.

import { make } from './elements.js';
import { KEPT, NAMES } from './history.js';
import { number } from './words.js';

const WIDTH = 1000;
const HEIGHT = 100;
const TIMES = ['-5 min', '-4 min', '-3 min', '-2 min', '-1 min', 'now'];

function svg(name, attributes, ...content) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  element.append(...content);
  return element;
}

/** Rounds up to the next of 1, 2, 5, 10, 20, 50 … */
function roundUp(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((top) => top >= most);
}

/** times: whether to label the time axis. */
export function chart(label, times) {
  const readout = make('p', { class: 'readout' });
  const scale = [make('span'), make('span'), make('span', {}, '0')];
  const paths = NAMES.map((name) => svg('path', { class: name }));
  const grid = Array.from({ length: TIMES.length }, (none, i) => 'M' + i * WIDTH / (TIMES.length - 1) + ' 0V' + HEIGHT);
  const drawing = svg('svg', { viewBox: '0 0 ' + WIDTH + ' ' + HEIGHT, preserveAspectRatio: 'none', 'aria-hidden': true },
    svg('path', { class: 'grid', d: grid.join('') + [0, HEIGHT / 2, HEIGHT].map((y) => 'M0 ' + y + 'H' + WIDTH).join('') }), ...paths);
  const element = make('div', { class: 'chart', role: 'img', 'aria-label': label },
    make('div', { class: 'scale' }, ...scale), make('div', { class: 'plot' }, drawing, readout),
    ...(times ? [make('div', { class: 'times' }, ...TIMES.map((time) => make('span', {}, time)))] : []));
  let intervals = [];
  let now = 0;

  drawing.addEventListener('pointermove', (event) => {
    const area = drawing.getBoundingClientRect();
    const time = now - KEPT * (1 - (event.clientX - area.left) / area.width);
    const found = intervals.find(({ from, to }) => from <= time && time <= to);
    readout.textContent = found ? Math.round((now - time) / 1000) + ' s ago: permitted ' + number(found.permitted) + '/s, rejected '
      + number(found.rejected) + '/s' + (found.waiting ? ', waiting ' + found.waiting : '') : '';
  });
  drawing.addEventListener('pointerleave', () => {
    readout.textContent = '';
  });

  return {
    element,
    draw(history) {
      intervals = history.intervals();
      now = history.last();
      const top = roundUp(Math.max(0, ...intervals.flatMap((each) => NAMES.map((name) => each[name]))));
      scale[0].textContent = number(top);
      scale[1].textContent = number(top / 2);
      const x = (time) => Math.max(0, WIDTH * (1 - (now - time) / KEPT)).toFixed(1);
      paths.forEach((path, i) => {
        const steps = intervals.map((each) => 'V' + (HEIGHT * (1 - each[NAMES[i]] / top)).toFixed(1) + 'H' + x(each.to));
        const flat = intervals.every((each) => each[NAMES[i]] === 0);
        path.setAttribute('d', flat ? '' : 'M' + x(intervals[0].from) + ' ' + HEIGHT + steps.join('') + 'V' + HEIGHT);
      });
    },
  };
}
