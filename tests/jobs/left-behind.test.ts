// What a job left behind when it ended: nobody is asked for it any more, and it takes nothing that others wait for.
import { describe, expect, it } from 'vitest';
import { program, tool, type Driver, type Job, type Statek, type StatekOptions } from '../../src/index.ts';
import { scanAll } from '../../src/store/scan-all.ts';
import { ManualClock } from '../../src/testing.ts';
import { futureRows, signalWaitRows, timerRows, type FutureRow } from '../../src/workspace/rows.ts';
import { openKit } from '../workspace/support/kits.ts';

const coder = program({ role: 'coder', source: (input) => String(input) });
/** The same, started again by a message, which is the next code. */
const talker: Driver = {
  role: 'talker',
  reopens: true,
  next: ({ event, input, messages }) => {
    if (event.kind === 'step')
      return event.step.status === 'done' ? { finish: event.step.value } : { fail: event.step.error ?? 'failed' };
    return { run: String(messages.at(-1)?.body ?? input) };
  },
};
const pay = tool({ name: 'pay', approval: 'always', execute: async (amount: number) => Promise.resolve(amount) });
const note = tool({ name: 'note', execute: async (text: string) => Promise.resolve(text) });

interface Stage {
  readonly kit: Statek;
  readonly clock: ManualClock;
}

async function open(options: Partial<StatekOptions> = {}): Promise<Stage> {
  const clock = new ManualClock(1000);
  const kit = await openKit({ clock, drivers: [coder, talker], services: { pay, note }, ...options });
  return { kit, clock };
}

/** Submits code as the job `j`, and runs it as far as it goes. */
async function played({ kit, clock }: Stage, input: string, role = 'coder'): Promise<Job> {
  const job = await kit.submit(role, { id: 'j', input, vars: { pay, note }, deadline: new Date(clock.now() + 1000) });
  await kit.runUntilIdle();
  return job.refresh();
}

async function futuresIn(kit: Statek): Promise<FutureRow[]> {
  const futures: FutureRow[] = [];
  for await (const { value } of scanAll(kit.store, futureRows, {})) futures.push(value);
  return futures;
}

/** What timers and signals would find. */
async function registered(kit: Statek): Promise<unknown[]> {
  const keys: unknown[] = [];
  for (const rows of [timerRows, signalWaitRows])
    for await (const { key } of scanAll(kit.store, rows, {})) keys.push(key);
  return keys;
}

/** What an answer or a decision for the nth future comes to. */
async function refusals(kit: Statek): Promise<string[]> {
  const texts: string[] = [];
  for (const { kind, number, state } of await futuresIn(kit)) {
    if (state === 'settled' || (kind !== 'ask' && kind !== 'approve' && kind !== 'call')) continue;
    const id = `j/${number}`;
    const done = kind === 'ask' ? kit.answer(id, 1) : kit.approve(id);
    texts.push(
      await done.then(
        () => `${kind} was taken`,
        (error: unknown) => (error as Error).message,
      ),
    );
  }
  return texts;
}

/** A program of another workspace that waits for the signal gets it. */
async function signalReachesOthers(kit: Statek): Promise<boolean> {
  const other = await kit.workspace('other');
  await other.run('await signal("s")');
  await kit.signal('s', 'payload');
  await kit.runUntilIdle();
  return (await other.step(1)).value === 'payload';
}

const waits = 'ask("q"); approve("a"); signal("s"); sleep(5000); pay(6);';
const labels = ["ask 'q'", "approve 'a'", 'pay(…)'];

describe('a job that does not wait for what it asked for', () => {
  it.each([
    ['exits', 'exit(1)', "the job 'j' ended with exit()."],
    ['fails', 'fail("no")', "the job 'j' ended with fail()."],
    ['has a result', '1', "the job 'j' is over (completed)."],
    ['throws', 'throw new Error("no")', "the job 'j' is over (failed)."],
    ['has waited', 'await sleep(1); exit(1)', "the job 'j' is over (completed)."],
  ])('%s: all of it is cancelled', async (_, end, why) => {
    const stage = await open();
    const { kit, clock } = stage;
    const job = await played(stage, `${waits} ${end}`);
    clock.advance(1);
    await kit.runUntilIdle();
    expect((await job.refresh()).status).toBe('DONE');
    const pending: string[] = [];
    for await (const { label } of kit.pending()) pending.push(label);
    expect(pending).toEqual([]);
    const texts = await refusals(kit);
    expect(texts).toEqual(
      labels.map((label, index) => `Nobody waits for 'j/${[1, 2, 5][index]}': ${label} was cancelled: ${why}`),
    );
    expect(await registered(kit)).toEqual([]);
    expect(await signalReachesOthers(kit)).toBe(true);
    expect((await job.calls()).map(({ state }) => state)).toEqual(['cancelled']);
  });

  it('has its last calls made in a given workspace, and cancelled in its own', async () => {
    const { kit } = await open();
    const options = { input: 'note("x"); pay(6); 1', vars: { pay, note } };
    for (const [workspace, state] of [
      [undefined, 'cancelled'],
      ['given', 'done'],
    ]) {
      const job = await kit.submit(coder, { ...options, workspace });
      await kit.runUntilIdle();
      expect((await job.calls()).map((call) => call.state)).toEqual([state, 'cancelled']);
    }
  });
});

describe('a job that waits', () => {
  const code = `${waits} await sleep(100_000)`;

  it('and is cancelled, or meets its deadline, takes nothing any more', async () => {
    for (const [end, why] of [
      ['cancel', 'The job was cancelled: no'],
      ['deadline', "ask 'q' was cancelled: the job 'j' is over (limit)."],
    ]) {
      const stage = await open();
      const { kit, clock } = stage;
      const job = await played(stage, code);
      if (end === 'cancel') await job.cancel('no');
      else clock.advance(1000);
      await kit.runUntilIdle();
      expect((await job.refresh()).status).toBe('DONE');
      expect((await refusals(kit))[0]).toBe(`Nobody waits for 'j/1': ${why}`);
      expect(await registered(kit)).toEqual([]);
      expect(await signalReachesOthers(kit)).toBe(true);
    }
  });

  it('and is tried again, leaves signals to its next try', async () => {
    const { kit, clock } = await open();
    const job = await kit.submit(coder, {
      input:
        'globalThis.tries = (globalThis.tries ?? 0) + 1; if (tries === 1) { signal("s"); throw new Error("no") } await signal("s")',
      retry: { attempts: 2, backoff: 1 },
    });
    await kit.runUntilIdle();
    clock.advance(1000);
    await kit.runUntilIdle();
    await kit.signal('s', 'payload');
    expect(await job.result()).toBe('payload');
  });
});

describe('a job that can be started again', () => {
  it.each([
    ['completed', `globalThis.later = signal("s"); ${waits} 1`, String.raw`A message starts it again\.`],
    ['limit', `${waits} await sleep(100_000)`, String.raw`Start it again with job\.resume\(\)\.`],
  ])('and is over (%s) is asked nothing, and takes no signals', async (outcome, code, next) => {
    const stage = await open();
    const { kit, clock } = stage;
    const job = await played(stage, code, 'talker');
    if (outcome === 'limit') clock.advance(1000);
    await kit.runUntilIdle();
    expect((await job.refresh()).outcome).toBe(outcome);
    for (const text of await refusals(kit))
      expect(text).toMatch(
        new RegExp(`^Nobody waits for 'j/\\d' \\(.*\\): The job 'j' is over \\(${outcome}\\)\\. ${next}$`),
      );
    expect(await signalReachesOthers(kit)).toBe(true);
    await job.delete();
    expect(await registered(kit)).toEqual([]);
  });

  it('takes signals again, those that were kept too', async () => {
    const stage = await open();
    const { kit } = stage;
    const job = await played(stage, 'globalThis.first = signal("s"); 1', 'talker');
    await kit.signal('s', 'kept');
    await job.say('await first');
    expect(await job.result()).toBe('kept');
  });

  it('takes signals that come while it waits for something else', async () => {
    const stage = await open();
    const { kit } = stage;
    const job = await played(stage, 'globalThis.first = signal("s"); 1', 'talker');
    await job.say('await ask("q"); await first');
    await kit.runUntilIdle();
    const other = await kit.workspace('other');
    await other.run('await signal("s")');
    await kit.signal('s', 'for the job');
    for (const { id, kind } of await job.waiting()) if (kind === 'ask') await kit.answer(id, 1);
    expect(await job.result()).toBe('for the job');
  });

  it('goes on with what it waited for when it is resumed', async () => {
    const stage = await open();
    const { kit, clock } = stage;
    const job = await played(stage, '[await signal("s"), await ask("q"), await pay(6)]', 'talker');
    clock.advance(1000);
    await kit.runUntilIdle();
    expect((await job.refresh()).outcome).toBe('limit');
    expect(await signalReachesOthers(kit)).toBe(true);
    await job.resume();
    await kit.runUntilIdle();
    await kit.signal('s', 'for the job');
    await kit.runUntilIdle();
    await kit.answer('j/2', 'an answer');
    await kit.runUntilIdle();
    await kit.approve('j/3');
    expect(await job.result()).toEqual(['for the job', 'an answer', 6]);
  });
});

it('lets a fork answer for what the job shares with it', async () => {
  const stage = await open();
  const { kit } = stage;
  const job = await played(stage, 'await ask("q")', 'talker');
  const fork = await (await job.workspace()).fork(undefined, 'fork');
  stage.clock.advance(1000);
  await kit.runUntilIdle();
  expect((await job.refresh()).status).toBe('DONE');
  await kit.answer('j/1', 'both');
  await kit.runUntilIdle();
  expect(await fork.waiting()).toEqual([]);
});
