// Turns per second of agents with an instantaneous model, and tokens per turn as a conversation grows.
import { Agent, Models, Statek, type Store } from '../../src/index.ts';
import type { ModelBackend } from '../../src/models.ts';
import { milliseconds } from '../support/measurement.ts';

/** Answers immediately with `turns` turns of code, then the end. Counts the tokens it is sent. */
export function quickModel(turns: number, sent: number[] = []): ModelBackend {
  return {
    provider: 'scripted',
    model: 'quick',
    answer: ({ messages }) => {
      const input = Math.ceil(JSON.stringify(messages).length / 4);
      sent.push(input);
      const text =
        '```ts\nglobalThis.n = (globalThis.n ?? 0) + 1; print("turn", n, "x".repeat(80)); if (n >= turns) exit(n)\n```';
      return Promise.resolve({
        content: [{ type: 'text', text: text.replace('turns', String(turns)) }],
        finish: 'stop',
        tokens: { input, output: 30, cached: 0, cacheWrite: 0, reasoning: 0 },
      });
    },
  };
}

function quickAgent(contextTokens: number): Agent {
  return new Agent({
    role: 'quick',
    systemPrompt: 'You count.',
    metadata: { MODEL: 'quick' },
    limits: { turns: Number.POSITIVE_INFINITY },
    contextTokens,
  });
}

/** Turns per second of concurrent jobs in one process. */
export async function turnsPerSecond(store: Store, jobs: number, turns: number): Promise<number> {
  const agent = quickAgent(100_000);
  const kit = await Statek.open({
    store,
    agents: [agent],
    models: new Models({ models: { quick: quickModel(turns) }, env: {}, concurrency: 100_000 }),
    leaseMilliseconds: 30_000,
  });
  try {
    const worker = kit.start({ concurrency: jobs });
    // Warm-up, so that one-time work is not measured.
    await (await kit.submit(agent, { message: 'Warm.' })).result();
    const time = await milliseconds(async () => {
      const submitted = await kit.submitAll(
        agent,
        Array.from({ length: jobs }, () => ({ message: 'Go.' })),
      );
      await Promise.all(submitted.map((job) => job.result()));
    });
    await worker.stop();
    return (jobs * turns) / (time / 1000);
  } finally {
    await kit.close();
  }
}

/** The tokens of each request of one long job. */
export async function tokensPerTurn(store: Store, turns: number, contextTokens: number): Promise<readonly number[]> {
  const sent: number[] = [];
  const agent = quickAgent(contextTokens);
  const kit = await Statek.open({
    store,
    agents: [agent],
    models: new Models({ models: { quick: quickModel(turns, sent) }, env: {} }),
    // A long lease, because a retried request on a slow machine would be counted twice.
    leaseMilliseconds: 60_000,
  });
  try {
    await (await kit.submit(agent, { message: 'Go.' })).result();
    return sent;
  } finally {
    await kit.close();
  }
}
