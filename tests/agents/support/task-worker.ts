// An agent whose tasks answer with what they were given, so that a swapped result shows.
import { z } from 'zod';
import { Agent, Models, type AgentOptions, type TaskFunction } from '../../../src/index.ts';
import { scriptedModel, type ScriptStep } from '../../../src/testing.ts';
import { ts } from './fences.ts';

/** Remembers its input, waits a moment, and gives ten times as much. */
export const times10 = ts('globalThis.seen ??= []; seen.push(input); await sleep(2); exit(input * 10)');

export function taskWorker(
  role: string,
  script: readonly ScriptStep[],
  options: Partial<AgentOptions> = {},
): { agent: Agent; work: TaskFunction<unknown, unknown>; model: ReturnType<typeof scriptedModel> } {
  const model = scriptedModel(script);
  const models = new Models({ models: { m: model }, env: {}, retry: { attempts: 1 } });
  const agent = new Agent({ role, metadata: { MODEL: 'm' }, models, ...options });
  return { agent, model, work: agent.task({ input: z.any(), output: z.any(), description: `Work of ${role}.` }) };
}

/** As many replies as are ever asked for. */
export function always(reply: ScriptStep): readonly ScriptStep[] {
  return Array.from({ length: 200 }, () => reply);
}
