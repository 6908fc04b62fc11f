// Every setting that is not a limit: its names, its values and its default.
import { difficulties } from '../../models/door.ts';
import { chatStyles } from './chat-style.ts';

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];
export type LogLevel = (typeof logLevels)[number];

export interface SettingDefinition {
  readonly name: string;
  readonly variable: string;
  /** What it must be, in words. */
  readonly rule: string;
  /** Undefined if it cannot be that. */
  readonly read: (value: unknown) => string | number | undefined;
  readonly otherwise?: string | number;
  /** Only the environment can say it: in code it is said elsewhere. */
  readonly onlyVariable?: true;
}

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

function path(name: string, variable: string, rule = 'the path of a folder'): SettingDefinition {
  return { name, variable, rule, read: readText };
}

function choice(name: string, variable: string, among: readonly string[], otherwise?: string): SettingDefinition {
  return {
    name,
    variable,
    rule: `one of ${among.join(', ')}`,
    read: (value) =>
      typeof value === 'string' ? among.find((one) => one.toLowerCase() === value.toLowerCase()) : undefined,
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}

function tag(name: string, variable: string): SettingDefinition {
  return {
    name,
    variable,
    rule: 'the name of a tag, such as CONSOLE',
    read: (value) => (typeof value === 'string' && /^[A-Za-z_][\w.-]*$/.test(value) ? value : undefined),
  };
}

function wholeNumber(name: string, variable: string, least: number, most: number): SettingDefinition {
  return {
    name,
    variable,
    rule: `a whole number from ${least} to ${most}`,
    read: (value) => {
      const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
      return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
        ? number
        : undefined;
    },
  };
}

export const definitions: readonly SettingDefinition[] = [
  // Where the command line finds the store, unless it or a configuration file says so.
  { ...path('store', 'STATEK_STORE', 'the location of a store'), onlyVariable: true },
  path('prompts', 'STATEK_PROMPTS'),
  path('warmups', 'STATEK_WARMUPS'),
  path('examples', 'STATEK_EXAMPLES'),
  path('documents', 'STATEK_DOCUMENTS'),
  path('knowledgeBase', 'STATEK_KNOWLEDGE_BASE', 'the id of a knowledge base'),
  path('declarations', 'STATEK_DECLARATIONS', 'the path of a file that statek docs has written'),
  path('prices', 'STATEK_PRICES', 'the path of a CSV file, or of a folder of them'),
  choice('chatStyle', 'STATEK_CHAT_STYLE', chatStyles),
  choice('examplesStyle', 'STATEK_EXAMPLES_STYLE', chatStyles),
  tag('consoleBox', 'STATEK_XML_BOX_CONSOLE'),
  tag('exampleBox', 'STATEK_XML_BOX_EXAMPLE'),
  {
    name: 'defaultProvider',
    variable: 'STATEK_DEFAULT_PROVIDER',
    rule: 'the name of a provider',
    read: (value) => readText(value)?.toLowerCase(),
  },
  choice('defaultDifficulty', 'STATEK_DEFAULT_DIFFICULTY', difficulties, 'L'),
  choice('logLevel', 'STATEK_LOG_LEVEL', logLevels, 'warn'),
  choice('logFormat', 'STATEK_LOG_FORMAT', logFormats, 'text'),
  path('traceFile', 'STATEK_TRACE_FILE', 'the path of a file'),
  // The models read these themselves; they are here so that they are listed, and known.
  wholeNumber('modelAttempts', 'STATEK_MODEL_ATTEMPTS', 1, 100),
  wholeNumber('modelConcurrency', 'STATEK_MODEL_CONCURRENCY', 1, 100_000),
  wholeNumber('modelSilence', 'STATEK_MODEL_SILENCE', 1, 300),
];
