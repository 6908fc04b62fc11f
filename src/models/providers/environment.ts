// Environment variables about models: keys and addresses of providers, and a few settings.
import { warnOfUnknownVariables } from '../../base/unknown-variables.ts';
import { ModelSettingsError } from '../errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelEnvironment {
  readonly defaultProvider: string | undefined;
  /** A CSV file. */
  readonly prices: string | undefined;
  readonly attempts: number | undefined;
  readonly concurrency: number | undefined;
  /** Maximum seconds without a byte. */
  readonly silence: number | undefined;
  /** Providers defined only by an address in the environment. */
  readonly providers: readonly string[];
}

const numbers = {
  attempts: ['STATEK_MODEL_ATTEMPTS', 1, 100],
  concurrency: ['STATEK_MODEL_CONCURRENCY', 1, 100_000],
  silence: ['STATEK_MODEL_SILENCE', 1, 300],
} as const;

export function readModelEnvironment(environment: Environment): ModelEnvironment {
  const known = Object.values(numbers).map(([name]): string => name);
  // Other variables are not about models.
  const about = Object.keys(environment).filter((name) => name.startsWith('STATEK_MODEL_'));
  warnOfUnknownVariables(about, known);
  return {
    defaultProvider: textIn(environment, 'STATEK_DEFAULT_PROVIDER')?.toLowerCase(),
    prices: textIn(environment, 'STATEK_PRICES'),
    attempts: numberIn(environment, ...numbers.attempts),
    concurrency: numberIn(environment, ...numbers.concurrency),
    silence: numberIn(environment, ...numbers.silence),
    providers: Object.keys(environment).flatMap((name) => {
      const provider = /^([A-Z][A-Z0-9_]*)_API_URL$/.exec(name)?.[1];
      return provider === undefined || textIn(environment, name) === undefined ? [] : [providerName(provider)];
    }),
  };
}

/** Other common variables for the key of a provider. */
const keyAliases: Readonly<Record<string, readonly string[]>> = {
  google: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
};

export function keyOf(environment: Environment, provider: string): string | undefined {
  const names = [keyVariable(provider), ...(keyAliases[provider] ?? [])];
  return names.map((name) => textIn(environment, name)).find((key) => key !== undefined);
}

export function urlOf(environment: Environment, provider: string): string | undefined {
  return textIn(environment, urlVariable(provider));
}

export function keyVariable(provider: string): string {
  return `${variablePrefix(provider)}_API_KEY`;
}

export function urlVariable(provider: string): string {
  return `${variablePrefix(provider)}_API_URL`;
}

function variablePrefix(provider: string): string {
  return provider.toUpperCase().replaceAll('-', '_');
}

function providerName(prefix: string): string {
  return prefix.toLowerCase().replaceAll('_', '-');
}

/** An empty variable counts as unset. */
function textIn(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}

function numberIn(environment: Environment, name: string, min: number, max: number): number | undefined {
  const text = textIn(environment, name);
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new ModelSettingsError(`${name} is '${text}'; it must be a whole number from ${min} to ${max}.`, {
      name,
      value: text,
    });
  }
  return number;
}
