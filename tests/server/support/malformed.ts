// Requests that no client should send: garbage on the wire, wrong types, huge and odd parts. Made from a seed, so that a failure can
// be had again.
import { connect } from 'node:net';
import type { RouteSummary } from '../../../src/server.ts';

/** Numbers that look random and are the same for one seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const oddTexts = [
  '',
  '..',
  '%00',
  '%E0%A4%A',
  '%2e%2e%2f',
  '__proto__',
  'constructor',
  "'; DROP TABLE jobs; --",
  '\u{1F600}',
  '-1',
  '1e999',
  'NaN',
  '[]',
  '{}',
  'null',
  'x'.repeat(500),
];
/** Parameters that routes have; one that a route does not have is refused at once. */
const parameters = ['cursor', 'limit', 'offset', 'path', 'prefix', 'pattern', 'query', 'since', 'text', 'at', 'commit'];
const oddValues = ['eyJhIjoxfQ', 'AAAA', '[a-', '[["x"]]', '["__proto__"]', '9007199254740993'];
const oddBodies = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '{"__proto__":{"admin":true}}',
  '{"role":"nobody"}',
  '{"role":1,"input":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{}}}',
  '{"jsonrpc":"2.0","id":{},"method":"GetTask","params":{"id":"%"}}',
  '{"jsonrpc":"2.0","method":"CancelTask","params":{"id":"a/b/c"}}',
  `{"messages":[{"id":"m","role":"user","parts":[{"type":"text"}]}],"id":"x"}`,
  `{"messages":[{"id":"m","role":"assistant","parts":[{"type":"dynamic-tool"}]}],"id":"x"}`,
  `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
  `{"role":"${'x'.repeat(5000)}"}`,
  '\u0000\u0001\u0002',
  '{"code":"while(true);"}',
];
const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-7' },
  { 'last-event-id': 'nonsense' },
  { 'last-event-id': '99999999999999-1' },
  { 'x-request-id': 'a b\tc' },
  { authorization: 'Bearer nonsense' },
  { authorization: 'Basic Og==' },
  { origin: 'null' },
  { traceparent: 'nonsense' },
  { 'a2a-version': '1.0' },
];

/** Sends a request that is well formed HTTP and means nothing. */
export async function sendOdd(
  url: string,
  routes: readonly RouteSummary[],
  token: string,
  random: (below: number) => number,
): Promise<number> {
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  const { method, path } = pick(routes);
  const place = path.replaceAll(/\{\w+\}/g, () => {
    const text = pick(oddTexts);
    return text.includes('%') ? text : encodeURIComponent(text);
  });
  const name = pick(random(4) === 0 ? oddTexts : parameters);
  const query =
    random(2) === 0 ? `?${encodeURIComponent(name)}=${encodeURIComponent(pick([...oddTexts, ...oddValues]))}` : '';
  const headers = {
    ...(random(10) > 0 ? { authorization: `Bearer ${token}` } : {}),
    'content-type': 'application/json',
    ...pick(oddHeaders),
  };
  const stop = new AbortController();
  const response = await fetch(`${url}v1${place}${query}`, {
    method,
    headers,
    signal: stop.signal,
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: pick(oddBodies) }),
  });
  const { status } = response;
  // Streams that were opened are left.
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) stop.abort();
  else await response.arrayBuffer();
  return status;
}

const garbage = [
  'GET\r\n\r\n',
  '\r\n\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'POST /v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-length: -5\r\n\r\n',
  'POST /v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'POST /v1/jobs HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nffffffffffff\r\nx',
  `GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\n${'x-a: b\r\n'.repeat(5000)}\r\n`,
  `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
  'GET /v1/jobs HTTP/1.1\r\nhost: a b c\r\n\r\n',
  'GET /v1/jobs HTTP/1.1\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'CONNECT localhost:1 HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET http://evil.example/v1/jobs HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  'GET //v1/jobs HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET /v1/%ff%fe HTTP/1.1\r\nhost: localhost\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001',
];

/** Sends bytes that are hardly HTTP, and gives the status of the answer; 0 if there was none. */
export async function sendGarbage(port: number, random: (below: number) => number): Promise<number> {
  const text = garbage[random(garbage.length)] ?? '';
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(text, 'latin1'));
    socket.on('data', (data) => (answer += data.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)));
  });
}
