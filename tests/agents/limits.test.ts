// What ends a job that does not end by itself, and what does not count.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FinalCheck, Models, tool } from '../../src/index.ts';
import { ManualClock, ManualTime, scriptedModel, type ScriptStep } from '../../src/testing.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

const times = (count: number, step: ScriptStep): ScriptStep[] => Array.from({ length: count }, () => step);

it('stops after 50 turns, and goes on for as many when it is resumed', async () => {
  const { job, kit, model } = await played({}, [...times(53, ts('1')), ts('exit("end")')]);
  expect([job.outcome, job.error?.message]).toEqual(['limit', 'The job has reached a limit: it took 50 turns.']);
  expect(model.requests).toHaveLength(50);
  await job.resume();
  await kit.runUntilIdle();
  expect(await job.result()).toBe('end');
});

it('stops after 5 errors in a row, whatever kind they are; a good turn counts them anew', async () => {
  const { model, job } = await played({}, [
    ...times(4, ts('broken(')),
    ts('1'),
    ts('throw new Error("x")'),
    'Nothing to run.',
    ...times(3, ts('throw 1')),
  ]);
  expect(job.error?.message).toContain('5 errors in a row');
  expect(model.requests).toHaveLength(10);
});

it('counts tokens, money and time', async () => {
  const reply = { text: ts('1'), tokens: { input: 50, output: 50 }, cost: 1 };
  const tokens = await played({ limits: { tokens: 250 } }, times(5, reply));
  expect([tokens.job.outcome, tokens.model.requests.length]).toEqual(['limit', 3]);
  const money = await played({ metadata: { MODEL: 'script', MAX_COST: '2' } }, times(5, reply));
  expect([money.job.error?.message, money.model.requests.length]).toEqual([expect.stringContaining('US dollars'), 2]);
  const errors = await played({ limits: { errors: 2, errorsInARow: Number.POSITIVE_INFINITY } }, times(5, ts('x()')));
  expect(errors.model.requests).toHaveLength(2);
  const clock = new ManualClock(0);
  const late = (): string => {
    clock.advance(40_000);
    return ts('1');
  };
  const time = await played({ limits: { seconds: 60 } }, times(5, late), { message: 'x' }, { clock });
  expect([time.job.outcome, time.model.requests.length]).toEqual(['limit', 2]);
});

it('fails when the model cannot be asked, and tells those who clean up, once', async () => {
  const failures: string[] = [];
  const book = tool({
    name: 'book',
    execute: () => 'ok',
    onJobError: ({ job, message }) => failures.push(`${job}: ${message}`),
  });
  const { job } = await played({ tools: [book] }, [ts('book()'), { fault: 'auth' }], { id: 'j', message: 'x' });
  expect(job.outcome).toBe('failed');
  expect(failures).toEqual([expect.stringMatching(/^j: /)]);
  const failed = await played({ tools: [book] }, [ts('fail("no room")')], { id: 'k', message: 'x' });
  expect([failed.job.error?.message, failures.at(-1)]).toEqual(['no room', 'k: no room']);
});

it('raises the difficulty by panic, which chooses another model', async () => {
  const agent = agentWith({ metadata: { MODEL: 'L:script,MH:strong' } });
  const weak = scriptedModel([ts('await panic("too hard")')]);
  const strong = scriptedModel([ts('await panic()'), ts('exit("solved")')], { name: 'strong' });
  const { kit } = await stage([agent], [], { models: new Models({ models: { script: weak, strong }, env: {} }) });
  const job = await kit.submit(agent, { message: 'x' });
  expect(await job.result()).toBe('solved');
  expect((await job.usage()).turns.map(({ difficulty, model }) => [difficulty, model.model])).toEqual([
    ['L', 'scripted'],
    ['M', 'strong'],
    ['H', 'strong'],
  ]);
});

it('ends as completed, failed, cancelled or at a limit', async () => {
  const agent = agentWith({ chatStyle: 'MD_DIALOG', limits: { turns: 2 } });
  const steps = ['Done.', ts('fail("no")'), ts('await signal("never")'), ts('1'), ts('2')];
  const { kit } = await stage([agent], steps);
  const jobs = [];
  for (const id of ['a', 'b', 'c', 'd']) {
    jobs.push(await kit.submit(agent, { id, message: 'x' }));
    await kit.runUntilIdle();
    if (id === 'c') await jobs.at(-1)?.cancel();
    await kit.runUntilIdle();
  }
  const ended = await Promise.all(jobs.map((job) => job.refresh()));
  expect(ended.map(({ status, outcome }) => [status, outcome])).toEqual([
    ['DONE', 'completed'],
    ['DONE', 'failed'],
    ['DONE', 'cancelled'],
    ['DONE', 'limit'],
  ]);
});

it('prices each turn at the model that answered', async () => {
  const agent = agentWith({ metadata: { MODEL: 'L:weak,MH:strong' } });
  const turn = (...lines: string[]) => ({ text: ts(...lines), tokens: { input: 1_000_000, output: 0 } });
  const prices = join(storeFolder(), 'prices.csv');
  writeFileSync(prices, 'model,input,output\nscripted/weak,1,0\nscripted/strong,10,0\n');
  const models = new Models({
    models: {
      weak: scriptedModel([turn('await panic()')], { name: 'weak' }),
      strong: scriptedModel([turn('1'), { ...turn('exit()'), cost: 0.5 }], { name: 'strong' }),
    },
    env: {},
    prices,
  });
  const { kit } = await stage([agent], [], { models });
  const job = await kit.submit(agent, { message: 'x' });
  await job.result();
  const { turns, cost } = await job.usage();
  expect(turns.map((one) => [one.model.model, one.cost?.amount, one.cost?.source])).toEqual([
    ['weak', 1, 'table'],
    ['strong', 10, 'table'],
    ['strong', 0.5, 'provider'],
  ]);
  expect(cost).toBe(11.5);
});

it('lets post-processors replace and hold back replies; what was held back never runs', async () => {
  const loud = { name: 'loud', process: ({ text }: { text: string }) => ({ replace: text.toUpperCase() }) };
  const replaced = await played({ chatStyle: 'MD_DIALOG', postProcessors: [loud] }, ['hello']);
  expect(await replaced.job.result()).toBe('HELLO');
  const careful = {
    name: 'careful',
    process: ({ text }: { text: string }) => (text.includes('delete') ? { suppress: 'Do not delete.' } : undefined),
  };
  const held = await played({ postProcessors: [careful] }, [ts('print("delete")'), ts('exit(1)')]);
  expect(await held.job.result()).toBe(1);
  expect(await held.job.console()).toEqual([]);
  expect(lastMessage(held.model, 2)).toBe('Do not delete.');
});

it('checks its work before it answers', async () => {
  const { job, model } = await played({ chatStyle: 'MD_DIALOG', postProcessors: [FinalCheck({ maxActions: 1 })] }, [
    'Done.',
    ts('print("checked")'),
    'Really done.',
  ]);
  expect([await job.result(), model.requests.length]).toEqual(['Really done.', 3]);
  const named = await played(
    { metadata: { MODEL: 'script', CHAT_STYLE: 'MD_DIALOG', POST_PROCESSORS: 'FinalCheck(maxActions=2)' } },
    ['a', 'b', 'c'],
  );
  expect(await named.job.result()).toBe('c');
});

it('tells listeners of pieces of a reply, and keeps none of them', async () => {
  const agent = agentWith({ chatStyle: 'MD_DIALOG' });
  const { kit } = await stage([agent], [{ text: ['Good ', 'day'] }]);
  const job = await kit.submit(agent, { message: 'x' });
  const pieces: unknown[] = [];
  job.onDelta((delta) => pieces.push(delta.type === 'text' ? delta.text : delta.type));
  expect(await job.result()).toBe('Good day');
  expect(pieces).toEqual(['Good ', 'day']);
});

it('asks a fallback when the model fails', async () => {
  const agent = agentWith({ chatStyle: 'MD_DIALOG', fallbacks: ['other'] });
  const models = new Models({
    models: {
      script: scriptedModel([{ fault: 'overloaded' }]),
      other: scriptedModel(['From the other.'], { name: 'other' }),
    },
    env: {},
    retry: { attempts: 1 },
  });
  const { kit } = await stage([agent], [], { models });
  const job = await kit.submit(agent, { message: 'x' });
  expect(await job.result()).toBe('From the other.');
  expect((await job.usage()).turns[0]?.model.model).toBe('other');
});

it('runs nothing of a stream that was cut, and the whole reply once', async () => {
  const { clock, sleep } = new ManualTime(0, { skipUpTo: 60_000 });
  const agent = agentWith();
  const script = scriptedModel([{ text: [ts('print("once")')], fault: 'cut' }, ts('print("once")'), ts('exit()')]);
  const { kit } = await stage([agent], [], { models: new Models({ models: { script }, env: {}, clock, sleep }) });
  const job = await kit.submit(agent, { message: 'x' });
  await job.result();
  expect(await job.console()).toEqual(['once']);
  expect((await job.usage()).turns.map(({ attempts }) => attempts)).toEqual([2, 1]);
});

it('tries a job again from its beginning, with a conversation of its own', async () => {
  const { job, model, kit } = await played({}, [ts('fail("first")'), ts('exit("second")')], {
    message: 'x',
    retry: { attempts: 2, backoff: 0 },
  });
  await kit.runUntilIdle();
  expect(await job.result()).toBe('second');
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('fail(\\"first');
  expect(lastMessage(model, 2)).toBe('x');
});
