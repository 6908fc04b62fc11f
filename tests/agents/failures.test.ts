// Those who clean up are told once, however a job ends without a result.
import { expect, it } from 'vitest';
import { tool, type AgentOptions, type StatekOptions, type SubmitOptions } from '../../src/index.ts';
import type { JobFailure } from '../../src/agents/tools/tool.ts';
import type { Faults } from '../../src/testing.ts';
import { ManualClock, type ScriptStep } from '../../src/testing.ts';
import { played } from './support/agents.ts';
import { ts } from './support/fences.ts';

function room() {
  const failures: JobFailure[] = [];
  const book = tool({
    name: 'book',
    execute: () => 'ok',
    onJobError: (failure) => failures.push(failure),
  });
  return { failures, book };
}

async function failing(
  script: readonly ScriptStep[],
  submit: SubmitOptions = {},
  options: { readonly agent?: Partial<AgentOptions>; readonly kit?: Partial<StatekOptions> } = {},
) {
  const { failures, book } = room();
  const made = await played(
    { tools: [book], ...options.agent },
    script,
    { id: 'j', message: 'x', ...submit },
    options.kit,
  );
  return { ...made, failures };
}

it('tells of a limit, a failed warmup, fail() and a model that cannot be asked', async () => {
  const limit = await failing([ts('1')], { limits: { turns: 1 } });
  expect(limit.failures).toMatchObject([{ job: 'j', outcome: 'limit', name: 'LimitError' }]);
  const warmup = await failing([], { warmup: 'throw new Error("cold")' });
  expect(warmup.failures).toMatchObject([{ outcome: 'failed', message: 'The warmup failed: Error: cold' }]);
  const gaveUp = await failing([ts('fail("no room")')]);
  expect(gaveUp.failures).toMatchObject([{ outcome: 'failed', message: 'no room' }]);
  const asked = await failing([{ fault: 'auth' }]);
  expect(asked.failures).toMatchObject([{ outcome: 'failed' }]);
});

it('tells of a deadline, also while the job waits', async () => {
  const clock = new ManualClock(0);
  const { kit, failures } = await failing(
    [ts('await signal("never")')],
    { deadline: new Date(60_000) },
    { kit: { clock } },
  );
  expect(failures).toEqual([]);
  clock.advance(60_001);
  await kit.runUntilIdle();
  await kit.runUntilIdle();
  expect(failures).toMatchObject([{ outcome: 'limit', name: 'DeadlineError' }]);
});

it('tells of a job that was cancelled', async () => {
  const { kit, job, failures } = await failing([ts('await signal("never")')]);
  await job.cancel('not needed');
  await kit.runUntilIdle();
  expect(failures).toMatchObject([{ outcome: 'cancelled', message: 'not needed' }]);
});

it('tells of a job that was set aside because it could not be worked on', async () => {
  const clock = new ManualClock(0);
  const { failures, book } = room();
  const faults: Faults = {
    hit: (point) => (point === 'call.before' ? Promise.reject(new Error('broken')) : Promise.resolve()),
  };
  const again = await played({ tools: [book] }, [], { id: 'aside', message: 'x' }, { clock, faults });
  for (let tries = 0; tries < 12; tries++) {
    clock.advance(120_000);
    await again.kit.runUntilIdle();
  }
  await again.job.refresh();
  expect([again.job.outcome, again.job.error?.code]).toEqual(['failed', 'QUARANTINED']);
  expect(failures).toMatchObject([{ job: 'aside', name: 'QuarantinedError' }]);
});

it('tells nobody of a job that completes, or that is tried again', async () => {
  expect((await failing([ts('exit()')])).failures).toEqual([]);
  const retried = await failing([ts('fail("first")'), ts('exit("second")')], { retry: { attempts: 2, backoff: 0 } });
  await retried.kit.runUntilIdle();
  expect([await retried.job.result(), retried.failures]).toEqual(['second', []]);
});

it('tells again only what may be done twice when the process died over it', async () => {
  const { kit, failures, job } = await failing([ts('fail("x")')]);
  expect(failures).toHaveLength(1);
  const agent = kit.agent('helper');
  const call = { workspace: job.id, idempotencyKey: 'k', attempt: 2, abortSignal: new AbortController().signal };
  await agent?.jobFailed({ job: job.id, name: 'Error', message: 'x', outcome: 'failed' }, call, true);
  expect(failures).toHaveLength(1);
});
