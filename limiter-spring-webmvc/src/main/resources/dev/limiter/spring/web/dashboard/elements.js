// Elements of the page. All text of others is set as text, and cut.

const MOST = 120;

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
  element.append(...content.map((each) => each instanceof Node ? each : cut(each)));
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

/** Numbers with names, which are changed in place. */
export function rates(names) {
  const values = names.map((name) => make('dd', { class: name }, '0'));
  const element = make('dl', { class: 'rates' },
    ...names.map((name, i) => make('div', {}, make('dt', {}, name === 'waiting' ? name : name + '/s'), values[i])));
  return { element, set: (numbers) => numbers.forEach((number, i) => { values[i].textContent = number; }) };
}

/** The fields of a form that are filled in. */
export function filled(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
}
