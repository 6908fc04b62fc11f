// A kit for many tests at once, in one language: starting an engine takes its time, so agents are cast while tests are
// collected, and one kit is opened with all of them. What an agent's model says is written in both languages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import {
  Agent,
  Models,
  Statek,
  type AgentOptions,
  type Driver,
  type Job,
  type StatekOptions,
  type SubmitOptions,
} from '../../../src/index.ts';
import { scriptedModel, type ScriptedModel, type ScriptStep } from '../../../src/testing.ts';

export type Language = 'typescript' | 'python';

interface Words {
  /** What differs between the languages. */
  pick<Value>(typescript: Value, python: Value): Value;
  /** Code in a fence. */
  code(typescript: string, python: string): string;
}

/** An agent and the model that answers for it. */
export interface Player<Kind extends Agent = Agent> {
  readonly agent: Kind;
  readonly model: ScriptedModel;
}

export class Cast {
  readonly language: Language;
  kit!: Statek;
  /** A folder for the tests' files; removed afterwards. */
  readonly folder: string = mkdtempSync(join(tmpdir(), 'statek-cast-'));
  readonly #agents: Agent[] = [];
  readonly #models: Record<string, ScriptedModel> = {};
  readonly #drivers: Driver[] = [];

  constructor(language: Language, options: () => Partial<StatekOptions> = () => ({})) {
    this.language = language;
    beforeAll(async () => {
      this.kit = await Statek.open({
        store: 'memory:',
        // A machine that is busy with other things would lose a short one while the interpreter is loaded.
        leaseMilliseconds: 60_000,
        agents: this.#agents,
        drivers: this.#drivers,
        models: new Models({ models: this.#models, env: {}, retry: { attempts: 1 } }),
        ...options(),
      });
    });
    afterAll(async () => {
      await this.kit.close({ graceMilliseconds: 0 });
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  words(): Words {
    const pick = <Value>(typescript: Value, python: Value): Value => (this.language === 'python' ? python : typescript);
    const code = (typescript: string, python: string): string =>
      pick(`\`\`\`ts\n${typescript}\n\`\`\``, `\`\`\`python\n${python}\n\`\`\``);
    return { pick, code };
  }

  /** An agent of any kind, answered by a script. */
  player<Kind extends Agent>(
    make: (options: AgentOptions) => Kind,
    script: readonly ScriptStep[],
    options: Partial<AgentOptions> = {},
  ): Player<Kind> {
    const role = options.role ?? `player${this.#agents.length + 1}`;
    const { metadata, ...rest } = options;
    const agent = make({ role, language: this.language, metadata: { MODEL: role, ...metadata }, ...rest });
    const model = scriptedModel(script, { name: role });
    this.#agents.push(agent);
    this.#models[role] = model;
    return { agent, model };
  }

  agent(script: readonly ScriptStep[], options: Partial<AgentOptions> = {}): Player {
    return this.player((given) => new Agent({ systemPrompt: 'You help.', ...given }), script, options);
  }

  driver(driver: Driver): Driver {
    this.#drivers.push(driver);
    return driver;
  }

  /** One job of an agent, run as far as it goes. */
  async play({ agent }: Player, submit: SubmitOptions = {}): Promise<Job> {
    const job = await this.kit.submit(agent, { message: 'Please.', ...submit });
    await this.kit.runUntilIdle();
    return job.refresh();
  }
}

/** The text of the last message that a model was sent in its nth request, from 1. */
export function shown({ model }: Player, request: number): string {
  const last = model.requests[request - 1]?.messages.at(-1);
  return typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content);
}

/** Everything a model was sent in its nth request. */
export function told({ model }: Player, request: number): string {
  return (model.requests[request - 1]?.messages ?? [])
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n');
}
