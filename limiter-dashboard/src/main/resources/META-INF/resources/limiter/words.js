// Formats settings, counts and times.

export const duration = (iso) => iso.replace(/\.\d+S$/, 'S').replace(/^P(\d+D)?T?/, '$1').toLowerCase() || '0s';

const window = (limit) => limit.window.startsWith('P') ? duration(limit.window) : limit.window;

export function limitText(limit) {
  return limit.limit + (limit.window ? ' per ' + window(limit) : ' at once') + (limit.burst ? ', burst ' + limit.burst : '')
    + ' · ' + limit.algorithm;
}

/** Formats a number, with one decimal below 10. */
export const number = (value) => String(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

export const total = (decisions) => Object.entries(decisions).map(([outcome, count]) => outcome + ' ' + count).join(', ');

const sum = (decisions, ...outcomes) => outcomes.reduce((all, outcome) => all + (decisions[outcome] || 0), 0);

/** Requests that a rule let through. */
export const permitted = (decisions) => sum(decisions, 'permitted', 'shadow-rejected', 'failed-open', 'failed-local');

export const rejected = (decisions) => sum(decisions, 'rejected', 'banned', 'denied', 'failed-closed');

/** Compares the decisions of a candidate with those of its rule, in the last five minutes. */
export function comparison(rule, candidate) {
  const would = sum(candidate.recentDecisions, 'shadow-rejected');
  const asked = would + sum(candidate.recentDecisions, 'permitted');
  return 'Candidate ' + candidate.limits.map(limitText).join('; ') + ': in 5 min it would have rejected ' + would + ' of '
    + asked + ' requests; this rule rejected ' + sum(rule.recentDecisions, 'rejected', 'banned') + '.';
}
