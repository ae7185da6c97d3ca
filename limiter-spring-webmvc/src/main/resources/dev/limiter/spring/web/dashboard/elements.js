// Elements of the page. All text of others is set as text, and cut.

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

/** What happens per second, and how often it did in the last five minutes; changed in place. Of what waits: how many. */
export function rates(names) {
  const parts = names.map((name) => ({ name, now: make('dd', {}, '0'), sum: make('dd', { class: 'sum' }) }));
  const element = make('dl', { class: 'rates' },
    ...parts.map(({ name, now, sum }) => make('div', { class: name }, make('dt', {}, name), now, sum)));
  return {
    element,
    set(series) {
      parts.forEach(({ name, now, sum }, i) => {
        const last = series[i].at(-1) || 0;
        now.textContent = name === 'waiting' ? last : last + '/s';
        sum.textContent = name === 'waiting' ? '' : series[i].reduce((a, b) => a + b, 0) + ' in 5 min';
      });
    },
  };
}

/** The fields of a form that are filled in. */
export function filled(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
}
