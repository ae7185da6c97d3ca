// Calls the endpoint /actuator/limiter, with the CSRF tokens of the application.

/** The timeout of periodic requests, in milliseconds. */
export const LIVE = 5000;
// long, because operators need the page most when the server is overloaded
const TIMEOUT = 60000;

let connection = null;

/** Sends a request without following a redirect to a login form, and without a password prompt of the browser. */
function send(path, { headers, timeout = TIMEOUT, ...options } = {}) {
  return fetch(path, {
    ...options, headers: { ...headers, 'X-Requested-With': 'XMLHttpRequest' }, redirect: 'manual', cache: 'no-store',
    signal: AbortSignal.timeout(timeout),
  });
}

/** Tries each CSRF token until the application accepts one, then keeps only that one. */
async function sendWithToken(path, { headers, ...options }) {
  const { csrf } = connection;
  let response;
  for (const token of csrf.tokens) {
    response = await send(path, { ...options, headers: { ...headers, [csrf.header]: token } });
    if (response.ok) {
      csrf.tokens = [token];
    }
    if (response.status !== 403) {
      break;
    }
  }
  return response;
}

/** Returns the status of a response, with 401 for a redirect to a login form. */
const status = (response) => response.type === 'opaqueredirect' ? 401 : response.status;

/** Reads the path of the endpoint and the CSRF tokens. */
async function connect(timeout) {
  const response = await send('connection.json', { timeout });
  if (response.status === 404) {
    connection = { endpoint: '/actuator/limiter' };
    return;
  }
  if (!response.ok) {
    throw new EndpointError(status(response), meaning[status(response)] || 'The page is not accessible: log in again.');
  }
  connection = await response.json();
}

export class EndpointError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const meaning = {
  401: 'Your session has expired: log in again.',
  403: 'Access denied, or your session has expired: reload the page.',
  404: 'The endpoint was not found: add limiter to management.endpoints.web.exposure.include, on the same port as this page.',
  405: 'The endpoint is read-only: set management.endpoint.limiter.access to unrestricted.',
};

async function ask(method, path, { body, timeout } = {}) {
  if (connection === null) {
    await connect(timeout);
  }
  const headers = { Accept: 'application/json' };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const response = await (method === 'GET' || !connection.csrf ? send : sendWithToken)('..' + connection.endpoint + path,
    { method, headers, timeout, body: body === undefined ? undefined : JSON.stringify(body) });
  const json = (response.headers.get('Content-Type') || '').includes('json');
  const content = json ? await response.json() : null;
  if (!response.ok || !json && status(response) !== 204) {
    // do not reuse the tokens of an expired session
    connection = [401, 403].includes(status(response)) ? null : connection;
    const own = content && typeof content.error === 'string' && content.timestamp === undefined;
    const message = own ? content.error : meaning[status(response)];
    throw new EndpointError(status(response), message || 'The endpoint responded with status ' + status(response) + '.');
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
