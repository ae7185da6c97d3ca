// Where keys stand, who holds permits, and where values come from.

import { cut, make, table } from './elements.js';
import { duration, permitted, rejected } from './words.js';

function limitRow(limit) {
  const most = limit.burst || limit.limit;
  const left = limit.remaining + ' of ' + most + ' left';
  const soon = limit.retryAfter ? ', next in ' + duration(limit.retryAfter)
    : limit.resetAfter ? ', whole in ' + duration(limit.resetAfter) : '';
  return make('li', { class: 'limit' }, make('span', {}, cut(limit.policy, 40)),
    make('meter', { min: 0, max: most, value: Math.min(limit.remaining, most), 'aria-label': cut(limit.policy, 40) + ': ' + left }),
    make('span', {}, left + soon));
}

const misfit = ({ inForce }) => inForce === false ? '; not in force, since it does not fit the rule' : '';

const own = ({ until, reason, version, at, by, inForce, keyHash, ...settings }) =>
  cut(Object.entries(settings).map(([name, value]) => (name === 'limit' ? '' : name + ' ') + value).join(', '), 100);

function bucketRows(bucket) {
  return [
    ...(bucket.banned ? [make('li', { class: 'rejected' }, 'Banned for ' + duration(bucket.banEndsAfter || 'PT0S'))] : []),
    ...(bucket.onFailure ? [make('li', { class: 'soft' }, 'Redis is unavailable, this instance decides alone: on-failure '
      + bucket.onFailure)] : []),
    ...bucket.limits.slice(0, 20).map(limitRow),
    ...(bucket.overrides || []).slice(0, 20).map((each) => make('li', {}, 'Limit of its own: ' + own(each) + ' until ' + each.until
      + (each.reason ? ', because ' + cut(each.reason, 200) : '') + misfit(each))),
    ...(bucket.used ? [] : [make('li', { class: 'soft' }, 'Nothing is known of this key.')]),
  ];
}

/** What is left of each limit of a key. */
export function standing(title, { buckets }) {
  return make('div', { class: 'standing' }, make('h4', {}, title),
    make('ul', {}, ...buckets.slice(0, 20).flatMap(bucketRows)));
}

/** Who has held permits for longest. */
export function holders({ permits, requests, oldest }) {
  return make('div', { class: 'standing' },
    make('h4', {}, 'Held now: ' + permits + (permits === 1 ? ' permit' : ' permits') + ' by ' + requests
      + (requests === 1 ? ' request' : ' requests')),
    make('ul', {}, ...oldest.map((each) => make('li', {}, 'For ' + duration(each.heldFor) + ': ' + cut(each.resource, 60)
      + ', thread ' + cut(each.thread, 60) + (each.keyHash ? ', key ' + each.keyHash : '')))));
}

/** The change of a rule. */
export function changed({ version, at, by, reason, until, inForce, ...settings }) {
  return make('div', { class: 'standing' }, make('h4', {}, 'Changed'),
    make('ul', {}, make('li', {},
      'Change ' + version + ' by ' + cut(by, 60) + ' at ' + at + ': '
      + cut(Object.entries(settings).map(([name, value]) => name + ' ' + value).join(', '), 200)
      + (until ? ' until ' + until : '') + (reason ? ', because ' + cut(reason, 200) : '') + misfit({ inForce }))));
}

/** What was decided about the busiest resources of a rule. */
export function resources(all) {
  const rows = Object.entries(all).map(([name, decisions]) => [cut(name, 60), permitted(decisions), rejected(decisions)])
    .sort((a, b) => b[1] + b[2] - a[1] - a[2]);
  return make('div', { class: 'wide' }, table(['Resource', 'Permitted', 'Rejected'], rows.slice(0, 10)));
}

/** The place of each setting, and what the rule may not exceed. */
export function sources(settings, cap) {
  const written = Object.entries(settings).slice(0, 50);
  if (cap) {
    written.push(['cap', { value: cap.limit + ' per ' + duration(cap.window), from: cap.from }]);
  }
  return table(['Setting', 'Value', 'From'], written.map(([name, { value, from }]) =>
    [name, value === undefined ? '' : cut(value, 60), cut(from, 200)]));
}

/** A limit that suits what keys have asked for. */
export function suggestion(told) {
  const text = (name, { limit, keys, requests }) =>
    name + 'limit ' + limit + ' per ' + duration(told.window) + ', from ' + requests + ' requests of ' + keys + ' keys';
  return make('ul', {}, make('li', {}, text('', told) + ' since ' + told.since),
    ...Object.entries(told.tiers || {}).slice(0, 20).map(([tier, each]) => make('li', {}, text(cut(tier, 40) + ': ', each))));
}
