// The state of keys, the holders of permits, and the sources of settings.

import { cut, make, table } from './elements.js';
import { duration, permitted, rejected } from './words.js';

function limitRow(limit) {
  const most = limit.burst || limit.limit;
  const left = limit.remaining + ' of ' + most + ' left';
  const soon = limit.retryAfter ? ', next in ' + duration(limit.retryAfter)
    : limit.resetAfter ? ', full in ' + duration(limit.resetAfter) : '';
  return make('li', { class: 'limit' }, make('span', {}, cut(limit.policy, 40)),
    make('meter', { min: 0, max: most, value: Math.min(limit.remaining, most), 'aria-label': cut(limit.policy, 40) + ': ' + left }),
    make('span', {}, left + soon));
}

const misfit = ({ inForce }) => inForce === false ? '; not in force: it does not fit the rule' : '';

const own = ({ until, reason, version, at, by, inForce, keyHash, ...settings }) =>
  cut(Object.entries(settings).map(([name, value]) => (name === 'limit' ? '' : name + ' ') + value).join(', '), 100);

function bucketRows(bucket) {
  return [
    ...(bucket.banned ? [make('li', { class: 'rejected' }, 'Banned for ' + duration(bucket.banEndsAfter || 'PT0S'))] : []),
    ...(bucket.onFailure ? [make('li', { class: 'soft' }, 'Redis is unavailable; this instance uses on-failure '
      + bucket.onFailure)] : []),
    ...bucket.limits.slice(0, 20).map(limitRow),
    ...(bucket.overrides || []).slice(0, 20).map((each) => make('li', {}, 'Own limit: ' + own(each) + ' until ' + each.until
      + (each.reason ? ', because ' + cut(each.reason, 200) : '') + misfit(each))),
    ...(bucket.used ? [] : [make('li', { class: 'soft' }, 'Nothing is stored for this key.')]),
  ];
}

/** Shows the remaining permits of a key. */
export function standing(title, { buckets }) {
  return make('div', { class: 'standing' }, make('h4', {}, title),
    make('ul', {}, ...buckets.slice(0, 20).flatMap(bucketRows)));
}

/** Lists the oldest holders of permits. */
export function holders({ permits, requests, oldest }) {
  return make('div', { class: 'standing' },
    make('h4', {}, 'Held now: ' + permits + (permits === 1 ? ' permit' : ' permits') + ' by ' + requests
      + (requests === 1 ? ' request' : ' requests')),
    make('ul', {}, ...oldest.map((each) => make('li', {}, 'For ' + duration(each.heldFor) + ': ' + cut(each.resource, 60)
      + ', thread ' + cut(each.thread, 60) + (each.keyHash ? ', key ' + each.keyHash : '')))));
}

/** Shows the change of a rule. */
export function changed({ version, at, by, reason, until, inForce, ...settings }) {
  return make('div', { class: 'standing' }, make('h4', {}, 'Changed'),
    make('ul', {}, make('li', {},
      'Change ' + version + ' by ' + cut(by, 60) + ' at ' + at + ': '
      + cut(Object.entries(settings).map(([name, value]) => name + ' ' + value).join(', '), 200)
      + (until ? ' until ' + until : '') + (reason ? ', because ' + cut(reason, 200) : '') + misfit({ inForce }))));
}

/** Lists the busiest resources of a rule. */
export function resources(all) {
  const rows = Object.entries(all).map(([name, decisions]) => [cut(name, 60), permitted(decisions), rejected(decisions)])
    .sort((a, b) => b[1] + b[2] - a[1] - a[2]);
  return make('div', { class: 'wide' }, table(['Resource', 'Permitted', 'Rejected'], rows.slice(0, 10)));
}

/** Lists the source of each setting, and the cap of the rule. */
export function sources(settings, cap) {
  const written = Object.entries(settings).slice(0, 50);
  if (cap) {
    written.push(['cap', { value: cap.limit + ' per ' + duration(cap.window), from: cap.from }]);
  }
  return table(['Setting', 'Value', 'From'], written.map(([name, { value, from }]) =>
    [name, value === undefined ? '' : cut(value, 60), cut(from, 200)]));
}

/** Shows the limit suggested for the recorded demand. */
export function suggestion(suggested) {
  const text = (name, { limit, keys, requests }) =>
    name + 'limit ' + limit + ' per ' + duration(suggested.window) + ', from ' + requests + ' requests of ' + keys + ' keys';
  return make('ul', {}, make('li', {}, text('', suggested) + ' since ' + suggested.since),
    ...Object.entries(suggested.tiers || {}).slice(0, 20).map(([tier, each]) => make('li', {}, text(cut(tier, 40) + ': ', each))));
}
