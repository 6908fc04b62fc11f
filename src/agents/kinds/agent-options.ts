// What agents and their jobs are made from.
import type { OptionNames } from '../../base/options.ts';
import type { JsonObject, Models, ModelsOptions } from '../../models/door.ts';
import type { OnChange } from '../../jobs/door.ts';
import type { PostProcessor } from '../post-processors.ts';
import type { LanguageName } from '../../workspace/door.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import type { JobLimits } from '../settings/limits.ts';
import type { AgentTools } from '../tools/toolbox.ts';

/** What an agent is made from. */
export interface AgentOptions {
  /** What it is called; 1 to 100 characters. */
  readonly role: string;
  /** What the model is told first. Without it, the prompt file of the role in the folder of prompts. */
  readonly systemPrompt?: string | undefined;
  /** What its code can call and its model is told of: functions, tools, or both by name. */
  readonly tools?: AgentTools | undefined;
  /** What its code can call and nobody is told of. */
  readonly internalTools?: AgentTools | undefined;
  /** MODEL and the other settings of a prompt file. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** What other agents read of it when they look for somebody to hand work to. */
  readonly description?: string | undefined;
  /** Objects of this process for its tools, which find them with `getAdapter(name)`, and for the application's warmups, which name them. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** What its model writes: `typescript` (default) or `python`. */
  readonly language?: LanguageName | undefined;
  /** How replies are read: `MARKDOWN` runs fenced code, `DIRECT` calls of a code tool, and so on. Default: the setting, or MARKDOWN. */
  readonly chatStyle?: ChatStyle | undefined;
  /** What one job may use: turns, tokens, cost, time, errors. A job that reaches one ends with the outcome `limit`. */
  readonly limits?: Partial<JobLimits> | undefined;
  /** Look at replies before anything of them is run or sent. */
  readonly postProcessors?: readonly PostProcessor[] | undefined;
  /** Model strings that are asked when the model fails. */
  readonly fallbacks?: readonly string[] | undefined;
  /** Options of providers, by the provider's name. */
  readonly settings?: Readonly<Record<string, JsonObject>> | undefined;
  /** Tokens a conversation may take before its old turns are folded; default: 100,000. */
  readonly contextTokens?: number | undefined;
  /** Characters of one console that the model is shown; default: 20,000. */
  readonly consoleCharacters?: number | undefined;
  /** Names of placeholders in its prompt that its jobs give values to. */
  readonly parameters?: readonly string[] | undefined;
  /** Its TypeScript is checked before it runs; needs the package `typescript`, 7 or newer. */
  readonly typeCheck?: boolean | undefined;
  /** The version of its code, if it has another than the application: a whole number or dotted numbers. */
  readonly version?: string | number | undefined;
  /** What becomes of a job that an older version worked on: it goes on (default), starts again, or waits for that version. */
  readonly onChange?: OnChange | undefined;
  /** Where its tasks find models, when they run outside of a kit. */
  readonly models?: Models | ModelsOptions | undefined;
}

/** What one job, or the jobs of one definition, have that the agent does not say. */
export interface JobDefOptions {
  /** Settings of the prompt file, such as MODEL, for this job alone. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Values of the prompt's placeholders. */
  readonly parameters?: JsonObject | undefined;
  /** Code that runs before the agent's own warmup. */
  readonly warmup?: string | undefined;
  /** The chat style of this job alone. */
  readonly chatStyle?: ChatStyle | undefined;
  /** The language its people speak, such as `de`; the agent answers in it. */
  readonly locale?: string | undefined;
  /** Limits of this job alone. */
  readonly limits?: Partial<JobLimits> | undefined;
  /** Options of providers, by the provider's name, for this job alone. */
  readonly settings?: Readonly<Record<string, JsonObject>> | undefined;
  /** Model strings that are asked when the model fails, for this job alone. */
  readonly fallbacks?: readonly string[] | undefined;
  /** The variables its jobs are given, for the placeholders that tell of them. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  /** The task its jobs are calls of. */
  readonly task?: string | undefined;
}

export const agentOptionNames: OptionNames<AgentOptions> = {
  role: true,
  systemPrompt: true,
  tools: true,
  internalTools: true,
  metadata: true,
  description: true,
  context: true,
  language: true,
  chatStyle: true,
  limits: true,
  postProcessors: true,
  fallbacks: true,
  settings: true,
  contextTokens: true,
  consoleCharacters: true,
  parameters: true,
  typeCheck: true,
  version: true,
  onChange: true,
  models: true,
};

export const jobDefOptionNames: OptionNames<JobDefOptions> = {
  metadata: true,
  parameters: true,
  warmup: true,
  chatStyle: true,
  locale: true,
  limits: true,
  settings: true,
  fallbacks: true,
  vars: true,
  task: true,
};
