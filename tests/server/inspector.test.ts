// The files of the inspector as the server gives them: from a fixed list, under any prefix, with a strict policy.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { beforeAll, afterEach, expect, it } from 'vitest';
import { upToDateInspector } from '../../scripts/support/inspector.ts';
import { program, Statek } from '../../src/index.ts';
import { server, type ServerOptions, type StatekServer } from '../../src/server.ts';

const token = 'token-for-the-tests';
const printing = program({ role: 'printing', source: "print('x'.repeat(15_000)); print('needle'); 1" });
let kit: Statek | undefined;

beforeAll(upToDateInspector, 120_000);
afterEach(async () => {
  await kit?.close();
  kit = undefined;
});

async function serve(options: ServerOptions = {}): Promise<StatekServer> {
  kit = await Statek.open({ store: 'memory:', drivers: [printing] });
  return server(kit, { token, ...options });
}

function get(served: StatekServer, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return served.fetch(new Request(`http://localhost${path}`, { headers }));
}

it('serves the page to everybody, with scripts and styles of its own alone', async () => {
  const served = await serve();
  const page = await get(served, '/');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain('unsafe');
  const text = await page.text();
  expect(text).not.toMatch(/<script(?![^>]* src=)/);
  const files = [...text.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)].map((match) => match[1] ?? '');
  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const file of files) {
    const answer = await get(served, file.slice(1));
    expect(answer.status).toBe(200);
    const again = await get(served, file.slice(1), { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  }
  const zipped = await get(served, '/', { 'accept-encoding': 'gzip' });
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
});

it.each(['/assets/', '/..%2fpackage.json', '/.sources', '/assets/..%2f..%2f..%2fpackage.json', '/x'])(
  'has nothing at %s',
  async (path) => {
    expect((await get(await serve(), path)).status).toBe(404);
  },
);

it('is under a prefix, and nowhere if it is switched off', async () => {
  const below = await serve({ prefix: '/statek' });
  expect((await get(below, '/statek/')).status).toBe(200);
  const moved = await get(below, '/statek');
  expect([moved.status, moved.headers.get('location')]).toEqual([308, '/statek/']);
  expect((await get(below, '/')).status).toBe(404);
  await kit?.close();
  const without = await serve({ inspector: false });
  expect((await get(without, '/')).status).toBe(404);
  expect((await get(without, '/v1/health/live')).status).toBe(200);
  // As it is where an address that ends with a slash is followed by another one.
  expect((await get(without, '//v1/health/live')).status).toBe(200);
});

it('tells who is calling, and cuts and searches lists for it', async () => {
  const served = await serve({ readOnly: true });
  const headers = { authorization: `Bearer ${token}` };
  expect(await (await get(served, '/v1/caller', headers)).json()).toMatchObject({ name: 'owner', rights: ['read'] });
  await kit?.submit(printing, { id: 'p' });
  await kit?.runUntilIdle();
  const lines = async (query: string): Promise<{ items: string[]; cursor?: string }> =>
    (await (await get(served, `/v1/jobs/p/console?${query}`, headers)).json()) as { items: string[]; cursor?: string };
  expect((await lines('')).items[0]).toHaveLength(15_000);
  expect((await lines('maxText=1000')).items[0]?.length).toBeLessThan(1100);
  const last = await lines('order=newest&limit=1');
  expect(last.items).toEqual(['needle']);
  const cursor = encodeURIComponent(last.cursor ?? '');
  const before = await lines(`order=newest&limit=1&maxText=100&cursor=${cursor}`);
  expect([before.items[0]?.slice(0, 102), before.cursor]).toEqual([`${'x'.repeat(100)}… `, undefined]);
  expect(await lines('text=NEEDLE')).toEqual({ items: ['needle'] });
  expect((await get(served, '/v1/jobs/p/console?cursor=nonsense', headers)).status).toBe(400);
});

it('sends browsers to the slash after the place where Express mounts it', async () => {
  const served = await serve();
  const app = express().use('/tools', served.node);
  const listening = app.listen(0);
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const answer = await fetch(`http://localhost:${port}/tools?a=1`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([308, 'tools/']);
  expect((await fetch(`http://localhost:${port}/tools`)).status).toBe(200);
  listening.close();
});
