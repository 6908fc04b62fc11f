// A process that dies lets go of its jobs at once: others on the machine take them over without waiting for its leases, and
// nobody says that nothing is left to do while a job stands under a dead process's lease.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { KitClosedError, Statek, tool } from '../../src/index.ts';
import { jobWorkRows } from '../../src/jobs/rows.ts';
import { openStoreAt } from '../chaos/place.ts';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';
import { stuck } from './support/stuck.ts';

/** So long that no test waits for it. */
const leaseMilliseconds = 3_600_000;

async function placeOf(kind: string): Promise<string | undefined> {
  if (kind === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'statek-dead-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }
  if (kind === 'redis') {
    const prefix = (await redisForTests())?.freshPrefix();
    if (prefix !== undefined) onTestFinished(prefix.drop);
    return prefix?.location;
  }
  const postgres = await postgresForTests();
  if (postgres === undefined) return undefined;
  const { schema, drop } = await postgres.freshSchema();
  onTestFinished(drop);
  return `${postgres.url}#${schema}`;
}

async function openKit(place: string): Promise<Statek> {
  const store = await openStoreAt(place);
  const kit = await Statek.open({ store, drivers: [stuck(() => Promise.resolve('done here'))], leaseMilliseconds });
  onTestFinished(async () => {
    await kit.close({ graceMilliseconds: 0 });
    await store.close();
  });
  return kit;
}

/** A process that works on the job and is in the middle of a call that never ends. */
async function workingChild(place: string): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'support/stuck-child.ts'), [place, String(leaseMilliseconds)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

it.each(['sqlite', 'postgres', 'redis'])('waits for the job of a process that died, on %s', async (kind) => {
  const place = await placeOf(kind);
  if (place === undefined) return;
  const kit = await openKit(place);
  const job = await kit.submit('stuck');
  await killed(await workingChild(place));
  await kit.runUntilIdle();
  expect((await job.refresh()).outcome).toBe('completed');
  expect(await job.result()).toBe('done here');
});

it.each(['sqlite', 'postgres', 'redis'])('takes over the job of a process that died, on %s', async (kind) => {
  const place = await placeOf(kind);
  if (place === undefined) return;
  const kit = await openKit(place);
  const job = await kit.submit('stuck');
  const child = await workingChild(place);
  kit.start();
  await killed(child);
  expect(await job.result()).toBe('done here');
});

it.each(['sqlite', 'postgres', 'redis'])('leaves the job of a process that lives alone, on %s', async (kind) => {
  const place = await placeOf(kind);
  if (place === undefined) return;
  const kit = await openKit(place);
  const job = await kit.submit('stuck');
  await workingChild(place);
  const [lease] = await kit.store.holders(jobWorkRows);
  await kit.store.expireDead?.(jobWorkRows);
  const [after] = await kit.store.holders(jobWorkRows);
  expect(after).toEqual(lease);
  expect((await job.refresh()).status).not.toBe('DONE');
});

it.each(['sqlite', 'postgres', 'redis'])('goes on with the workspace of a process that died, on %s', async (kind) => {
  const place = await placeOf(kind);
  if (place === undefined) return;
  const child = fork(
    join(import.meta.dirname, 'support/stuck-workspace-child.ts'),
    [place, String(leaseMilliseconds)],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  await killed(child);
  const store = await openStoreAt(place);
  const services = { work: tool({ name: 'work', idempotent: true, execute: async () => 'done here' }) };
  const kit = await Statek.open({ store, services, leaseMilliseconds });
  onTestFinished(async () => {
    await kit.close({ graceMilliseconds: 0 });
    await store.close();
  });
  await kit.runUntilIdle();
  const workspace = await kit.findWorkspace('w');
  expect((await workspace?.settled())?.value).toBe('done here');
});

it('refuses to start a worker after the kit was closed', async () => {
  const kit = await Statek.open({ store: 'memory:' });
  await kit.close();
  expect(() => kit.start()).toThrow(KitClosedError);
});
