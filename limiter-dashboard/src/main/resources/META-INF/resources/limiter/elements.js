// Elements of the page. All text of others is set as text, and cut.

import { NAMES } from './history.js';
import { number } from './words.js';

const MOST = 120;
const MOST_OF_A_TEXT = 1000;

export function cut(text, most = MOST) {
  const whole = String(text);
  return whole.length > most ? whole.slice(0, most) + '…' : whole;
}

/** An element with attributes, and with texts and elements in it. */
export function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...content.map((each) => each instanceof Node ? each : cut(each, MOST_OF_A_TEXT)));
  return element;
}

/** A field with its label. */
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

/** What happens per second, and how often it did in the last five minutes; of requests that wait, how many do. */
export function rates() {
  const parts = NAMES.map((name) => {
    const now = make('dd', {}, '0');
    const sum = make('dd', { class: 'sum' });
    return { name, now, sum, element: make('div', { class: name }, make('dt', {}, name), now, sum) };
  });
  return {
    element: make('dl', { class: 'rates' }, ...parts.map(({ element }) => element)),
    /** recent: the sums of five minutes. */
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

/** The fields of a form that are filled in. */
export function filled(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
}
