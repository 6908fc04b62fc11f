// A slice that takes longer than the lease is run once: its lease is renewed meanwhile, from another thread.
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Statek } from '../../src/index.ts';
import { openStoreAt } from '../chaos/place.ts';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';
import { longSlice } from './support/long-slice.ts';

/** Long enough that a thread which renews is not late by it on a busy machine. */
const leaseMilliseconds = 2500;

it.each(['sqlite', 'postgres', 'redis'])(
  'runs a slice of several lease times once, though another process waits for it, on %s',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-long-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    let place = folder;
    if (kind === 'postgres') {
      const postgres = await postgresForTests();
      if (postgres === undefined) return;
      const { schema, drop } = await postgres.freshSchema();
      onTestFinished(drop);
      place = `${postgres.url}#${schema}`;
    }
    if (kind === 'redis') {
      const prefix = (await redisForTests())?.freshPrefix();
      if (prefix === undefined) return;
      onTestFinished(prefix.drop);
      place = prefix.location;
    }
    const runs = join(folder, 'runs');
    const store = await openStoreAt(place);
    onTestFinished(() => store.close());
    const services = { work: () => 0 };
    const kit = await Statek.open({ store, drivers: [longSlice], services });
    onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
    const job = await kit.submit(longSlice, { vars: { work: services.work } });
    for (let index = 0; index < 2; index++) {
      const child = fork(
        join(import.meta.dirname, 'support/long-slice-child.ts'),
        [place, runs, String(leaseMilliseconds), String(2.2 * leaseMilliseconds)],
        { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
      );
      onTestFinished(() => void child.kill('SIGKILL'));
    }
    while ((await job.refresh()).status !== 'DONE') await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await job.result()).toBe(7);
    expect(readFileSync(runs, 'utf8')).toBe('run\n');
  },
  60_000,
);
