// The three walks: a message to an agent until its result, a signal that ends a waiting job, a field of an object.
import { Durable } from '../../src/objects/durable.ts';
import { Agent, Models, openStore, Statek, type Job } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';
import { countingStore, type StoreCounts } from './counting-store.ts';

export interface PreparedWalk {
  readonly walk: () => Promise<void>;
  readonly counts: StoreCounts;
  readonly close: () => Promise<void>;
}

class Meeting extends Durable {
  title = 'Planning';
}

/** Each kit has done the same a few times before, so that one-time work is not counted: a store opens a connection after some commits. */
const warmUps = 5;

async function opened(
  path: string,
  replies: readonly string[],
): Promise<{ readonly kit: Statek; readonly agent: Agent; readonly counts: StoreCounts; close(): Promise<void> }> {
  const inner = await openStore(path);
  const { store, counts } = countingStore(inner);
  const agent = new Agent({
    role: 'assistant',
    systemPrompt: 'You answer.',
    chatStyle: 'CONSOLE',
    metadata: { MODEL: 'script' },
  });
  const models = new Models({ models: { script: scriptedModel(replies) } });
  const kit = await Statek.open({ store, agents: [agent], classes: [Meeting], models });
  return {
    kit,
    agent,
    counts,
    close: async () => {
      await kit.close();
      await inner.close();
    },
  };
}

export const walks = {
  async message(path: string): Promise<PreparedWalk> {
    const { kit, agent, counts, close } = await opened(
      path,
      Array.from({ length: warmUps + 1 }, () => 'exit(6 * 7)'),
    );
    const worker = kit.start();
    const ask = async (): Promise<void> => {
      const job = await kit.submit(agent, { message: 'What is six times seven?' });
      if ((await job.result()) !== 42) throw new Error('The message has an unexpected result.');
    };
    for (let time = 0; time < warmUps; time++) await ask();
    return { walk: ask, counts, close: () => worker.stop().then(close) };
  },

  async signal(path: string): Promise<PreparedWalk> {
    const names = Array.from({ length: warmUps + 1 }, (_, index) => `signal ${index}`);
    const { kit, agent, counts, close } = await opened(
      path,
      names.map((name) => `exit(await signal("${name}"))`),
    );
    const worker = kit.start();
    const jobs: Job[] = [];
    for (const message of names) {
      const job = await kit.submit(agent, { message });
      while ((await job.refresh()).status !== 'SUSPENDED' || (await job.waiting()).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 20));
      jobs.push(job);
    }
    const send = async (index: number): Promise<void> => {
      await kit.signal(names[index] ?? '', 42);
      if ((await jobs[index]?.result()) !== 42) throw new Error('The signal has an unexpected result.');
    };
    for (let index = 0; index < warmUps; index++) await send(index);
    return { walk: () => send(warmUps), counts, close: () => worker.stop().then(close) };
  },

  async field(path: string): Promise<PreparedWalk> {
    const { kit, counts, close } = await opened(path, []);
    const meeting = new Meeting();
    const workspace = await kit.workspace('fields', { vars: { meeting } });
    await workspace.run('meeting.title');
    const walk = async (): Promise<void> => {
      const { value } = await workspace.run('meeting.title');
      if (value !== 'Planning') throw new Error('The field has an unexpected value.');
    };
    for (let time = 0; time < warmUps; time++) await walk();
    return { walk, counts, close };
  },
};
