// The endpoint /actuator/limiter, with the access and the CSRF protection that the application gives it.

/** The timeout of what is read again and again, in milliseconds. */
export const LIVE = 5000;
// an operator steers a server that has too much to do
const TIMEOUT = 60000;

let connection = null;

/** An answer of the application itself: never the form to log in that it leads to, nor a browser that asks for a password. */
function send(path, { headers, timeout = TIMEOUT, ...options } = {}) {
  return fetch(path, {
    ...options, headers: { ...headers, 'X-Requested-With': 'XMLHttpRequest' }, redirect: 'manual', cache: 'no-store',
    signal: AbortSignal.timeout(timeout),
  });
}

/** With each token until the application takes one: only the answer tells which, and from then on that one is sent alone. */
async function sendWithToken(path, { headers, ...options }) {
  const { csrf } = connection;
  let answer;
  for (const token of csrf.tokens) {
    answer = await send(path, { ...options, headers: { ...headers, [csrf.header]: token } });
    if (answer.ok) {
      csrf.tokens = [token];
    }
    if (answer.status !== 403) {
      break;
    }
  }
  return answer;
}

/** That of an answer; who is led elsewhere has to log in. */
const status = (answer) => answer.type === 'opaqueredirect' ? 401 : answer.status;

async function connect(timeout) {
  const answer = await send('connection.json', { timeout });
  if (!answer.ok) {
    throw new EndpointError(status(answer), meaning[status(answer)] || 'The page cannot be read any more: log in again.');
  }
  connection = await answer.json();
  if (connection.endpoint === null) {
    throw new EndpointError(404, 'The endpoint is not exposed here: add limiter to'
      + ' management.endpoints.web.exposure.include.');
  }
}

export class EndpointError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const meaning = {
  401: 'Your session is over: log in again.',
  403: 'You may not do that, or your session is over: load the page again.',
  404: 'The endpoint does not answer here: it is not exposed, or on another port.',
  405: 'The endpoint only reads: management.endpoint.limiter.access is not unrestricted.',
};

async function ask(method, path, { body, audit = false, timeout } = {}) {
  if (connection === null) {
    await connect(timeout);
  }
  const headers = { Accept: 'application/json' };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const answer = await (method === 'GET' || !connection.csrf ? send : sendWithToken)(
    (audit ? connection.audit : connection.endpoint) + path,
    { method, headers, timeout, body: body === undefined ? undefined : JSON.stringify(body) },
  );
  const json = (answer.headers.get('Content-Type') || '').includes('json');
  const content = json ? await answer.json() : null;
  if (!answer.ok || !json && status(answer) !== 204) {
    // a token of a session that is over is asked for again
    connection = [401, 403].includes(status(answer)) ? null : connection;
    const told = content && typeof content.error === 'string' && content.error !== 'Method Not Allowed'
      && content.timestamp === undefined ? content.error : meaning[status(answer)];
    throw new EndpointError(status(answer), told || 'The endpoint answered with status ' + status(answer) + '.');
  }
  return content;
}

const segment = (name) => '/' + encodeURIComponent(name);
const query = (words) => '?' + new URLSearchParams(words);

/** Pushes the samples after one, until it is closed; ended: told if it does not come about, or ends. */
export async function stream(after, heard, ended) {
  if (connection === null) {
    await connect(LIVE);
  }
  const events = new EventSource(connection.endpoint + query({ after }));
  events.onmessage = ({ data }) => heard(JSON.parse(data));
  events.onerror = () => {
    events.close();
    ended();
  };
  return events;
}

/** The samples after one. */
export const series = (after) => ask('GET', query({ after }), { timeout: LIVE });
export const rules = () => ask('GET', '', { timeout: LIVE });
export const rule = (name, timeout) => ask('GET', segment(name), { timeout });
export const key = (name, value, timeout) => ask('GET', segment(name) + query({ key: value }), { timeout });
export const explain = (words) => ask('GET', '/explain' + query(words));
export const change = (name, settings) => ask('POST', segment(name), { body: settings });
export const suggestion = (name, suggest) => ask('GET', segment(name) + query({ suggest }));
export const restore = (name, words) => ask('DELETE', segment(name) + query(words));

/** What operators did, the last first; null where Actuator does not expose it. */
export async function audit(since) {
  if (connection === null || !connection.audit) {
    return null;
  }
  const { events } = await ask('GET', query({ after: since.toISOString() }), { audit: true, timeout: LIVE });
  return events.filter(({ type }) => type.startsWith('LIMITER_')).reverse();
}
