// A fork of a job that begins with other variables, another model or prompt, or a message; and the two side by side.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Agent, InvalidOptionError, Models, program, Statek } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';

let kit: Statek;
let second: ReturnType<typeof scriptedModel>;

const seller = new Agent({
  role: 'seller',
  chatStyle: 'MD_DIALOG',
  systemPrompt: 'You sell dear.',
  metadata: { MODEL: 'first' },
});

beforeEach(async () => {
  second = scriptedModel(['Cheap.']);
  kit = await Statek.open({
    store: 'memory:',
    agents: [seller],
    drivers: [program({ role: 'clerk', source: 'let price = 10; const day = await ask("When?"); `${day} ${price}`' })],
    models: new Models({
      models: {
        first: scriptedModel(['```ts\nlet price = 90\n```', 'Ninety.', 'Still ninety.', 'Hello.', 'Hello.']),
        second,
      },
    }),
  });
});
afterEach(async () => kit.close());

describe('a fork of an agent', () => {
  it('is asked with another model and prompt, from that commit on', async () => {
    const job = await kit.submit(seller, { id: 'sale', message: 'How much?' });
    await job.result();
    const [commit] = await job.commits();
    const fork = await job.fork(commit?.hash, { id: 'what-if', model: 'second', prompt: 'You sell cheap.' });
    expect(await fork.result()).toBe('Cheap.');
    expect(JSON.stringify(second.requests)).toContain('You sell cheap.');
    expect((await fork.definition()).models).toEqual({ L: 'second', M: 'second', H: 'second' });
    // The original is what it was.
    expect((await job.definition()).prompt.M).toContain('You sell dear.');
    await job.say('Again?');
    expect(await job.result()).toBe('Still ninety.');
  });

  it('begins with a message and other variables', async () => {
    const job = await kit.submit(seller, { id: 'sale', message: 'How much?' });
    await job.result();
    const fork = await job.fork(undefined, { vars: { price: 5 }, message: 'And now?' });
    await fork.result();
    expect(await fork.local('price')).toBe(5);
    expect(await job.local('price')).toBe(90);
    expect((await fork.dialog()).map(({ message }) => message)).toEqual(['How much?', 'And now?']);
    const { base, variables, chat, usage } = await job.compare(fork);
    expect(base).toBe((await job.commits())[0]?.hash);
    expect(variables).toEqual([{ name: 'price', change: 'different', a: '90', b: '5' }]);
    // The fork begins at the last commit of the program; what was only said after it is not part of it.
    expect(chat.a.map(({ kind }) => kind)).toEqual(['reply']);
    expect(chat.shared + chat.a.length).toBe((await job.chat()).length);
    expect(chat.b.map(({ kind }) => kind)).toContain('message');
    expect([usage.a.turns.length, usage.b.turns.length]).toEqual([2, 2]);
  });

  it('finds where two forks of one job part, and nothing between strangers', async () => {
    const job = await kit.submit(seller, { id: 'sale', message: 'How much?' });
    await job.result();
    const [newest, , older] = await job.commits();
    expect((await job.at(newest?.hash ?? '')).locals()).toEqual(await job.locals());
    const [one, two] = [await job.fork(newest?.hash, 'one'), await job.fork(older?.hash, 'two')];
    expect((await one.compare(two)).base).toBe(older?.hash);
    expect((await two.compare(one)).base).toBe(older?.hash);
    const other = await kit.submit(seller, { id: 'other', message: 'Hello?' });
    await other.result();
    const { base, chat } = await job.compare(other);
    expect(base).toBeUndefined();
    expect(chat.shared).toBe(0);
  });
});

describe('a fork of a program', () => {
  it('goes on in the middle of its wait with other variables', async () => {
    const job = await kit.submit('clerk', { id: 'trip' });
    await kit.runUntilIdle();
    const fork = await job.fork(undefined, { vars: { price: 99 } });
    const [question] = await job.waiting();
    await kit.answer(question?.id ?? '', 'Friday');
    expect(await job.result()).toBe('Friday 10');
    expect(await fork.result()).toBe('Friday 99');
  });

  it('runs from the beginning at a commit before its first step', async () => {
    const job = await kit.submit('clerk', { id: 'trip', vars: { town: 'Ghent' } });
    await kit.runUntilIdle();
    const early = (await job.commits()).filter(({ kind }) => kind === 'created' || kind === 'variables');
    expect(early).toHaveLength(2);
    for (const { hash, kind } of early) {
      const fork = await job.fork(hash, { id: kind, vars: { town: 'Mons' } });
      await kit.runUntilIdle();
      expect(await fork.locals()).toEqual({ town: 'Mons', price: 10 });
      const [question] = await fork.waiting();
      await kit.answer(question?.id ?? '', kind);
      expect(await fork.result()).toBe(`${kind} 10`);
    }
  });

  it('refuses models, prompts and messages, and leaves nothing behind', async () => {
    const job = await kit.submit('clerk', { id: 'trip' });
    await kit.runUntilIdle();
    await expect(job.fork(undefined, { id: 'x', model: 'second' })).rejects.toThrow(/asks no model/);
    await expect(job.fork(undefined, { id: 'x', message: 'Hello' })).rejects.toThrow(/takes no messages/);
    await expect(job.fork(undefined, { id: 'x', prompt: ' ' })).rejects.toThrow(InvalidOptionError);
    await expect(job.fork(undefined, { id: 'x', mode: 1 } as never)).rejects.toThrow(/mode/);
    await expect(kit.job('x')).rejects.toThrow(/no job/);
  });
});
