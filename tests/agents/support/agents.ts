// Kits with agents and scripted models, for tests: in memory unless told, closed when the test is over.
import { onTestFinished } from 'vitest';
import {
  Agent,
  Models,
  Statek,
  type AgentOptions,
  type Job,
  type StatekOptions,
  type SubmitOptions,
} from '../../../src/index.ts';
import { scriptedModel, type ScriptedModel, type ScriptStep } from '../../../src/testing.ts';

export interface Stage {
  readonly kit: Statek;
  readonly model: ScriptedModel;
}

/** A kit whose agents are answered by a script, under the model name `script`. */
export async function stage(
  agents: readonly Agent[],
  script: readonly ScriptStep[],
  options: Partial<StatekOptions> = {},
): Promise<Stage> {
  const model = scriptedModel(script);
  const kit = await Statek.open({
    store: 'memory:',
    agents,
    models: new Models({ models: { script: model }, env: {}, retry: { attempts: 1 } }),
    ...options,
  });
  onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
  return { kit, model };
}

/** An agent that the script answers for. */
export function agentWith(options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ role: 'helper', systemPrompt: 'You help.', metadata: { MODEL: 'script' }, ...options });
}

/** One job of one agent, run as far as it goes. */
export async function played(
  options: Partial<AgentOptions>,
  script: readonly ScriptStep[],
  submit: SubmitOptions = { message: 'Please.' },
  kitOptions: Partial<StatekOptions> = {},
): Promise<Stage & { job: Job }> {
  const agent = agentWith(options);
  const { kit, model } = await stage([agent], script, kitOptions);
  const job = await kit.submit(agent, submit);
  await kit.runUntilIdle();
  await job.refresh();
  return { kit, model, job };
}

/** The text of the last message that the model was sent in its nth request, from 1. */
export function lastMessage({ requests }: ScriptedModel, request: number): string {
  const last = requests[request - 1]?.messages.at(-1);
  return typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content);
}
