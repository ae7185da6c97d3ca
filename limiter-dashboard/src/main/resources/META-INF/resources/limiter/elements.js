// Elements of the page. Text from the endpoint is never parsed as HTML, and cut to a maximum length.

import { NAMES } from './history.js';
import { number } from './words.js';

const MOST = 120;
const MOST_OF_A_TEXT = 1000;

export function cut(text, most = MOST) {
  const whole = String(text);
  return whole.length > most ? whole.slice(0, most) + '…' : whole;
}

/** Creates an element with attributes and content. */
export function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...content.map((each) => each instanceof Node ? each : cut(each, MOST_OF_A_TEXT)));
  return element;
}

/** Creates an input field with its label. */
export function field(label, attributes) {
  return make('label', {}, label + ' ', make('input', { maxlength: 2000, autocomplete: 'off', ...attributes }));
}

export function choice(label, name, values, chosen) {
  const select = make('select', { name }, ...values.map((value) => make('option', { value }, value)));
  select.value = chosen;
  return make('label', {}, label + ' ', select);
}

export function table(titles, rows) {
  return make('table', {}, make('thead', {}, make('tr', {}, ...titles.map((title) => make('th', { scope: 'col' }, title)))),
    make('tbody', {}, ...rows.map(([first, ...others]) =>
      make('tr', {}, make('th', { scope: 'row' }, first), ...others.map((cell) => make('td', {}, cell))))));
}

/** Shows rates per second and sums of the last five minutes, and the number of waiting requests. */
export function rates() {
  const parts = NAMES.map((name) => {
    const now = make('dd', {}, '0');
    const sum = make('dd', { class: 'sum' });
    return { name, now, sum, element: make('div', { class: name }, make('dt', {}, name), now, sum) };
  });
  return {
    element: make('dl', { class: 'rates' }, ...parts.map(({ element }) => element)),
    /** recent: the sums of the last five minutes. */
    set(history, recent) {
      parts.forEach(({ name, now, sum, element }) => {
        const waits = name === 'waiting';
        now.textContent = waits ? history.waiting() : number(history.rate(name)) + '/s';
        sum.textContent = waits ? '' : recent[name] + ' in 5 min';
        element.hidden = waits && history.waiting() === 0;
      });
    },
  };
}

/** Returns the fields of a form that have a value. */
export function filled(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
}
