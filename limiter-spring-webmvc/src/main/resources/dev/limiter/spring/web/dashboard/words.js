// Settings and times as people read them.

export const duration = (iso) => iso.replace(/\.\d+S$/, 'S').replace(/^P(\d+D)?T?/, '$1').toLowerCase() || '0s';

const window = (limit) => limit.window.startsWith('P') ? duration(limit.window) : limit.window;

export function limitText(limit) {
  return limit.limit + (limit.window ? ' per ' + window(limit) : ' at once') + (limit.burst ? ', burst ' + limit.burst : '')
    + ' · ' + limit.algorithm;
}

export const total = (decisions) => Object.entries(decisions).map(([outcome, count]) => outcome + ' ' + count).join(', ');

const sum = (decisions, ...outcomes) => outcomes.reduce((all, outcome) => all + (decisions[outcome] || 0), 0);

/** What a candidate would have decided in the last five minutes, beside what the rule did. */
export function comparison(rule, candidate) {
  const would = sum(candidate.recentDecisions, 'shadow-rejected');
  const asked = would + sum(candidate.recentDecisions, 'permitted');
  return 'Candidate ' + candidate.limits.map(limitText).join('; ') + ': in 5 min it would have refused ' + would + ' of '
    + asked + ' requests, this rule refused ' + sum(rule.recentDecisions, 'rejected', 'banned') + '.';
}

const settings = ({ mode, enforce, limits }) => (limits || []).map(limitText).join('; ') + ', ' + mode
  + (enforce && enforce !== '100%' ? ' ' + enforce : '');

const DONE = {
  LIMITER_RULE_CHANGED: ({ before, after }) => after && after.limits ? settings(before) + ' → ' + settings(after) : 'forgotten',
  LIMITER_KEY_OVERRIDDEN: ({ keyHash, limit, until }) => 'key ' + keyHash + ' has limit ' + limit + ' until ' + until,
  LIMITER_OVERRIDE_ENDED: ({ keyHash }) => 'key ' + keyHash + ' has the limit of the rule',
  LIMITER_KEY_BANNED: ({ keyHash }) => 'key ' + keyHash + ' banned',
  LIMITER_KEY_RESET: ({ keyHash }) => 'key ' + keyHash + ' reset',
  LIMITER_DEMAND_OBSERVED: ({ begin }) => begin ? 'demand is recorded' : 'demand is no longer recorded',
};

/** What an event of the audit trail tells. */
export const done = ({ type, data }) => (DONE[type] || (() => type))(data);
