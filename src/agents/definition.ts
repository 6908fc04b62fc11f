// What a job is made from, frozen: later changes of the agent, its prompt or its tools do not reach jobs that exist.
// It is plain JSON, kept once under its hash and shared by all jobs that were made alike.
import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../history/door.ts';
import type { Difficulty, JsonObject, ModelChoice, ModelTool } from '../models/door.ts';
import type { LanguageName } from '../workspace/door.ts';
import type { ChatStyle } from './settings/chat-style.ts';
import type { JobLimits } from './settings/limits.ts';

/** Everything a job is made from: prompt, models, tools, limits. Plain JSON that does not change any more. */
export type JobDefinition = {
  readonly role: string;
  /** The system prompt for each difficulty. */
  readonly prompt: Readonly<Record<Difficulty, string>>;
  readonly metadata: JsonObject;
  readonly parameters: JsonObject;
  readonly style: ChatStyle;
  readonly language: LanguageName;
  readonly models: ModelChoice;
  readonly provider?: string;
  readonly fallbacks: readonly string[];
  readonly temperature?: number;
  readonly settings?: Readonly<Record<string, JsonObject>>;
  readonly difficulty: Difficulty;
  /** What the provider is offered. */
  readonly tools: readonly ModelTool[];
  /** Every tool that is shown, with the schema that marks dates and objects. */
  readonly schemas: Readonly<Record<string, { readonly input: JsonObject | null; readonly positional?: true }>>;
  /** Blocks of code that run before the first turn; `asTool` shows one as a tool call, `hidden` shows it to nobody. */
  readonly warmup: readonly { readonly source: string; readonly hidden?: true; readonly asTool?: true }[];
  /** A limit that is missing is not set. */
  readonly limits: Partial<JobLimits>;
  /** Tokens the conversation may take before old turns are folded. */
  readonly contextTokens: number;
  /** Characters of one console that are shown. */
  readonly consoleCharacters: number;
  /** Those of the prompt file, by name. */
  readonly postProcessors: readonly {
    readonly name: string;
    readonly options: Readonly<Record<string, string | number | boolean>>;
  }[];
  readonly locale?: string;
  /** Added to what is said to the job: the language to answer in. */
  readonly hint?: string;
  /** Tags the console and the examples are wrapped in. */
  readonly boxes?: { readonly console?: string };
  /** What its code can use, as declarations: code is checked against them before it runs. */
  readonly types?: string;
  /** The task the job is a call of. */
  readonly task?: string;
};

/** A frozen definition of jobs, made by `agent.createJobDef(…)`, to be given to `kit.submit`. */
export class JobDef {
  readonly role: string;
  readonly hash: string;
  readonly definition: JobDefinition;

  /** @internal */
  constructor(definition: JobDefinition) {
    const plain = JSON.parse(JSON.stringify(definition)) as JobDefinition;
    this.role = plain.role;
    this.definition = deepFrozen(plain);
    this.hash = hashOf(plain);
    Object.freeze(this);
  }
}

export function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}
