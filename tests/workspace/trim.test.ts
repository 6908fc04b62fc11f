// Retention is of everything that belongs to a commit: rows of a long-lived program are bounded, and what kept commits need stays.
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Agent, Models, program, Statek, type Workspace } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';
import { scanAll } from '../../src/store/scan-all.ts';
import { consoleRows, futureRows, stepRows } from '../../src/workspace/rows.ts';
import { largeTextRows } from '../../src/workspace/large-texts.ts';
import { jobEventRows, jobPastRows } from '../../src/jobs/rows.ts';
import type { Collection } from '../../src/store.ts';

const mailer = { send: async (text: string) => `sent ${text.length}` };
let kit: Statek;
beforeEach(async () => {
  kit = await Statek.open({ store: 'memory:', services: { mailer } });
});
afterEach(async () => kit.close());

async function countRows(collection: Collection, id: string): Promise<number> {
  let count = 0;
  for await (const _row of scanAll(kit.store, collection, { prefix: [id] })) count++;
  return count;
}

async function rowsOf(id: string): Promise<Record<string, number>> {
  const collections = { steps: stepRows, futures: futureRows, console: consoleRows, texts: largeTextRows };
  const counts = await Promise.all(
    Object.entries(collections).map(async ([name, collection]) => [name, await countRows(collection, id)] as const),
  );
  return Object.fromEntries(counts);
}

describe('a long-lived workspace', () => {
  it('keeps rows of kept commits only, and goes on', async () => {
    const workspace = await kit.workspace('long', { vars: { mailer } });
    await workspace.run('let n = 0; const greet = (name: string) => `hello ${name}`;');
    for (let step = 0; step < 60; step++)
      await workspace.run(
        `n += 1; print('step', n); await mailer.send('x'.repeat(${step % 7 === 0 ? 20_000 : 10}) + n)`,
      );
    await workspace.settled();
    const before = await rowsOf('long');
    const report = await kit.gc({ retention: { last: 10 } });
    const after = await rowsOf('long');
    expect(report.rowsRemoved).toBeGreaterThan(100);
    const isSmaller = Object.entries(after).map(([name, count]) => [name, count < (before[name] ?? 0) / 3]);
    expect(Object.fromEntries(isSmaller)).toEqual({ steps: true, futures: true, console: true, texts: true });
    expect((await workspace.console()).at(-1)).toBe('step 60');
    const step = await workspace.run('print(greet("Ann")); n');
    expect([step.value, step.console]).toEqual([60, ['hello Ann']]);
    const commits = await workspace.commits();
    for (const { hash } of commits) expect((await workspace.at(hash)).locals()).toHaveProperty('n');
    await workspace.rollback(commits.at(-1)?.hash ?? '');
    const later = await workspace.run('n');
    expect((later.status === 'queued' ? await workspace.settled() : later).value).toBeLessThan(60);
    // Doing it again finds nothing.
    await kit.gc({ retention: { last: 1000 } });
    expect((await kit.gc({ retention: { last: 1000 } })).rowsRemoved).toBe(0);
  });

  it('keeps what a tagged commit can show', async () => {
    const workspace = await kit.workspace('tagged');
    for (let step = 0; step < 20; step++) await workspace.run(`print(${step})`);
    const [, , tagged] = (await workspace.commits({ limit: 100 })).toReversed();
    await workspace.tag('early', tagged?.hash);
    await kit.gc({ retention: { last: 3 } });
    expect(await (await workspace.at(tagged?.hash ?? '')).console()).toEqual(['0']);
    expect((await workspace.step(1)).status).toBe('done');
  });

  it('keeps the outcome of what a kept commit waits for, and of what a fork waits for', async () => {
    const workspace = await kit.workspace('waiting');
    const step = await workspace.run('const day = await ask("When?"); day');
    const fork = await workspace.fork(step.commit, 'fork');
    await kit.answer(step.waiting[0]?.id ?? '', 'Friday');
    await workspace.settled();
    await workspace.tag('asked', step.commit);
    for (let more = 0; more < 10; more++) await workspace.run('1');
    await kit.gc({ retention: { last: 2 } });
    await workspace.rollback(step.commit ?? '');
    await workspace.settled();
    expect((await workspace.step(1)).value).toBe('Friday');
    expect((await fork.settled()).value).toBe('Friday');
  });
});

describe('a long-lived job', () => {
  it('keeps records of kept commits, how it began, and its conversation', async () => {
    await kit.close();
    const replies = Array.from({ length: 30 }, (_, turn) => [
      `\`\`\`ts\nvar total = ${turn}; print(total)\n\`\`\``,
      `Done ${turn}.`,
    ]).flat();
    const agent = new Agent({ role: 'clerk', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'script' } });
    kit = await Statek.open({
      store: 'memory:',
      agents: [agent],
      models: new Models({ models: { script: scriptedModel(replies) } }),
    });
    const job = await kit.submit(agent, { id: 'talk', message: 'Begin.' });
    await job.result();
    for (let turn = 1; turn < 30; turn++) {
      await job.say(`Again ${turn}.`);
      await job.result();
    }
    const chat = await job.chat();
    const before = [await countRows(jobEventRows, 'talk'), await countRows(jobPastRows, 'talk')];
    await kit.gc({ retention: { last: 5 } });
    const after = [await countRows(jobEventRows, 'talk'), await countRows(jobPastRows, 'talk')];
    expect(after[0]).toBeLessThan((before[0] ?? 0) / 2);
    expect(after[1]).toBeLessThanOrEqual(6);
    expect(await job.chat()).toEqual(chat);
    expect((await job.pastEvents())[0]?.kind).toBe('submitted');
    const [, oldest] = await job.commits();
    await job.rollback(oldest?.hash ?? '');
    expect(await job.local('total')).toBeGreaterThan(20);
    await job.cancel();
    await kit.runUntilIdle();
    const copy = await kit.job(await job.again({ id: 'again' }));
    expect((await copy.messages())[0]?.body).toBe('Begin.');
  });

  it('takes bounded space however many steps it makes', async () => {
    await kit.close();
    kit = await Statek.open({
      store: 'memory:',
      drivers: [program({ role: 'ticker', source: 'for (let n = 0; n < 120; n++) { print(n); await sleep(1); }' })],
    });
    const job = await kit.submit('ticker', { id: 'ticks' });
    await job.result();
    await kit.gc({ retention: { last: 8 } });
    const rows = { ...(await rowsOf('ticks')), events: await countRows(jobEventRows, 'ticks') };
    expect(Object.values(rows).every((count) => count < 30)).toBe(true);
    expect((await job.console()).at(-1)).toBe('119');
  });
});

it('loses nothing that is kept, whatever was done and dropped', async () => {
  const action = fc.oneof(
    { weight: 5, arbitrary: fc.constant('count' as const) },
    { weight: 2, arbitrary: fc.constant('ask' as const) },
    { weight: 1, arbitrary: fc.constant('tag' as const) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 6 }) },
  );
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 30 }), fc.nat(), async (actions, chosen) => {
      const id = `random-${++number}`;
      const workspace: Workspace = await kit.workspace(id);
      await workspace.run('let n = 0; let last = null;');
      let n = 0;
      const at = new Map([[(await workspace.commits({ limit: 1 }))[0]?.hash ?? '', n]]);
      for (const one of actions) {
        if (one === 'count') await workspace.run('n += 1; print(n)');
        else if (one === 'ask') {
          const step = await workspace.run('last = await ask("?"); n += 1;');
          at.set(step.commit ?? '', n);
          await kit.answer(step.waiting[0]?.id ?? '', n);
          await workspace.settled();
        } else if (one === 'tag') await workspace.tag(`t${n}`);
        else await kit.gc({ retention: (name) => (name === id ? { last: one } : undefined) });
        n = (await workspace.locals())['n'] as number;
        at.set((await workspace.commits({ limit: 1 }))[0]?.hash ?? '', n);
      }
      await kit.gc({ retention: (name) => (name === id ? { last: 4 } : undefined) });
      const commits = await workspace.commits();
      for (const { hash } of commits) expect((await workspace.at(hash)).locals()['n']).toBe(at.get(hash));
      // Where few commits were made, the one before the first step is there too.
      const told = commits.filter(({ hash }) => at.has(hash));
      const back = told[chosen % told.length]?.hash ?? '';
      await workspace.rollback(back);
      // A wait that was pending then settles with the answer it was given.
      const step = await workspace.run('n + 100');
      const result = step.status === 'queued' ? await workspace.settled() : step;
      const was = at.get(back) ?? Number.NaN;
      expect([was, was + 1]).toContain((result.value as number) - 100);
    }),
    { numRuns: 25 },
  );
});
