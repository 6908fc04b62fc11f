// The size of the store is among what the server tells.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Statek } from '../../src/index.ts';
import { server } from '../../src/server.ts';

async function tells(store: string): Promise<{ bytes: unknown; metrics: string }> {
  const kit = await Statek.open({ store });
  const token = 'token-for-the-tests';
  const listening = await server(kit, { token }).listen();
  const get = (path: string): Promise<Response> =>
    fetch(`${listening.url}v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  try {
    const system = (await (await get('/system')).json()) as { store: { bytes?: number } };
    return { bytes: system.store.bytes, metrics: await (await get('/metrics')).text() };
  } finally {
    await listening.close();
    await kit.close();
  }
}

it('for a store on disk, in the system and in the metrics', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-size-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { bytes, metrics } = await tells(folder);
  expect(bytes).toBeGreaterThan(10_000);
  expect(metrics).toMatch(/\nstatek_store_bytes \d{5,}\n/);
});

it('not for one in memory', async () => {
  const { bytes, metrics } = await tells('memory:');
  expect(bytes).toBeUndefined();
  expect(metrics).not.toContain('statek_store_bytes');
});
