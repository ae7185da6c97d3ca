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

/**
 * What happens per second, and how often it did in the last five minutes; changed in place. Of what waits: how many.
 *
 * always: also how many wait where nobody did.
 */
export function rates(names, always) {
  const parts = names.map((name) => {
    const now = make('dd', {}, '0');
    const all = make('dd', { class: 'sum' });
    return { name, now, all, element: make('div', { class: name }, make('dt', {}, name), now, all) };
  });
  return {
    element: make('dl', { class: 'rates' }, ...parts.map(({ element }) => element)),
    set(series) {
      parts.forEach(({ name, now, all, element }, i) => {
        const last = series[i].at(-1) || 0;
        const waits = name === 'waiting';
        now.textContent = waits ? last : last + '/s';
        all.textContent = waits ? '' : sum(series[i]) + ' in 5 min';
        element.hidden = waits && !always && sum(series[i]) === 0;
      });
    },
  };
}

export const sum = (counts) => counts.reduce((a, b) => a + b, 0);

const rate = (counts) => (counts.at(-1) || 0) + '/s, ' + sum(counts) + ' in 5 min';

/** Has the body of a table show a row for each of some named series: changed in place, so that nothing jumps. */
export function table(body, all) {
  const rows = all.map(({ name, permitted, refused, waiting }) =>
    [cut(name, 60), rate(permitted), rate(refused), ...(waiting ? [String(waiting.at(-1) || 0)] : [])]);
  while (body.rows.length > rows.length) {
    body.deleteRow(-1);
  }
  rows.forEach((cells, i) => {
    if (!body.rows[i]) {
      body.append(make('tr', {}, make('th', { scope: 'row' }), ...cells.slice(1).map(() => make('td'))));
    }
    cells.forEach((text, j) => {
      body.rows[i].cells[j].textContent = text;
    });
  });
}

/** The fields of a form that are filled in. */
export function filled(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
}
