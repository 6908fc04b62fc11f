// Mistakes of those who serve a kit, and of those who call it from afar.
import { expect, it, onTestFinished } from 'vitest';
import { client } from '../../src/client.ts';
import { Statek } from '../../src/index.ts';
import { server } from '../../src/server.ts';
import { loose, refusal } from '../support/mistakes.ts';

it('says what is wrong with a server and its clients', async () => {
  const kit = await Statek.open({ store: 'memory:' });
  onTestFinished(() => kit.close());
  const token = 'a-token-of-16-letters';
  expect(await refusal(() => loose(server)())).toContain('server takes an opened kit');
  expect(await refusal(() => loose(server)(Promise.resolve(kit)))).toContain('not a Promise');
  expect(await refusal(() => loose(server)(kit, { hosts: 'example.com' }))).toContain("'hosts' must be a list");
  expect(await refusal(() => loose(server)(kit, { authorize: true }))).toContain(
    "option 'authorize' must be a function",
  );

  const listening = await server(kit, { token }).listen();
  onTestFinished(() => listening.close());
  expect(await refusal(() => server(kit, { token }).listen({ port: listening.port }))).toBe(
    `SERVER_LISTEN: The server cannot listen on 127.0.0.1:${listening.port}: something listens there already. Stop it, or choose another port; 0 picks a free one.`,
  );

  expect(await refusal(() => loose(client)(listening.url))).toContain('client takes an object of options');
  expect(await refusal(() => client({ url: 'localhost:4320' }))).toContain(
    "option 'url' must be the address of a server",
  );
  const far = client({ url: listening.url, token });
  const get = loose(far, 'get');
  expect(await refusal(() => get('/jobs/{id}'))).toBe('INVALID_OPTION: GET /jobs/{id}: give { path: { id } }.');
  expect(await refusal(() => get('/jobs', { qurey: {} }))).toContain("GET /jobs has no option 'qurey'");
  expect(await refusal(() => client({ url: 'http://127.0.0.1:1/' }).get('/jobs'))).toContain(
    'SERVER_UNREACHABLE: GET /jobs: http://127.0.0.1:1/ cannot be reached: ',
  );
  const page = client({
    url: 'http://example.com',
    fetch: async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
  });
  expect(await refusal(() => page.get('/jobs'))).toContain('is not a server of Statek');

  const nowhere = await fetch(`${listening.url}v1/jobs/`, { headers: { authorization: `Bearer ${token}` } });
  expect(nowhere.status).toBe(404);
});
