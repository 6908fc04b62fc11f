// Two versions of the application on one store: what each may work on, and what becomes of jobs that began under the older.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Agent, Models, program, Statek, tool, type Job } from '../../src/index.ts';
import { jobWorkRows } from '../../src/jobs/rows.ts';
import { openStore, scanAll } from '../../src/store.ts';
import { scriptedModel } from '../../src/testing.ts';
import { openLocation, statePlaces } from '../state/support/places.ts';
import { openVersion, type VersionedKit } from './support/upgrade.ts';

type Versioned = Awaited<ReturnType<typeof openVersion>>;

/** Kits of several versions on one store. */
async function versions<const Kits extends readonly VersionedKit[]>(
  engine: string,
  ...kits: Kits
): Promise<{ readonly [Index in keyof Kits]: Versioned }> {
  const place = await statePlaces[engine]?.();
  if (place === undefined) throw new Error(`There is no place for ${engine}.`);
  const opened: Versioned[] = [];
  onTestFinished(async () => {
    for (const { kit } of opened) {
      await kit.close({ graceMilliseconds: 0 });
      await kit.store.close();
    }
    await place.dispose();
  });
  for (const kit of kits) opened.push(await openVersion(await openLocation(place.location), kit));
  return opened as never;
}

async function answered({ kit }: Versioned, job: Job, answer: string): Promise<void> {
  const [question] = await job.waiting();
  await kit.answer(question?.id ?? '', answer);
}

const engines = Object.keys(statePlaces).filter((engine) => engine !== 'file');

describe.each(engines)('on %s', (engine) => {
  it('goes on with newer code, and not with older code after that', async () => {
    const [old, fresh] = await versions(engine, { version: '2026.9.30' }, { version: '2026.11.1' });
    const submitted = await old.kit.submit('trip', { id: 'a', vars: { ...old.services, origin: 'go' } });
    await old.kit.runUntilIdle();
    expect(submitted.version).toMatchObject({ started: undefined, needs: '2026.9.30', pinned: false, restarts: 0 });
    const job = await fresh.kit.job('a');
    expect(job.version).toMatchObject({ started: '2026.9.30', needs: '2026.9.30' });
    await answered(fresh, job, 'Monday');
    await fresh.kit.runUntilIdle();
    expect((await job.refresh()).version).toMatchObject({ started: '2026.9.30', needs: '2026.11.1' });
    await answered(old, job, 'nothing');
    await old.kit.runUntilIdle();
    expect((await job.refresh()).status).toBe('SUSPENDED');
    const [queue] = await old.kit.queues();
    expect(queue?.versions).toEqual([{ version: '2026.11.1', pinned: false, jobs: 1, claimed: 0 }]);
    await fresh.kit.runUntilIdle();
    expect(await job.result()).toBe('go paid-2026.9.30 Monday nothing');
    expect(await kindsOf(job)).toContain('version');
  });

  it('leaves what new code submitted to new code', async () => {
    const [none, fresh] = await versions(engine, {}, { version: 2 });
    await fresh.kit.submit('trip', { id: 'a', vars: { ...fresh.services, origin: 'go' } });
    await none.kit.submit('trip', { id: 'b', vars: { ...none.services, origin: 'go' } });
    await none.kit.runUntilIdle();
    expect([(await none.kit.job('a')).status, (await none.kit.job('b')).status]).toEqual(['READY', 'SUSPENDED']);
    await fresh.kit.runUntilIdle();
    expect((await none.kit.job('a')).status).toBe('SUSPENDED');
  });
});

describe.each(['typescript', 'python'] as const)('%s', (language) => {
  it('starts a job again whose code has changed, and says what was done before', async () => {
    const paid: string[] = [];
    const pays = (what: string): void => void paid.push(what);
    const both = { language, onChange: 'restart', pays } as const;
    const [old, fresh] = await versions('sqlite', { ...both, version: 1 }, { ...both, version: 2 });
    const job = await old.kit.submit('trip', { id: 'a', vars: { ...old.services, origin: 'go' } });
    await old.kit.runUntilIdle();
    await answered(fresh, job, 'Monday');
    await fresh.kit.runUntilIdle();
    expect((await job.refresh()).version).toEqual({
      started: '2',
      needs: '2',
      pinned: false,
      restarts: 1,
      onChange: 'restart',
    });
    await answered(fresh, job, 'Tuesday');
    await fresh.kit.runUntilIdle();
    await answered(fresh, job, 'no');
    await fresh.kit.runUntilIdle();
    expect(await job.result()).toBe('go paid-2 Tuesday no');
    expect(paid).toEqual(['1', '2']);
    const restarted = (await pastEvents(job)).find(({ kind }) => kind === 'restarted');
    expect(restarted?.data).toEqual({ from: '1', to: '2', calls: [expect.stringContaining('pay')], driver: [] });
    expect((await job.commits()).length).toBeGreaterThan(3);
  });

  it('pins a job to the version it began under, until somebody unpins or cancels it', async () => {
    const both = { language, onChange: 'pin' } as const;
    const [old, fresh] = await versions('sqlite', { ...both, version: 1 }, { ...both, version: 2 });
    const ids = ['a', 'b', 'c'];
    for (const id of ids) await old.kit.submit('trip', { id, vars: { ...old.services, origin: 'go' } });
    await old.kit.runUntilIdle();
    const jobs = await Promise.all(ids.map((id) => fresh.kit.job(id)));
    for (const job of jobs) await answered(fresh, job, 'Monday');
    await fresh.kit.runUntilIdle();
    expect((await fresh.kit.queues())[0]?.versions).toEqual([{ version: '1', pinned: true, jobs: 3, claimed: 0 }]);
    await jobs[0]?.unpin();
    await jobs[1]?.cancel('not any more');
    await fresh.kit.runUntilIdle();
    const questions = (): Promise<unknown> => Promise.all(jobs.map(async (job) => (await job.waiting())[0]?.question));
    // One that is being cancelled cleans up under any version.
    expect(await questions()).toEqual(['More?', 'More?', undefined]);
    expect(jobs[0]?.version).toMatchObject({ started: '1', needs: '2', pinned: true });
    await old.kit.runUntilIdle();
    expect(await questions()).toEqual(['More?', 'More?', 'More?']);
    expect(jobs[2]?.version).toMatchObject({ needs: '1', pinned: true });
  });
});

it('hands a job on whose process died before it left the queue of everybody', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [none, fresh] = [await openStore(folder), await openStore(folder)];
  const paid: string[] = [];
  const pays = (what: string): void => void paid.push(what);
  const old = await openVersion(none, { version: 1, pays });
  await old.kit.submit('trip', { id: 'a', vars: { ...old.services, origin: 'go' } });
  const child = fork(join(import.meta.dirname, 'support/upgrade-child.ts'), [folder], { stdio: 'inherit' });
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  await old.kit.runUntilIdle();
  expect(paid).toEqual([]);
  const keys: unknown[] = [];
  for await (const { key } of scanAll(none, jobWorkRows, {})) keys.push(key.slice(0, 3));
  expect(keys).toEqual([['trip', '', '>2']]);
  const next = await openVersion(fresh, { version: 2, pays });
  await next.kit.runUntilIdle();
  // Whether the payment was made is unknown, and it is not made again.
  expect((await next.kit.job('a')).error?.code ?? '').toBe('OUTCOME_UNKNOWN');
  expect(paid).toEqual([]);
  await old.kit.close();
  await next.kit.close();
  await none.close();
  await fresh.close();
});

it('makes the definition of an agent anew, and tells its model what was done', async () => {
  const store = await openStore('memory:');
  const open = async (version: number, reply: string): Promise<{ kit: Statek; prompts: string[] }> => {
    const prompts: string[] = [];
    const book = tool({ name: 'book', effect: true, execute: (_room: string) => 'booked' });
    const clerk = new Agent({
      role: 'clerk',
      systemPrompt: `You are version ${version}.`,
      tools: [book],
      chatStyle: 'CONSOLE',
      metadata: { MODEL: 'script' },
      onChange: 'restart',
    });
    const script = scriptedModel([
      (request) => {
        prompts.push(JSON.stringify(request));
        return reply;
      },
    ]);
    const kit = await Statek.open({ store, version, agents: [clerk], models: new Models({ models: { script } }) });
    return { kit, prompts };
  };
  const old = await open(1, "await book('red'); await ask('Which day?')");
  const job = await old.kit.submit('clerk', { message: 'Book a room.' });
  await old.kit.runUntilIdle();
  await answered({ kit: old.kit } as Versioned, job, 'Monday');
  const fresh = await open(2, 'exit("done")');
  await fresh.kit.runUntilIdle();
  expect(await job.result()).toBe('done');
  expect(fresh.prompts[0]).toContain('You are version 2.');
  expect(fresh.prompts[0]).toContain('Book a room.');
  expect(fresh.prompts[0]).toMatch(/started again from its beginning.*What was done before is not undone: .*book/);
  await old.kit.close();
  await fresh.kit.close();
  await store.close();
});

it('refuses versions without an order, and rules without a version', async () => {
  const drivers = [program({ role: 'one', source: '1', onChange: 'pin' })];
  await expect(Statek.open({ store: 'memory:', drivers })).rejects.toThrow("'onChange' needs a version");
  await expect(Statek.open({ store: 'memory:', version: 'v2' })).rejects.toThrow("option 'version'");
});

async function pastEvents(job: Job): Promise<{ kind: string; data: unknown }[]> {
  const events: { kind: string; data: unknown }[] = [];
  for await (const { kind, data } of job.events()) {
    events.push({ kind, data });
    if (kind === 'done') break;
  }
  return events;
}

async function kindsOf(job: Job): Promise<string[]> {
  return (await pastEvents(job)).map(({ kind }) => kind);
}
