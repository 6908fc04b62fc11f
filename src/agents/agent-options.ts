// What agents and their jobs are made from.
import type { JsonObject } from '../models/json.ts';
import type { Models, ModelsOptions } from '../models/models.ts';
import type { PostProcessor } from './post-processors.ts';
import type { Language } from './prompts/metadata.ts';
import type { ChatStyle } from './settings/chat-style.ts';
import type { JobLimits } from './settings/limits.ts';
import type { AgentTools } from './tools/toolbox.ts';

export interface AgentOptions {
  /** What it is called; 1 to 100 characters. */
  readonly role: string;
  readonly systemPrompt?: string | undefined;
  /** What its code can call and its model is told of: functions, tools, or both by name. */
  readonly tools?: AgentTools | undefined;
  /** What its code can call and nobody is told of. */
  readonly internalTools?: AgentTools | undefined;
  /** MODEL and the other settings of a prompt file. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly description?: string | undefined;
  /** Objects of this process for its tools, which find them with `getAdapter(name)`. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly language?: Language | undefined;
  readonly chatStyle?: ChatStyle | undefined;
  readonly limits?: Partial<JobLimits> | undefined;
  /** Look at replies before anything of them is run or sent. */
  readonly postProcessors?: readonly PostProcessor[] | undefined;
  /** Model strings that are asked when the model fails. */
  readonly fallbacks?: readonly string[] | undefined;
  /** Options of providers, by the provider's name. */
  readonly settings?: Readonly<Record<string, JsonObject>> | undefined;
  /** Tokens a conversation may take before its old turns are folded; 100,000 unless told. */
  readonly contextTokens?: number | undefined;
  /** Characters of one console that the model is shown; 20,000 unless told. */
  readonly consoleCharacters?: number | undefined;
  /** Names of placeholders in its prompt that its jobs give values to. */
  readonly parameters?: readonly string[] | undefined;
  /** Its TypeScript is checked before it runs; needs the package `typescript`, 7 or newer. */
  readonly typeCheck?: boolean | undefined;
  /** Where its tasks find models, when they run outside of a kit. */
  readonly models?: Models | ModelsOptions | undefined;
}

export interface JobDefOptions {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Values of the prompt's placeholders. */
  readonly parameters?: JsonObject | undefined;
  /** Code that runs before the agent's own warmup. */
  readonly warmup?: string | undefined;
  readonly chatStyle?: ChatStyle | undefined;
  readonly locale?: string | undefined;
  readonly limits?: Partial<JobLimits> | undefined;
  readonly settings?: Readonly<Record<string, JsonObject>> | undefined;
  readonly fallbacks?: readonly string[] | undefined;
  /** The variables its jobs are given, for the placeholders that tell of them. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  /** The task its jobs are calls of. */
  readonly task?: string | undefined;
}

export const agentOptionNames: readonly string[] = [
  'role',
  'systemPrompt',
  'tools',
  'internalTools',
  'metadata',
  'description',
  'context',
  'language',
  'chatStyle',
  'limits',
  'postProcessors',
  'fallbacks',
  'settings',
  'contextTokens',
  'consoleCharacters',
  'parameters',
  'typeCheck',
  'models',
];

export const jobDefOptionNames: readonly string[] = [
  'metadata',
  'parameters',
  'warmup',
  'chatStyle',
  'locale',
  'limits',
  'settings',
  'fallbacks',
  'vars',
  'task',
];
