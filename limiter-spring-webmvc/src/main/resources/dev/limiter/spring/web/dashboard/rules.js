// One rule: what it decides, and what can be done about it.

import * as endpoint from './endpoint.js';
import { chart } from './charts.js';
import { choice, cut, field, filled, make, rates } from './elements.js';

const SERIES = ['permitted', 'refused'];

const duration = (iso) => iso.replace(/^PT?/, '').replace('T', ' ').toLowerCase();

function describe(limit) {
  return limit.limit + (limit.window ? ' per ' + (limit.window.startsWith('P') ? duration(limit.window) : limit.window) : ' at once')
    + (limit.burst ? ', burst ' + limit.burst : '') + ' · ' + limit.algorithm;
}

const total = (decisions) => Object.entries(decisions).map(([outcome, count]) => outcome + ' ' + count).join(', ');

/** The names of named limits; none of a rule with one limit of its own. */
function named(name, rule) {
  return rule.limits.length < 2 ? [] : rule.limits.map((limit) =>
    limit.policy.startsWith(name + '-') ? limit.policy.slice(name.length + 1) : limit.policy);
}

/**
 * The card of a rule.
 *
 * run: does what an operator asks for, and says how it went; revision: of the rules that are shown.
 */
export function card(name, run, revision) {
  const mode = make('span', { class: 'badge' });
  const limits = make('ul');
  const facts = make('p', { class: 'soft' });
  const rate = rates(SERIES);
  const lines = chart('Permitted and refused per second by ' + cut(name) + ', last five minutes', SERIES);
  const actions = make('details', {}, make('summary', {}, 'Change, or look at a key'));
  const element = make('article', { 'aria-label': cut(name) },
    make('header', {}, make('h3', { title: cut(name, 500) }, name), mode),
    limits, rate.element, lines.element, facts, actions);
  let current = null;

  actions.addEventListener('toggle', () => {
    if (actions.open && actions.childElementCount === 1) {
      actions.append(...forms(name, current, run, revision));
    }
  });

  return {
    element,
    show(rule) {
      const text = JSON.stringify([rule.mode, rule.enforce, rule.limits, rule.tiers, rule.overrides, rule.changed]);
      if (element.dataset.shown !== text) {
        element.dataset.shown = text;
        mode.textContent = rule.mode + (rule.enforce ? ' ' + rule.enforce : '') + (rule.changed ? ' · changed' : '');
        mode.className = 'badge ' + rule.mode;
        limits.replaceChildren(...rule.limits.slice(0, 20).map((limit) =>
          make('li', {}, (rule.limits.length > 1 ? cut(limit.policy, 40) + ': ' : '') + describe(limit))));
        const tiers = Object.entries(rule.tiers || {}).slice(0, 20);
        limits.append(...tiers.map(([tier, list]) => make('li', {}, cut(tier, 40) + ': ' + list.map(describe).join('; '))));
      }
      current = rule;
      facts.textContent = cut('Key: ' + (rule.key.join(', ') || 'one for all')
        + ' · since the start: ' + (total(rule.decisions) || 'nothing decided')
        + (rule.overrides ? ' · keys with a limit of their own: ' + rule.overrides.length : ''), 400);
    },
    draw(series) {
      const counts = SERIES.map((each) => series ? series[each] : []);
      lines.draw(counts);
      rate.set(counts);
    },
  };
}

function forms(name, rule, run, revision) {
  let seen = revision();
  const answer = make('pre', { class: 'answer', tabindex: '0', 'aria-label': 'Answer', hidden: '' });
  const tell = (body) => {
    answer.textContent = cut(JSON.stringify(body, null, 2), 10000);
    answer.hidden = false;
  };
  // what is typed stays where it is, whatever the answer
  const act = async (what, done) => {
    const body = await run(what, done);
    seen = revision();
    if (body) {
      tell(body);
    }
  };

  const several = named(name, rule);
  const change = make('form', { class: 'fields' },
    ...(several.length ? [choice('Limit called', 'named', several, several[0])] : []),
    field('Limit', { name: 'limit', inputmode: 'numeric', value: rule.limits[0].limit, size: 8 }),
    field('Reason', { name: 'reason', maxlength: 200 }),
    make('button', {}, 'Change limit'));
  change.addEventListener('submit', (event) => {
    event.preventDefault();
    act(() => endpoint.change(name, { ...filled(change), version: seen }), 'Limit of ' + cut(name) + ' changed.');
  });

  const mode = make('form', { class: 'fields' },
    choice('Mode', 'mode', ['enforce', 'shadow', 'off'], rule.mode), make('button', {}, 'Set mode'));
  mode.addEventListener('submit', (event) => {
    event.preventDefault();
    act(() => endpoint.change(name, { ...filled(mode), version: seen }), 'Mode of ' + cut(name) + ' set.');
  });

  const restore = make('button', { type: 'button' }, 'As configured again');
  restore.addEventListener('click', () => act(() => endpoint.restore(name, {}), cut(name) + ' is as configured.'));
  const sources = make('button', { type: 'button' }, 'Where each value comes from');
  sources.addEventListener('click', () => act(async () => (await endpoint.rule(name)).sources));

  const key = make('form', { class: 'fields' },
    field('Key, or its hash', { name: 'key' }),
    field('Own limit', { name: 'limit', inputmode: 'numeric', size: 8 }),
    field('for', { name: 'until', value: '1h', size: 6 }),
    ...[['show', 'Show'], ['override', 'Give own limit'], ['end', 'End own limit'], ['ban', 'Ban'],
      ['reset', 'Reset, and lift ban']].map(([value, text]) => make('button', { value }, text)));
  key.addEventListener('submit', (event) => {
    event.preventDefault();
    const { key: value = '', limit = '', until } = filled(key);
    const shown = cut(value, 40);
    const does = {
      show: [() => endpoint.key(name, value)],
      override: [() => endpoint.change(name, { key: value, limit, until, version: seen }), shown + ' has a limit of its own.'],
      end: [() => endpoint.restore(name, { key: value, override: true }), shown + ' has the limit of the rule.'],
      ban: [() => endpoint.change(name, { key: value, ban: true }), shown + ' is banned.'],
      reset: [() => endpoint.restore(name, { key: value }), shown + ' is reset.'],
    };
    act(...does[event.submitter ? event.submitter.value : 'show']);
  });
  return [change, mode, make('div', { class: 'fields' }, restore, sources), key, answer];
}
