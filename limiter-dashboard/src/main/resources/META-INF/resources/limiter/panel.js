// What can be seen of one rule, and done about it, once its card is open.

import * as endpoint from './endpoint.js';
import { choice, cut, field, filled, make } from './elements.js';
import { changed, holders, resources, sources, standing, suggestion } from './standing.js';

const MOST_KEYS = 5;

/** The names of named limits; none of a rule with one limit of its own. */
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
 * The open part of a card.
 *
 * run: does what an operator asks for, and says how it went; version: of the rules that are shown.
 */
export function panel(name, rule, run, version) {
  let seen = version();
  const shown = cut(name, 60);
  const state = make('div', { class: 'state' });
  const answer = make('div', { class: 'answer', tabindex: '0', role: 'region', 'aria-label': 'Answer', hidden: '' });
  const reason = field('Reason, for the audit', { name: 'reason', maxlength: 200 });
  const why = () => {
    const text = reason.querySelector('input').value.trim();
    return text === '' ? {} : { reason: text };
  };
  const tell = (...content) => {
    answer.replaceChildren(...content);
    answer.hidden = content.length === 0;
  };

  /** What is left for all, or for the keys that are rejected most, and what holds permits; without the keys that are gone. */
  async function look() {
    const one = await endpoint.rule(name, endpoint.LIVE);
    const keys = rule.key.length === 0 ? [['For all together', '']]
      : one.rejectedMost.slice(0, MOST_KEYS).map((each) => ['Key ' + each.keyHash, each.keyHash]);
    const parts = await Promise.all(keys.map(([title, key]) =>
      endpoint.key(name, key, endpoint.LIVE).then((told) => standing(title, told)).catch(() => null)));
    const rows = parts.filter((part) => part !== null);
    state.replaceChildren(
      ...(rows.length ? rows : [make('p', { class: 'soft' }, 'No key was rejected in the last five minutes: name one below to see what it has left.')]),
      ...(one.held ? [holders(one.held)] : []),
      ...(one.change ? [changed(one.change)] : []),
      ...(Object.keys(one.resources).length > 1 ? [resources(one.resources)] : []));
  }
  const refresh = () => look().catch(() => {
    // the page says that the server is gone
  });

  // what is typed stays where it is, whatever the answer; the one that is shown is that to what was asked for last
  let last = null;
  const act = async (what, done, show) => {
    last = what;
    const body = await run(what, done);
    seen = version();
    if (body && last === what) {
      tell(...(show ? [show(body)] : []));
      await refresh();
    }
  };

  const several = named(name, rule);
  const change = form([
    ...(several.length ? [choice('Limit called', 'named', several, several[0])] : []),
    field('Limit', { name: 'limit', inputmode: 'numeric', value: rule.limits[0].limit, size: 8 }),
  ], { limit: 'Change limit' }, (typed) =>
    act(() => endpoint.change(name, { ...typed, ...why(), version: seen }), 'Limit of ' + shown + ' changed.'));
  const mode = form([choice('Mode', 'mode', ['enforce', 'shadow', 'off'], rule.mode)], { mode: 'Set mode' }, (typed) =>
    act(() => endpoint.change(name, { ...typed, ...why(), version: seen }), 'Mode of ' + shown + ' set.'));
  const whole = form([], { restore: 'As configured again', sources: 'Where each value comes from' }, (typed, button) =>
    button === 'restore' ? act(() => endpoint.restore(name, why()), shown + ' is as configured.')
      : act(() => endpoint.rule(name), null, (one) => sources(one.sources, one.cap)));

  const demand = form([field('Share to reject', { name: 'suggest', value: '0.1%', size: 6 })],
    { suggest: 'Suggest a limit', begin: 'Record demand', end: 'Stop recording' }, ({ suggest = '' }, button) =>
      button === 'suggest' ? act(() => endpoint.suggestion(name, suggest), null, suggestion)
        : act(() => endpoint.change(name, { observe: button === 'begin', ...why() }),
          button === 'begin' ? 'Demand of ' + shown + ' is recorded.' : 'Demand of ' + shown + ' is no longer recorded.'));

  const key = form([
    field('Key, or its hash', { name: 'key' }),
    field('Own limit', { name: 'limit', inputmode: 'numeric', size: 8 }),
    field('For how long', { name: 'until', value: '1h', size: 6 }),
  ], { show: 'Show', override: 'Give own limit', end: 'End own limit', ban: 'Ban', reset: 'Reset, and lift ban' },
  ({ key: value = '', limit = '', until }, button) => {
    const who = cut(value, 40);
    const show = (told) => standing(value === '' ? 'For all together' : 'Key ' + who, told);
    const does = {
      show: [() => endpoint.key(name, value), null],
      override: [() => endpoint.change(name, { key: value, limit, until, ...why(), version: seen }), who + ' has a limit of its own.'],
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
      part('What is left', state),
      part('The rule', reason, change, mode, whole),
      part('One key', key),
      part('A limit that suits', demand),
      answer,
    ],
    /** Names a key, as if it were typed. */
    name(value) {
      const typed = key.querySelector('input[name=key]');
      typed.value = value;
      typed.focus();
      key.requestSubmit(key.querySelector('button[value=show]'));
    },
  };
}
