// The settings of a kit: from code, from `STATEK_…` variables, from a file `.env`, or the defaults; the first
// that says something wins. A name or value that is wrong is an error, wherever it stands.
//
//     const { values, origins, environment } = readSettings({ chatStyle: 'MARKDOWN' }, { env: process.env });
//     values.chatStyle;      // 'MARKDOWN'
//     values.limits.turns;   // 50
//     origins;               // [{ name: 'chatStyle', variable: 'STATEK_CHAT_STYLE', value: 'MARKDOWN', source: 'code' }, …]
import { inspect, parseEnv } from 'node:util';
import { StatekError } from '../../base/error.ts';
import type { Difficulty } from '../../models/door.ts';
import { diskFiles, type TextFiles } from '../files/text-files.ts';
import { didYouMean } from '../../base/closest.ts';
import { warnOfUnknownVariables } from '../../base/unknown-variables.ts';
import type { ChatStyle } from './chat-style.ts';
import { definitions, type LogFormat, type LogLevel, type SettingDefinition } from './definitions.ts';
import { defaultJobLimits, limitKey, limitNames, limitRule, readLimit, type JobLimits } from './limits.ts';

/** A setting has a wrong name or value. The message lists the right ones. */
export class SettingsError extends StatekError {
  readonly code = 'SETTINGS';
}

export interface SettingValues {
  /** For the command line; in code it is an option of `Statek.open`. */
  readonly store: string | undefined;
  /** Folders of prompts, warmups, examples and documents. */
  readonly prompts: string | undefined;
  readonly warmups: string | undefined;
  readonly examples: string | undefined;
  readonly documents: string | undefined;
  /** The knowledge base whose items agents read as documents. */
  readonly knowledgeBase: string | undefined;
  /** A file of `statek docs --out`: what a model is told about classes and functions whose comments are lost. */
  readonly declarations: string | undefined;
  /** A CSV file of prices. */
  readonly prices: string | undefined;
  readonly chatStyle: ChatStyle | undefined;
  readonly examplesStyle: ChatStyle | undefined;
  /** The tag that wraps console text. */
  readonly consoleBox: string | undefined;
  /** The tag that wraps examples. */
  readonly exampleBox: string | undefined;
  readonly defaultProvider: string | undefined;
  readonly defaultDifficulty: Difficulty;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly traceFile: string | undefined;
  readonly modelAttempts: number | undefined;
  readonly modelConcurrency: number | undefined;
  /** Seconds without a byte. */
  readonly modelSilence: number | undefined;
  readonly limits: JobLimits;
}

/** Settings of agents in code; what is undefined is left to `STATEK_…` variables and `.env`. */
export interface SettingOptions {
  /** Folder of prompt files. */
  readonly prompts?: string | undefined;
  /** Folder of warmups. */
  readonly warmups?: string | undefined;
  /** Folder of examples. */
  readonly examples?: string | undefined;
  /** Folder of documents. */
  readonly documents?: string | undefined;
  /** Instead of a folder: the knowledge base of `kit.knowledge` whose items are the documents that agents list, show and search. */
  readonly knowledgeBase?: string | undefined;
  /** A file of `statek docs --out`: what a model is told about classes and functions whose comments are lost. */
  readonly declarations?: string | undefined;
  /** A CSV file of prices, or a folder of them. */
  readonly prices?: string | undefined;
  /** How replies are read, where an agent does not say. */
  readonly chatStyle?: ChatStyle | undefined;
  /** How examples are written. */
  readonly examplesStyle?: ChatStyle | undefined;
  /** The tag that wraps console text. */
  readonly consoleBox?: string | undefined;
  /** The tag that wraps examples. */
  readonly exampleBox?: string | undefined;
  /** The provider of model strings that name none. */
  readonly defaultProvider?: string | undefined;
  /** Where a job begins: low, medium or high. */
  readonly defaultDifficulty?: Difficulty | undefined;
  /** What is logged; default: `warn`. */
  readonly logFormat?: 'text' | 'json' | undefined;
  readonly logLevel?: 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | undefined;
  /** A file that every log entry is appended to, as a line of JSON. */
  readonly traceFile?: string | undefined;
  /** How often a model is asked before a request fails. */
  readonly modelAttempts?: number | undefined;
  /** Requests to one provider at a time. */
  readonly modelConcurrency?: number | undefined;
  /** Seconds without a byte after which a request is given up. */
  readonly modelSilence?: number | undefined;
  /** Limits of every job, where its agent does not say. */
  readonly limits?: { readonly [Name in keyof JobLimits]?: number | 'unlimited' | undefined } | undefined;
}

export type SettingSource = 'code' | 'environment' | '.env' | 'default';

/** One setting, and who said it. */
export interface SettingOrigin {
  /** `chatStyle`, `limits.turns` */
  readonly name: string;
  readonly variable: string;
  readonly value: string | number | undefined;
  readonly source: SettingSource;
}

export interface Settings {
  readonly values: SettingValues;
  readonly origins: readonly SettingOrigin[];
  /** The variables of the environment and, below them, of `.env`: keys and addresses of providers are in there too. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface SettingPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file such as `.env`; read if it is there. */
  readonly file?: string | undefined;
  readonly files?: TextFiles | undefined;
}

export function readSettings(options: SettingOptions, { env, file, files = diskFiles }: SettingPlaces): Settings {
  const isThere = file !== undefined && files.stat(file) !== undefined;
  const inFile = isThere ? parseEnv(files.read(file).replace(/^\uFEFF/, '')) : {};
  refuseUnknown(options);
  warnOfUnknownVariables(Object.keys(env), variables);
  warnOfUnknownVariables(Object.keys(inFile), variables, file);
  const found = definitions.map((definition) => find(definition, { ...options }, env, inFile, file));
  const limits = limitNames.map((name) => find(limitDefinition(name), options.limits ?? {}, env, inFile, file));
  return {
    values: {
      ...(Object.fromEntries(found.map(({ name, value }) => [name, value])) as Omit<SettingValues, 'limits'>),
      limits: Object.fromEntries(limits.map(({ name, value }) => [name.slice(limitsPrefix.length), value])) as Record<
        keyof JobLimits,
        number
      >,
    },
    origins: [...found, ...limits],
    environment: { ...inFile, ...env },
  };
}

const limitsPrefix = 'limits.';
const variables = [
  ...definitions.map(({ variable }) => variable),
  ...limitNames.map((name) => `STATEK_${limitKey(name)}`),
  // Read by the server.
  'STATEK_SERVER_TOKEN',
  'STATEK_SERVER_HOSTS',
];

function limitDefinition(name: keyof JobLimits): SettingDefinition {
  return {
    name: `${limitsPrefix}${name}`,
    variable: `STATEK_${limitKey(name)}`,
    rule: limitRule(name),
    read: (value) => readLimit(name, value),
    otherwise: defaultJobLimits[name],
  };
}

function find(
  { name, variable, rule, read, otherwise }: SettingDefinition,
  options: Readonly<Record<string, unknown>>,
  env: SettingPlaces['env'],
  inFile: SettingPlaces['env'],
  file: string | undefined,
): SettingOrigin {
  const own = name.replace(limitsPrefix, '');
  const said = [
    { source: 'code', value: options[own], where: name },
    { source: 'environment', value: given(env[variable]), where: variable },
    { source: '.env', value: given(inFile[variable]), where: `${file}: ${variable}` },
  ] as const;
  let first: SettingOrigin | undefined;
  // What is overruled is checked all the same: it will matter on the day the other is taken away.
  for (const { source, value, where } of said) {
    if (value === undefined) continue;
    const checked = read(value);
    if (checked === undefined)
      throw new SettingsError(`${where} is '${shown(value)}'; it must be ${rule}.`, {
        name,
        variable,
        value,
        source,
      });
    first ??= { name, variable, value: checked, source };
  }
  return first ?? { name, variable, value: otherwise, source: 'default' };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value);
}

/** A variable that is set to nothing is not set. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

function refuseUnknown(options: SettingOptions): void {
  const inCode = definitions.filter(({ onlyVariable }) => onlyVariable !== true);
  refuse('setting', Object.keys(options), [...inCode.map(({ name }) => name), 'limits']);
  refuse('limit', Object.keys(options.limits ?? {}), limitNames);
}

function refuse(what: string, names: readonly string[], allowed: readonly string[]): void {
  for (const name of names) {
    if (allowed.includes(name)) continue;
    throw new SettingsError(
      `There is no ${what} ${name}.${didYouMean(name, allowed)} There are ${allowed.join(', ')}.`,
      { name, allowed },
    );
  }
}
