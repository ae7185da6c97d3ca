// The page: calls the endpoint once a second and shows the result.

import * as endpoint from './endpoint.js';
import { chart } from './chart.js';
import { cut, filled, make, rates } from './elements.js';
import { history } from './history.js';
import { card } from './rules.js';
import { permitted, rejected } from './words.js';

if (window.top !== window) {
  throw new Error('This page must not be embedded in another page.');
}

const SECOND = 1000;
const ARRANGE_EVERY = 5;
const TOP = 20;
// how long the status line shows the result of an action
const SHOW_RESULT = 5 * SECOND;
const at = (id) => document.getElementById(id);

const cards = new Map();
let histories = new Map();
let sums = history();
let described = null;
let shown = TOP;
let looks = 0;
let showResultUntil = 0;

const overview = { rates: rates(), chart: chart('Permitted and rejected per second, and waiting, all rules, last five minutes', true) };
at('all').append(overview.rates.element, overview.chart.element);

function status(text, className) {
  if (at('status').textContent !== text) {
    at('status').textContent = text;
  }
  at('status').className = className;
}

function notice(text) {
  at('notice').textContent = cut(text, 1000);
  at('notice').hidden = text === '';
}

const counted = (decisions) => ({ permitted: permitted(decisions), rejected: rejected(decisions) });

const traffic = ({ recentDecisions }) => permitted(recentDecisions) + rejected(recentDecisions);

const summed = (all) => all.reduce((a, b) => ({ permitted: a.permitted + b.permitted, rejected: a.rejected + b.rejected }),
  { permitted: 0, rejected: 0 });

/** Records the counts. Starts a new history if they are from another instance or from before a restart. */
function take(news) {
  if (described !== null && described.instance !== news.instance) {
    histories = new Map();
    sums = history();
    notice('');
  }
  described = news;
  const now = performance.now();
  const rules = Object.entries(news.rules);
  histories = new Map(rules.map(([name, rule]) => {
    const known = histories.get(name) || history();
    known.add({ at: now, ...counted(rule.decisions), waiting: 0 });
    return [name, known];
  }));
  sums.add({ at: now, ...summed(rules.map(([, rule]) => counted(rule.decisions))), waiting: news.waiting });
}

function draw() {
  const rules = Object.values(described.rules);
  overview.chart.draw(sums);
  overview.rates.set(sums, summed(rules.map((rule) => counted(rule.recentDecisions))));
  const candidates = new Map(rules.filter((rule) => rule.candidateOf).map((rule) => [rule.candidateOf, rule]));
  cards.forEach((each, name) => {
    if (described.rules[name]) {
      each.show(described.rules[name], candidates.get(name), histories.get(name));
    }
  });
}

/** Shows the matching rules with the most traffic. Remaining cards stay in the document, so that they keep the focus. */
function arrange() {
  if (described === null) {
    return;
  }
  const wanted = at('search').value.trim().toLowerCase();
  const names = Object.keys(described.rules).filter((name) => name.toLowerCase().includes(wanted));
  names.sort((a, b) => traffic(described.rules[b]) - traffic(described.rules[a]) || a.localeCompare(b));
  const busy = at('rules').contains(document.activeElement);
  const top = busy ? [...cards.keys()].filter((name) => names.includes(name)) : names.slice(0, shown);
  at('shown').textContent = 'Showing ' + Math.min(shown, names.length) + ' of ' + names.length
    + ' rules, those with the most traffic first';
  at('more').hidden = names.length <= shown;
  for (const name of [...cards.keys()].filter((each) => !top.includes(each))) {
    cards.get(name).element.remove();
    cards.delete(name);
  }
  top.filter((name) => !cards.has(name)).forEach((name) => cards.set(name, card(name, run, () => described.version)));
  const order = top.map((name) => cards.get(name).element);
  if (order.some((element, i) => at('rules').children[i] !== element)) {
    at('rules').replaceChildren(...order);
  }
  draw();
  cards.forEach((each) => each.refresh());
}

function showRejected(most) {
  const text = JSON.stringify(most);
  const list = at('rejected');
  if (list.dataset.shown === text || list.contains(document.activeElement)) {
    return;
  }
  list.dataset.shown = text;
  list.replaceChildren(...most.map(({ rule, keyHash, rejections, address, principal }) => {
    const button = make('button', { type: 'button' }, 'Show ' + keyHash);
    button.addEventListener('click', () => lookAt(rule, keyHash));
    const last = [address, principal].filter((each) => each).map((each) => cut(each, 60)).join(', ');
    return make('li', {}, cut(rule, 60) + ', ' + rejections + (rejections === 1 ? ' time' : ' times')
      + (last ? ', last by ' + last : '') + ' ', button);
  }), ...(most.length ? [] : [make('li', {}, 'None.')]));
}

function lookAt(rule, key) {
  at('search').value = rule;
  shown = TOP;
  arrange();
  cards.get(rule)?.lookAt(key);
}

function live() {
  if (performance.now() < showResultUntil) {
    return;
  }
  const { type, keys, decides, instances } = described.storage;
  status('Live · storage ' + type + ', ' + keys + ' keys'
    + (instances === undefined ? '' : ', ' + instances + (instances === 1 ? ' instance' : ' instances'))
    + (decides === false ? ': unavailable, rules use on-failure' : ''), decides === false ? 'degraded' : 'live');
}

async function read() {
  take(await endpoint.rules());
  if (looks++ % ARRANGE_EVERY === 0) {
    arrange();
    showRejected(described.rejectedMost);
  } else {
    draw();
  }
  if (described.problem) {
    notice(described.problem);
  }
}

async function look() {
  try {
    await read();
    live();
  } catch (failure) {
    status(failure instanceof endpoint.EndpointError ? failure.message : 'No response from the server; retrying', 'gone');
    looks = 0;
  }
}

/** Reads the rules after an action. A failure does not undo the action, and shows on the next read. */
function readAgain() {
  looks = 0;
  return read().catch(() => {});
}

/** Runs an action of the operator. Shows an error and returns null if it fails. */
async function run(what, done) {
  try {
    const body = await what();
    notice('');
    await readAgain();
    if (done) {
      status(done, 'live');
      showResultUntil = performance.now() + SHOW_RESULT;
    }
    return body;
  } catch (failure) {
    notice(failure.status === 409
      ? 'Nothing was changed, because another operator changed the rules first. Check them and try again. ' + failure.message
      : failure.message);
    if (failure.status === 409) {
      await readAgain();
    }
    return null;
  }
}

/** Reads the rules periodically, and a slow server less often. */
async function always() {
  const begun = performance.now();
  if (!document.hidden) {
    await look();
  }
  setTimeout(always, Math.max(SECOND, 4 * (performance.now() - begun)));
}

at('search').addEventListener('input', () => {
  shown = TOP;
  arrange();
});
at('more').addEventListener('click', () => {
  shown += TOP;
  arrange();
});
at('explain').addEventListener('submit', async (event) => {
  event.preventDefault();
  const explanation = await run(() => endpoint.explain(filled(at('explain'))));
  if (explanation) {
    at('explanation').replaceChildren(
      make('p', {}, make('strong', {}, explanation.result || 'undecided'), ' · ' + (explanation.resource || 'no endpoint')
        + ' · client ' + (explanation.client || 'unknown')),
      make('ul', {}, ...(explanation.rules || []).filter((rule) => rule.applies).slice(0, TOP).map((rule) =>
        make('li', {}, cut(rule.rule, 60) + ': ' + rule.result + ', ' + cut(rule.because, 200)))));
  }
});
always();
