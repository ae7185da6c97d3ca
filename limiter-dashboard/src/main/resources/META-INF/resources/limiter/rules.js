// The card of one rule.

import { chart } from './chart.js';
import { cut, make, rates } from './elements.js';
import { panel } from './panel.js';
import { comparison, limitText, permitted, rejected, total } from './words.js';

/**
 * Creates the card of a rule.
 *
 * run: runs an action and shows its result; version: returns the version of the rules on the page.
 */
export function card(name, run, version) {
  const mode = make('span', { class: 'badge' });
  const limits = make('ul');
  const facts = make('p', { class: 'soft' });
  const candidate = make('p', { class: 'candidate', hidden: '' });
  const rate = rates();
  const lines = chart('Permitted and rejected per second by ' + cut(name) + ', last five minutes', false);
  const actions = make('details', {}, make('summary', {}, 'Details and changes'));
  const element = make('article', { 'aria-label': cut(name) },
    make('header', {}, make('h3', { title: cut(name, 500) }, cut(name)), mode),
    limits, rate.element, lines.element, candidate, facts, actions);
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
    /** tried: the candidate of the rule, or undefined. */
    show(rule, tried, history) {
      const text = JSON.stringify([rule.mode, rule.rollout, rule.limits, rule.tiers, rule.changed]);
      if (element.dataset.shown !== text) {
        element.dataset.shown = text;
        mode.textContent = rule.mode + (rule.rollout ? ' ' + rule.rollout : '') + (rule.changed ? ' · changed' : '');
        mode.className = 'badge ' + rule.mode;
        limits.replaceChildren(...rule.limits.slice(0, 20).map((limit) =>
          make('li', {}, (rule.limits.length > 1 ? cut(limit.policy, 40) + ': ' : '') + limitText(limit))));
        const tiers = Object.entries(rule.tiers || {}).slice(0, 20);
        limits.append(...tiers.map(([tier, list]) => make('li', {}, cut(tier, 40) + ': ' + list.map(limitText).join('; '))));
      }
      current = rule;
      candidate.hidden = !tried;
      candidate.textContent = tried ? cut(comparison(rule, tried), 400) : '';
      facts.textContent = cut('Key: ' + (rule.key.join(', ') || 'none, one bucket for all clients')
        + ' · since startup: ' + (total(rule.decisions) || 'no decisions')
        + (rule.overrides ? ' · keys with their own limit: '
          + rule.overrides.filter((each) => each.inForce !== false).length : ''), 400);
      rate.set(history, { permitted: permitted(rule.recentDecisions), rejected: rejected(rule.recentDecisions) });
      lines.draw(history);
    },
    /** Reloads the details of an open card. */
    refresh() {
      if (open !== null && actions.open) {
        open.refresh();
      }
    },
    /** Opens the card and shows a key. */
    lookAt(key) {
      actions.open = true;
      opened();
      open.name(key);
    },
  };
}
