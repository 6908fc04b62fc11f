// A typed task compared with a direct call of the AI SDK, with the same model, which answers immediately.
import { generateText, Output } from 'ai';
import { z } from 'zod';
import { Agent, Models, Statek } from '../../src/index.ts';
import type { SdkLanguageModel } from '../../src/models.ts';
import { milliseconds, percentile } from '../support/measurement.ts';

function instantModel(text: string): SdkLanguageModel {
  const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } };
  const finishReason = { unified: 'stop', raw: 'stop' };
  return {
    specificationVersion: 'v4',
    provider: 'instant',
    modelId: 'instant',
    supportedUrls: {},
    doGenerate: async () => Promise.resolve({ content: [{ type: 'text', text }], finishReason, usage, warnings: [] }),
    doStream: async () =>
      Promise.resolve({
        stream: ReadableStream.from([
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '0' },
          { type: 'text-delta', id: '0', delta: text },
          { type: 'text-end', id: '0' },
          { type: 'finish', finishReason, usage },
        ]),
      }),
  } as SdkLanguageModel;
}

export interface TaskTimes {
  /** Milliseconds, p50. */
  readonly direct: number;
  readonly inKit: number;
  readonly alone: number;
}

export async function taskTimes(samples: number): Promise<TaskTimes> {
  const answer = z.object({ sum: z.number() });
  const direct = async (): Promise<void> => {
    const { output } = await generateText({
      model: instantModel('{"sum":3}') as never,
      output: Output.object({ schema: answer }),
      prompt: 'Add 1 and 2.',
    });
    if (output.sum !== 3) throw new Error('The answer is wrong.');
  };
  const models = (): Models =>
    new Models({ models: { m: instantModel('```ts\nexit({ sum: input.a + input.b })\n```') }, env: {} });
  const made = () => {
    const agent = new Agent({ role: 'adder', metadata: { MODEL: 'm' }, models: models() });
    const input = z.object({ a: z.number(), b: z.number() });
    return { agent, add: agent.task({ input, output: answer, description: 'Adds two numbers.' }) };
  };
  const alone = made();
  const inside = made();
  const kit = await Statek.open({ store: 'memory:', agents: [inside.agent], models: models() });
  const worker = kit.start();
  try {
    const timesOf = async (action: () => Promise<unknown>): Promise<number> => {
      await action();
      const times: number[] = [];
      for (let sample = 0; sample < samples; sample++) times.push(await milliseconds(action));
      return percentile(times, 0.5);
    };
    return {
      direct: await timesOf(direct),
      inKit: await timesOf(() => inside.add({ a: 1, b: 2 })),
      alone: await timesOf(() => alone.add({ a: 1, b: 2 })),
    };
  } finally {
    await worker.stop();
    await kit.close();
  }
}
