// The endpoint /actuator/limiter, with the access and the CSRF protection that the application gives it.

const TIMEOUT = 5000;

let connection = null;

async function connect() {
  const answer = await fetch('connection.json', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT) });
  if (!answer.ok || answer.redirected) {
    throw new EndpointError(answer.status, 'The page cannot be read any more: log in again.');
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
  401: 'Log in to do that.',
  403: 'You may not do that, or your session is over: load the page again.',
  404: 'The endpoint does not answer here: it is not exposed, or on another port.',
  405: 'The endpoint only reads: management.endpoint.limiter.access is not unrestricted.',
};

async function ask(method, path, body, audit = false) {
  if (connection === null) {
    await connect();
  }
  const headers = { Accept: 'application/json' };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  if (method !== 'GET' && connection.csrf) {
    headers[connection.csrf.header] = connection.csrf.token;
  }
  const answer = await fetch((audit ? connection.audit : connection.endpoint) + path, {
    method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const json = (answer.headers.get('Content-Type') || '').includes('json');
  const content = json ? await answer.json() : null;
  if (!answer.ok || !json && answer.status !== 204) {
    // a token of a session that is over is asked for again
    connection = answer.status === 403 || answer.status === 401 ? null : connection;
    const told = content && typeof content.error === 'string' && content.error !== 'Method Not Allowed'
      && content.timestamp === undefined ? content.error : meaning[answer.status];
    throw new EndpointError(answer.status, told || 'The endpoint answered with status ' + answer.status + '.');
  }
  return content;
}

const segment = (name) => '/' + encodeURIComponent(name);
const query = (words) => '?' + new URLSearchParams(words);

/** Pushes the samples after one, until it is closed; ended: told if it does not come about, or ends. */
export async function stream(after, heard, ended) {
  if (connection === null) {
    await connect();
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
export const series = (after) => ask('GET', query({ after }));
export const rules = () => ask('GET', '');
export const rule = (name) => ask('GET', segment(name));
export const key = (name, value) => ask('GET', segment(name) + query({ key: value }));
export const explain = (words) => ask('GET', '/explain' + query(words));
export const change = (name, settings) => ask('POST', segment(name), settings);
export const undo = (reason) => ask('POST', '', { undo: true, reason });
export const suggestion = (name, suggest) => ask('GET', segment(name) + query({ suggest }));
export const restore = (name, words) => ask('DELETE', segment(name) + query(words));

/** What operators did, the last first; null where Actuator does not expose it. */
export async function audit(since) {
  if (connection === null || !connection.audit) {
    return null;
  }
  const { events } = await ask('GET', query({ after: since.toISOString() }), undefined, true);
  return events.filter(({ type }) => type.startsWith('LIMITER_')).reverse();
}
