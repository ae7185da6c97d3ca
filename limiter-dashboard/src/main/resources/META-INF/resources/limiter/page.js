// The page: asks the endpoint once a second, and shows what has changed.

import * as endpoint from './endpoint.js';
import { chart } from './chart.js';
import { cut, filled, make, rates } from './elements.js';
import { history } from './history.js';
import { card } from './rules.js';
import { permitted, rejected } from './words.js';

if (window.top !== window) {
  throw new Error('The page does not run inside a page of others.');
}

const SECOND = 1000;
const ARRANGE_EVERY = 5;
const TOP = 20;
// for how long it is told that something is done
const TOLD = 5 * SECOND;
const at = (id) => document.getElementById(id);

const cards = new Map();
let histories = new Map();
let sums = history();
let described = null;
let shown = TOP;
let looks = 0;
let told = 0;

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

/** Keeps the counts. Another instance, or the same one after a restart, has counts of its own. */
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

/** The rules with the most traffic that are searched for; cards that stay are not touched, so that the focus stays. */
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
    const button = make('button', { type: 'button' }, 'Look at ' + keyHash);
    button.addEventListener('click', () => lookAt(rule, keyHash));
    const last = [address, principal].filter((each) => each).map((each) => cut(each, 60)).join(', ');
    return make('li', {}, cut(rule, 60) + ', ' + rejections + (rejections === 1 ? ' time' : ' times')
      + (last ? ', last by ' + last : '') + ' ', button);
  }), ...(most.length ? [] : [make('li', {}, 'No key.')]));
}

function lookAt(rule, key) {
  at('search').value = rule;
  shown = TOP;
  arrange();
  cards.get(rule)?.lookAt(key);
}

function live() {
  if (performance.now() < told) {
    return;
  }
  const { type, keys, decides, instances } = described.storage;
  status('Live · storage ' + type + ', ' + keys + ' keys'
    + (instances === undefined ? '' : ', ' + instances + (instances === 1 ? ' instance' : ' instances'))
    + (decides === false ? ': it is unavailable, rules decide by on-failure' : ''), decides === false ? 'degraded' : 'live');
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
    status(failure instanceof endpoint.EndpointError ? failure.message : 'No answer from the server; trying again', 'gone');
    looks = 0;
  }
}

/** Reads the rules after an action, which stays done where that fails: the next look tells that the server is gone. */
function readAgain() {
  looks = 0;
  return read().catch(() => {});
}

/** Does what an operator asks for: null if that fails, which is told. */
async function run(what, done) {
  try {
    const body = await what();
    notice('');
    await readAgain();
    if (done) {
      status(done, 'live');
      told = performance.now() + TOLD;
    }
    return body;
  } catch (failure) {
    notice(failure.status === 409
      ? 'Another operator was faster, and nothing was changed now. Look at the rules, and repeat it. ' + failure.message
      : failure.message);
    if (failure.status === 409) {
      await readAgain();
    }
    return null;
  }
}

/** A server that is slow to answer is asked less often. */
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
  const answer = await run(() => endpoint.explain(filled(at('explain'))));
  if (answer) {
    at('explanation').replaceChildren(
      make('p', {}, make('strong', {}, answer.result || 'undecided'), ' · ' + (answer.resource || 'no endpoint') + ' · client '
        + (answer.client || 'unknown')),
      make('ul', {}, ...(answer.rules || []).filter((rule) => rule.applies).slice(0, TOP).map((rule) =>
        make('li', {}, cut(rule.rule, 60) + ': ' + rule.result + ', ' + cut(rule.because, 200)))));
  }
});
always();
