// One rule: what it decides, and what it is made of.

import { chart } from './charts.js';
import { cut, make, rates, sum, table } from './elements.js';
import { panel } from './panel.js';
import { comparison, limitText, total } from './words.js';

const traffic = ({ permitted, refused }) => sum(permitted) + sum(refused);
const SERIES = ['permitted', 'refused', 'waiting'];
const MOST_RESOURCES = 10;

/**
 * The card of a rule.
 *
 * run: does what an operator asks for, and says how it went; version: of the rules that are shown.
 */
export function card(name, run, version) {
  const mode = make('span', { class: 'badge' });
  const limits = make('ul');
  const facts = make('p', { class: 'soft' });
  const candidate = make('p', { class: 'candidate', hidden: '' });
  const rate = rates(SERIES, false);
  const lines = chart('Permitted and refused per second, and waiting, by ' + cut(name) + ', last five minutes', SERIES, 90, false);
  const resources = make('tbody');
  const several = make('div', { class: 'wide', hidden: '' }, make('table', {},
    make('thead', {}, make('tr', {}, ...['Resource', 'Permitted', 'Refused'].map((title) =>
      make('th', { scope: 'col' }, title)))), resources));
  const actions = make('details', {}, make('summary', {}, 'Look closer, or change it'));
  const element = make('article', { 'aria-label': cut(name) },
    make('header', {}, make('h3', { title: cut(name, 500) }, cut(name)), mode),
    limits, rate.element, lines.element, several, candidate, facts, actions);
  let current = null;
  let open = null;

  const opened = () => {
    if (actions.open && open === null) {
      open = panel(name, current, run, version);
      actions.append(...open.elements);
    }
  };
  actions.addEventListener('toggle', opened);

  return {
    element,
    /** tried: the candidate of the rule, if it has one. */
    show(rule, tried) {
      const text = JSON.stringify([rule.mode, rule.enforce, rule.limits, rule.tiers, rule.overrides, rule.changed]);
      if (element.dataset.shown !== text) {
        element.dataset.shown = text;
        mode.textContent = rule.mode + (rule.enforce ? ' ' + rule.enforce : '') + (rule.changed ? ' · changed' : '');
        mode.className = 'badge ' + rule.mode;
        limits.replaceChildren(...rule.limits.slice(0, 20).map((limit) =>
          make('li', {}, (rule.limits.length > 1 ? cut(limit.policy, 40) + ': ' : '') + limitText(limit))));
        const tiers = Object.entries(rule.tiers || {}).slice(0, 20);
        limits.append(...tiers.map(([tier, list]) => make('li', {}, cut(tier, 40) + ': ' + list.map(limitText).join('; '))));
      }
      current = rule;
      candidate.hidden = !tried;
      candidate.textContent = tried ? cut(comparison(rule, tried), 400) : '';
      facts.textContent = cut('Key: ' + (rule.key.join(', ') || 'one for all')
        + ' · since the start: ' + (total(rule.decisions) || 'nothing decided')
        + (rule.overrides ? ' · keys with a limit of their own: '
          + rule.overrides.filter((each) => each.inForce !== false).length : ''), 400);
      if (open !== null && actions.open) {
        open.refresh();
      }
    },
    draw(series) {
      const counts = SERIES.map((each) => series ? series[each] : []);
      const waits = sum(counts[2]) > 0;
      lines.draw(waits ? counts : [counts[0], counts[1], counts[2].map(() => null)]);
      rate.set(counts);
      const busiest = [...(series ? series.resources.values() : [])].sort((a, b) => traffic(b) - traffic(a));
      several.hidden = busiest.length < 2;
      table(resources, busiest.slice(0, MOST_RESOURCES).map(({ name: resource, permitted, refused }) =>
        ({ name: resource, permitted, refused })));
    },
    remove() {
      lines.destroy();
      element.remove();
    },
    /** Opens the card at one key. */
    lookAt(key) {
      actions.open = true;
      opened();
      open.name(key);
    },
  };
}
