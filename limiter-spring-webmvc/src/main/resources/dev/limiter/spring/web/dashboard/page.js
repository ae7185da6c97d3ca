// The page: is told once a second what is new, or asks for it, and shows it.

import * as endpoint from './endpoint.js';
import { append, chart } from './charts.js';
import { cut, filled, make, rates, sum, table } from './elements.js';
import { card } from './rules.js';
import { done } from './words.js';

const SECOND = 1000;
const RULES_EVERY = 5;
const TOP = 20;
const MOST_INSTANCES = 200;
const QUIET = 4 * SECOND;
const RETRY = 10 * SECOND;
// for how long it is told that something is done
const TOLD = 5 * SECOND;
const DAY = 24 * 60 * 60 * SECOND;
const ALL = ['permitted', 'refused', 'waiting'];
const at = (id) => document.getElementById(id);

const cards = new Map();
const nothing = (run) => ({ run, sample: 0, all: [[], [], []], rules: new Map(), instances: null });
let known = nothing(null);
let described = null;
let shown = TOP;
let looks = 0;
let told = 0;

const overview = { rates: rates(ALL, true), chart: chart('Permitted, refused and waiting, all rules, last five minutes', ALL, 180, true) };
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

/** The counts of one series, with those that are new. */
function added(old, news) {
  return Object.fromEntries(ALL.map((each) => [each, append(old ? old[each] : [], news[each])]));
}

/** What is new since the last look; all of it if another process answers. */
function take(news) {
  if (news.run !== known.run) {
    if (known.run !== null && known.sample !== 0) {
      known = nothing(news.run);
      notice('');
      return false;
    }
    known.run = news.run;
  }
  known.sample = news.sample;
  [news.all.permitted, news.all.refused, news.waiting].forEach((counts, i) => {
    known.all[i] = append(known.all[i], counts);
  });
  const rules = new Map();
  for (const [name, series] of Object.entries(news.rules)) {
    const old = known.rules.get(name);
    const resources = Object.entries(series.resources || {}).map(([resource, each]) =>
      [resource, { ...added(old?.resources.get(resource), each), name: resource }]);
    rules.set(name, { ...added(old, series), resources: new Map(resources) });
  }
  known.rules = rules;
  known.instances = news.instances ? instances(news.instances) : null;
  return true;
}

/** Those that told something lately, with what they told since the page is open. */
function instances(news) {
  return new Map(Object.entries(news).slice(0, MOST_INSTANCES).map(([run, one]) => {
    return [run, { ...added(known.instances?.get(run), one), name: one.name + (one.own ? ' (this one)' : '') }];
  }));
}

function showInstances() {
  at('shared').hidden = known.instances === null;
  table(at('instances'), known.instances ? [...known.instances.values()] : []);
}

const traffic = (name) => {
  const series = known.rules.get(name);
  return series ? sum(series.permitted) + sum(series.refused) : 0;
};

function draw() {
  overview.chart.draw(known.all);
  overview.rates.set(known.all);
  cards.forEach((each, name) => each.draw(known.rules.get(name)));
  showInstances();
}

/** The rules with the most traffic that are searched for; cards that stay are not touched, so that the focus stays. */
function arrange() {
  if (described === null) {
    return;
  }
  const wanted = at('search').value.trim().toLowerCase();
  const candidates = new Map(Object.values(described.rules).filter((rule) => rule.candidateOf)
    .map((rule) => [rule.candidateOf, rule]));
  const names = Object.keys(described.rules).filter((name) => name.toLowerCase().includes(wanted));
  const counts = new Map(names.map((name) => [name, traffic(name)]));
  names.sort((a, b) => counts.get(b) - counts.get(a) || a.localeCompare(b));
  const busy = at('rules').contains(document.activeElement);
  const top = busy ? [...cards.keys()].filter((name) => names.includes(name)) : names.slice(0, shown);
  at('shown').textContent = 'Showing ' + Math.min(shown, names.length) + ' of ' + names.length
    + ' rules, those with the most traffic first';
  at('more').hidden = names.length <= shown;
  for (const name of [...cards.keys()].filter((each) => !top.includes(each))) {
    cards.get(name).remove();
    cards.delete(name);
  }
  top.forEach((name) => {
    if (!cards.has(name)) {
      cards.set(name, card(name, run, () => described.version));
    }
    cards.get(name).show(described.rules[name], candidates.get(name));
  });
  const order = top.map((name) => cards.get(name).element);
  if (order.some((element, i) => at('rules').children[i] !== element)) {
    at('rules').replaceChildren(...order);
  }
  draw();
}

function showRefused(most) {
  const text = JSON.stringify(most);
  const list = at('refused');
  if (list.dataset.shown === text || list.contains(document.activeElement)) {
    return;
  }
  list.dataset.shown = text;
  list.replaceChildren(...most.map(({ rule, keyHash, refusals, address, principal }) => {
    const button = make('button', { type: 'button' }, 'Look at ' + keyHash);
    button.addEventListener('click', () => lookAt(rule, keyHash));
    const last = [address, principal].filter((each) => each).map((each) => cut(each, 60)).join(', ');
    return make('li', {}, cut(rule, 60) + ', ' + refusals + (refusals === 1 ? ' time' : ' times')
      + (last ? ', last by ' + last : '') + ' ', button);
  }), ...(most.length ? [] : [make('li', {}, 'Nobody.')]));
}

function lookAt(rule, key) {
  at('search').value = rule;
  shown = TOP;
  arrange();
  cards.get(rule)?.lookAt(key);
}

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

async function readAudit() {
  let items = ['Not shown: the endpoint auditevents of Actuator is not exposed here, or has no AuditEventRepository.'];
  try {
    const events = await endpoint.audit(new Date(Date.now() - DAY));
    if (events !== null) {
      items = events.slice(0, TOP).map((event) => time.format(new Date(event.timestamp)) + ' · '
        + cut(event.principal || 'anonymous', 60) + ' · ' + cut(event.data.rule, 60) + ': ' + cut(done(event), 300)
        + (event.data.reason ? ', because ' + cut(event.data.reason, 200) : ''));
    }
  } catch (failure) {
    items = ['Not shown: ' + failure.message];
  }
  const text = JSON.stringify(items);
  if (at('audit').dataset.shown !== text) {
    at('audit').dataset.shown = text;
    at('audit').replaceChildren(...(items.length ? items : ['Nothing was changed.']).map((item) => make('li', {}, item)));
  }
}

function storageText({ type, keys, decides, instances }) {
  return 'storage ' + type + ', ' + keys + ' keys'
    + (instances === undefined ? '' : ', ' + instances + (instances === 1 ? ' instance' : ' instances'))
    + (decides === false ? ': it does not decide, rules do as on-failure says' : '');
}

async function readRules() {
  described = await endpoint.rules();
  arrange();
  showRefused(described.refusedMost);
  readAudit();
  if (described.problem) {
    notice(described.problem);
  }
}

/** Reads the rules after an action, which stays done where that fails: the next look tells that the server is gone. */
const readAgain = () => readRules().catch(() => {
  looks = 0;
});

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
      ? 'Somebody else has changed rules meanwhile, and nothing was changed now. Look at them, and repeat it. ' + failure.message
      : failure.message);
    if (failure.status === 409) {
      await readAgain();
    }
    return null;
  }
}

function live() {
  if (performance.now() < told) {
    return;
  }
  status('Live · ' + storageText(described.storage), described.storage.decides === false ? 'degraded' : 'live');
}

async function look() {
  try {
    if (!pushed.isFresh()) {
      if (!take(await endpoint.series(known.sample))) {
        take(await endpoint.series(0));
        looks = 0;
      }
    }
    if (looks++ % RULES_EVERY === 0) {
      await readRules();
    } else if (!pushed.isFresh()) {
      draw();
    }
    live();
    await pushed.begin();
  } catch (failure) {
    status(failure instanceof endpoint.EndpointError ? failure.message : 'No answer from the server; trying again', 'gone');
    looks = 0;
  }
}

/** The events of the server. While there are none, the page asks, and tries again from time to time. */
const pushed = {
  events: null,
  heard: -Infinity,
  again: 0,
  isFresh() {
    return this.events !== null && performance.now() - this.heard < QUIET;
  },
  async begin() {
    if (this.events !== null && performance.now() - this.heard > QUIET) {
      this.end();
    }
    if (this.events === null && performance.now() >= this.again) {
      this.again = performance.now() + RETRY;
      this.heard = performance.now();
      this.events = await endpoint.stream(known.sample, (news) => {
        this.heard = performance.now();
        if (take(news)) {
          draw();
        } else {
          this.end();
        }
      }, () => this.end());
    }
  },
  end() {
    this.events?.close();
    this.events = null;
  },
};

async function always() {
  if (document.hidden) {
    pushed.end();
  } else {
    await look();
  }
  setTimeout(always, SECOND);
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
  const told = await run(() => endpoint.explain(filled(at('explain'))));
  if (told) {
    at('explanation').replaceChildren(
      make('p', {}, make('strong', {}, told.result || 'undecided'), ' · ' + (told.resource || 'no endpoint') + ' · client '
        + (told.client || 'unknown')),
      make('ul', {}, ...(told.rules || []).filter((rule) => rule.applies).slice(0, TOP).map((rule) =>
        make('li', {}, cut(rule.rule, 60) + ': ' + rule.result + ', ' + cut(rule.because, 200)))));
  }
});
always();
