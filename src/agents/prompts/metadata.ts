// The settings of an agent, from its prompt file or from code: checked once, with an error that says what is right.
import { InvalidOptionError } from '../../base/options.ts';
import {
  difficulties,
  parseModelChoice,
  takeParameters,
  type Difficulty,
  type ModelChoice,
} from '../../models/door.ts';
import { chatStyles, type ChatStyle } from '../settings/chat-style.ts';
import { limitKey, limitNames, limitRule, readLimit, type JobLimits } from '../settings/limits.ts';
import { closest } from '../../base/closest.ts';
import { parseToolsScope, toolsScopeRule, type ToolsScope } from './tools-scope.ts';

export type Language = 'typescript' | 'python';

/** `FinalCheck(maxActions=2)`: the name of a post-processor, and what it is made with. */
export type PostProcessorSetting = {
  readonly name: string;
  readonly options: Readonly<Record<string, string | number | boolean>>;
};

export interface AgentMetadata {
  /** MODEL */
  readonly model: ModelChoice;
  /** PROVIDER */
  readonly provider?: string;
  /** TEMPERATURE */
  readonly temperature?: number;
  /** CHAT_STYLE */
  readonly chatStyle?: ChatStyle;
  /** DESCRIPTION */
  readonly description?: string;
  /** LLM_TOOLS_SCOPE */
  readonly toolsScope?: ToolsScope;
  /** DEFAULT_DIFFICULTY */
  readonly defaultDifficulty?: Difficulty;
  /** POST_PROCESSORS */
  readonly postProcessors?: readonly PostProcessorSetting[];
  /** LANGUAGE */
  readonly language?: Language;
  /** AUTO_STYLE_RULE: the prompt says how to write in its chat style, unless this is false. */
  readonly styleRule?: boolean;
  /** AUTO_LANG_RULE: a rule in the prompt says in which language to answer. */
  readonly languageRule?: boolean;
  /** AUTO_LANG_HINT: a hint on each message does. */
  readonly languageHint?: boolean;
  /** TYPE_CHECK: code is checked before it runs. */
  readonly typeCheck?: boolean;
  /** PARAMETERS: names of placeholders that the job gives values to. */
  readonly parameters?: readonly string[];
  /** MAX_TURNS and the like. */
  readonly limits: Partial<JobLimits>;
  /** Every setting as it was written, those nobody knows included. */
  readonly entries: Readonly<Record<string, string>>;
}

type Fail = (key: string | undefined, message: string) => Error;
type Settings = { -readonly [Name in keyof AgentMetadata]?: AgentMetadata[Name] };
type Reader = (text: string, fail: (rule: string) => Error) => Settings;

const readers: Readonly<Record<string, Reader>> = {
  MODEL: (text, fail) => ({ model: readModel(text, fail) }),
  PROVIDER: (text) => ({ provider: text }),
  TEMPERATURE: (text, fail) => {
    const temperature = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!(temperature <= 2)) throw fail('a number from 0 to 2');
    return { temperature };
  },
  CHAT_STYLE: (text, fail) => ({ chatStyle: oneOf(chatStyles, text.toUpperCase(), fail) }),
  DESCRIPTION: (text) => ({ description: text }),
  LLM_TOOLS_SCOPE: (text, fail) => {
    const toolsScope = parseToolsScope(text);
    if (toolsScope === undefined) throw fail(toolsScopeRule);
    return { toolsScope };
  },
  DEFAULT_DIFFICULTY: (text, fail) => ({ defaultDifficulty: oneOf(difficulties, text.toUpperCase(), fail) }),
  POST_PROCESSORS: (text, fail) => ({ postProcessors: readPostProcessors(text, fail) }),
  LANGUAGE: (text, fail) => ({ language: oneOf(['typescript', 'python'] as const, text.toLowerCase(), fail) }),
  AUTO_STYLE_RULE: (text, fail) => ({ styleRule: readSwitch(text, fail) }),
  AUTO_LANG_RULE: (text, fail) => ({ languageRule: readSwitch(text, fail) }),
  AUTO_LANG_HINT: (text, fail) => ({ languageHint: readSwitch(text, fail) }),
  TYPE_CHECK: (text, fail) => ({ typeCheck: readSwitch(text, fail) }),
  PARAMETERS: (text, fail) => ({ parameters: readNames(text, fail) }),
};

/** Keys that mean something; others are kept. */
export const metadataKeys: readonly string[] = [...Object.keys(readers), ...limitNames.map(limitKey)];

/** Reads settings given in code, such as `{ MODEL: 'openai/gpt-5-mini', TEMPERATURE: 0.2 }`. */
export function metadataOf(where: string, settings: Readonly<Record<string, unknown>>): AgentMetadata {
  const entries: Record<string, string> = {};
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw new InvalidOptionError(`${where}: ${key} must be a text, a number, true or false.`, { where, key });
    entries[key] = value === Number.POSITIVE_INFINITY ? 'unlimited' : String(value);
  }
  return readMetadata(entries, (key, message) => new InvalidOptionError(`${where}: ${message}`, { where, key }));
}

export function readMetadata(entries: Readonly<Record<string, string>>, fail: Fail): AgentMetadata {
  const found: Settings = {};
  const limits: Partial<Record<keyof JobLimits, number>> = {};
  for (const [key, written] of Object.entries(entries)) {
    const text = written.trim();
    const wrong = (rule: string): Error => fail(key, `${key} is '${text}'; it must be ${rule}.`);
    const limit = limitNames.find((name) => limitKey(name) === key);
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (text === '' && (limit !== undefined || reader !== undefined)) throw fail(key, `${key} is empty.`);
    if (limit !== undefined) {
      const value = readLimit(limit, text);
      if (value === undefined) throw wrong(limitRule(limit));
      limits[limit] = value;
    } else if (reader !== undefined) Object.assign(found, reader(text, wrong));
  }
  const { model } = found;
  const [near] = model === undefined ? closest('MODEL', Object.keys(entries)) : [];
  if (model === undefined)
    throw fail(
      undefined,
      `MODEL is missing: it names the model, as in 'openai/gpt-5-mini'.${near === undefined ? '' : ` There is '${near}'; write MODEL.`}`,
    );
  return { ...found, model, limits, entries };
}

function readModel(text: string, fail: (rule: string) => Error): ModelChoice {
  try {
    const choice = parseModelChoice(text);
    for (const difficulty of difficulties) takeParameters(choice[difficulty]);
    return choice;
  } catch (error) {
    throw fail(
      `a model such as 'openai/gpt-5-mini', or one for each difficulty. ${(error as Error).message.replace(/\.$/, '')}`,
    );
  }
}

function oneOf<Value extends string>(values: readonly Value[], given: string, fail: (rule: string) => Error): Value {
  const found = values.find((value) => value === given);
  if (found === undefined) throw fail(`one of ${values.join(', ')}`);
  return found;
}

function readSwitch(text: string, fail: (rule: string) => Error): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw fail('true or false');
}

function readNames(text: string, fail: (rule: string) => Error): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => !/^[A-Za-z_]\w*$/.test(name))) throw fail('names separated by commas');
  return names;
}

function readPostProcessors(text: string, fail: (rule: string) => Error): PostProcessorSetting[] {
  const rule = "names separated by commas, with options in parentheses, as in 'FinalCheck(maxActions=2)'";
  return text.split(/,(?![^(]*\))/).map((entry) => {
    const [, name, list] = /^\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?\s*$/.exec(entry) ?? [];
    if (name === undefined) throw fail(rule);
    const options: Record<string, string | number | boolean> = {};
    for (const pair of (list ?? '').split(',').filter((part) => part.trim() !== '')) {
      const [, option, value] = /^\s*([A-Za-z_]\w*)\s*[=:]\s*(.*?)\s*$/.exec(pair) ?? [];
      if (option === undefined || value === undefined || value === '') throw fail(rule);
      options[option] = readValue(value);
    }
    return { name, options };
  });
}

function readValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text.replace(/^(['"])(.*)\1$/, '$2');
}
