// The details of one rule, and the actions on it.

import * as endpoint from './endpoint.js';
import { choice, cut, field, filled, make } from './elements.js';
import { changed, holders, resources, sources, standing, suggestion } from './standing.js';

const MOST_KEYS = 5;

/** Returns the names of named limits; empty for a rule with a single limit. */
function named(name, rule) {
  return rule.limits.length < 2 ? [] : rule.limits.map((limit) =>
    limit.policy.startsWith(name + '-') ? limit.policy.slice(name.length + 1) : limit.policy);
}

function form(fields, buttons, submit) {
  const element = make('form', { class: 'fields' }, ...fields,
    ...Object.entries(buttons).map(([value, text]) => make('button', { value }, text)));
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(filled(element), event.submitter ? event.submitter.value : Object.keys(buttons)[0]);
  });
  return element;
}

/**
 * Creates the details of a card.
 *
 * run: runs an action and shows its result; version: returns the version of the rules on the page.
 */
export function panel(name, rule, run, version) {
  let seen = version();
  const shown = cut(name, 60);
  const state = make('div', { class: 'state' });
  const answer = make('div', { class: 'answer', tabindex: '0', role: 'region', 'aria-label': 'Result', hidden: '' });
  const reason = field('Reason, for the audit log', { name: 'reason', maxlength: 200 });
  const why = () => {
    const text = reason.querySelector('input').value.trim();
    return text === '' ? {} : { reason: text };
  };
  const showResult = (...content) => {
    answer.replaceChildren(...content);
    answer.hidden = content.length === 0;
  };

  /** Shows the state of the shared bucket or the most rejected keys, and the holders of permits. Skips keys that are gone. */
  async function look() {
    const one = await endpoint.rule(name, endpoint.LIVE);
    const keys = rule.key.length === 0 ? [['All clients', '']]
      : one.rejectedMost.slice(0, MOST_KEYS).map((each) => ['Key ' + each.keyHash, each.keyHash]);
    const parts = await Promise.all(keys.map(([title, key]) =>
      endpoint.key(name, key, endpoint.LIVE).then((found) => standing(title, found)).catch(() => null)));
    const rows = parts.filter((part) => part !== null);
    state.replaceChildren(
      ...(rows.length ? rows : [make('p', { class: 'soft' }, 'No key was rejected in the last five minutes. Enter a key below to see its state.')]),
      ...(one.held ? [holders(one.held)] : []),
      ...(one.change ? [changed(one.change)] : []),
      ...(Object.keys(one.resources).length > 1 ? [resources(one.resources)] : []));
  }
  const refresh = () => look().catch(() => {
    // the status line shows that the server is gone
  });

  // keeps the input fields as they are, and shows only the result of the last action
  let last = null;
  const act = async (what, done, show) => {
    last = what;
    const body = await run(what, done);
    seen = version();
    if (body && last === what) {
      showResult(...(show ? [show(body)] : []));
      await refresh();
    }
  };

  const several = named(name, rule);
  const change = form([
    ...(several.length ? [choice('Limit name', 'named', several, several[0])] : []),
    field('Limit', { name: 'limit', inputmode: 'numeric', value: rule.limits[0].limit, size: 8 }),
  ], { limit: 'Change limit' }, (typed) =>
    act(() => endpoint.change(name, { ...typed, ...why(), version: seen }), 'Limit of ' + shown + ' changed.'));
  const mode = form([choice('Mode', 'mode', ['enforce', 'shadow', 'off'], rule.mode)], { mode: 'Set mode' }, (typed) =>
    act(() => endpoint.change(name, { ...typed, ...why(), version: seen }), 'Mode of ' + shown + ' set.'));
  const whole = form([], { restore: 'Revert to configuration', sources: 'Show sources' }, (typed, button) =>
    button === 'restore' ? act(() => endpoint.restore(name, why()), shown + ' reverted to the configuration.')
      : act(() => endpoint.rule(name), null, (one) => sources(one.sources, one.cap)));

  const demand = form([field('Share to reject', { name: 'suggest', value: '0.1%', size: 6 })],
    { suggest: 'Suggest a limit', begin: 'Record demand', end: 'Stop recording' }, ({ suggest = '' }, button) =>
      button === 'suggest' ? act(() => endpoint.suggestion(name, suggest), null, suggestion)
        : act(() => endpoint.change(name, { observe: button === 'begin', ...why() }),
          button === 'begin' ? 'Recording demand of ' + shown + '.' : 'Stopped recording demand of ' + shown + '.'));

  const key = form([
    field('Key, or its hash', { name: 'key' }),
    field('Own limit', { name: 'limit', inputmode: 'numeric', size: 8 }),
    field('For how long', { name: 'until', value: '1h', size: 6 }),
  ], { show: 'Show', override: 'Set own limit', end: 'Remove own limit', ban: 'Ban', reset: 'Reset and unban' },
  ({ key: value = '', limit = '', until }, button) => {
    const who = cut(value, 40);
    const show = (found) => standing(value === '' ? 'All clients' : 'Key ' + who, found);
    const does = {
      show: [() => endpoint.key(name, value), null],
      override: [() => endpoint.change(name, { key: value, limit, until, ...why(), version: seen }), who + ' has its own limit.'],
      end: [() => endpoint.restore(name, { key: value, override: true, ...why() }), who + ' has the limit of the rule.'],
      ban: [() => endpoint.change(name, { key: value, ban: true, ...why() }), who + ' is banned.'],
      reset: [() => endpoint.restore(name, { key: value, ...why() }), who + ' is reset.'],
    };
    act(...does[button], show);
  });

  const part = (title, ...content) => make('section', {}, make('h4', {}, title), ...content);
  refresh();
  return {
    refresh,
    elements: [
      part('Remaining permits', state),
      part('The rule', reason, change, mode, whole),
      part('One key', key),
      part('Suggested limit', demand),
      answer,
    ],
    /** Enters a key and shows it. */
    name(value) {
      const typed = key.querySelector('input[name=key]');
      typed.value = value;
      typed.focus();
      key.requestSubmit(key.querySelector('button[value=show]'));
    },
  };
}
