// The endpoint /actuator/limiter, with the access and the CSRF protection that the application gives it.

/** The timeout of what is read again and again, in milliseconds. */
export const LIVE = 5000;
// an operator steers a server that has too much to do
const TIMEOUT = 60000;

let connection = null;

/** A response of the application itself: never the login form that it redirects to, nor a browser that prompts for a password. */
function send(path, { headers, timeout = TIMEOUT, ...options } = {}) {
  return fetch(path, {
    ...options, headers: { ...headers, 'X-Requested-With': 'XMLHttpRequest' }, redirect: 'manual', cache: 'no-store',
    signal: AbortSignal.timeout(timeout),
  });
}

/** With each token until the application accepts one: only the response shows which, and from then on that one is sent alone. */
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

/** A redirect leads to a login. */
const status = (answer) => answer.type === 'opaqueredirect' ? 401 : answer.status;

/** Where the endpoint is, and the tokens that changes need. */
async function connect(timeout) {
  const answer = await send('connection.json', { timeout });
  if (answer.status === 404) {
    connection = { endpoint: '/actuator/limiter' };
    return;
  }
  if (!answer.ok) {
    throw new EndpointError(status(answer), meaning[status(answer)] || 'The page cannot be read any more: log in again.');
  }
  connection = await answer.json();
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
  404: 'The endpoint does not answer here: add limiter to management.endpoints.web.exposure.include, and keep it on the port of the page.',
  405: 'The endpoint only reads: management.endpoint.limiter.access is not unrestricted.',
};

async function ask(method, path, { body, timeout } = {}) {
  if (connection === null) {
    await connect(timeout);
  }
  const headers = { Accept: 'application/json' };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const answer = await (method === 'GET' || !connection.csrf ? send : sendWithToken)('..' + connection.endpoint + path,
    { method, headers, timeout, body: body === undefined ? undefined : JSON.stringify(body) });
  const json = (answer.headers.get('Content-Type') || '').includes('json');
  const content = json ? await answer.json() : null;
  if (!answer.ok || !json && status(answer) !== 204) {
    // the token of a session that is over is not used again
    connection = [401, 403].includes(status(answer)) ? null : connection;
    const told = content && typeof content.error === 'string' && content.timestamp === undefined ? content.error : meaning[status(answer)];
    throw new EndpointError(status(answer), told || 'The endpoint answered with status ' + status(answer) + '.');
  }
  return content;
}

const segment = (name) => '/' + encodeURIComponent(name);
const query = (words) => '?' + new URLSearchParams(words);

export const rules = () => ask('GET', '', { timeout: LIVE });
export const rule = (name, timeout) => ask('GET', segment(name), { timeout });
export const key = (name, value, timeout) => ask('GET', segment(name) + query({ key: value }), { timeout });
export const explain = (words) => ask('GET', '/explain' + query(words));
export const change = (name, settings) => ask('POST', segment(name), { body: settings });
export const suggestion = (name, suggest) => ask('GET', segment(name) + query({ suggest }));
export const restore = (name, words) => ask('DELETE', segment(name) + query(words));
