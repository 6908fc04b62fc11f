// Model strings: `provider/model`, `provider/family/model` or a bare name, then parameters: `openai/gpt-5-mini rl=60`.
import { ModelStringError } from './errors.ts';

/** Parameters of a model string, such as `rl=60`. */
export interface ModelParameters {
  /** Reasoning level, 0 (none) to 100 (maximum). */
  readonly rl?: number;
  readonly temperature?: number;
}

/** A model string, read: provider, model and parameters. */
export interface ModelName {
  readonly provider: string;
  /** The provider's name of the model; may contain `/` and `:`. */
  readonly model: string;
  readonly parameters: ModelParameters;
}

export interface ModelStringOptions {
  /** The names of the registered providers. */
  readonly providers: readonly string[];
  /** The PROVIDER setting: the provider to use. */
  readonly provider?: string | undefined;
  /** The provider for names without one. */
  readonly defaultProvider?: string | undefined;
}

const ranges: Readonly<Record<keyof ModelParameters, readonly [min: number, max: number]>> = {
  rl: [0, 100],
  temperature: [0, 2],
};

// A parameter at the end, after white space, a comma or a slash.
const lastParameter = /(?:\s*,\s*|\s+|\/)([A-Za-z_]+)\s*=\s*([^\s,/=]*)$/;

export function parseModelString(text: string, options: ModelStringOptions): ModelName {
  const { name, parameters } = takeParameters(text);
  const { provider, model } = chooseProvider(name, text, options);
  if (model === '')
    throw new ModelStringError(`The model string '${text}' has no model name. Write it like 'openai/gpt-5-mini'.`, {
      text,
    });
  return { provider, model, parameters };
}

/** The inverse of `parseModelString`. */
export function formatModelString({ provider, model, parameters }: ModelName): string {
  const written = Object.entries(parameters).map(([name, value]) => ` ${name}=${String(value)}`);
  return `${provider}/${model}${written.join('')}`;
}

/** The name without its parameters, and the parameters. */
export function takeParameters(text: string): { name: string; parameters: ModelParameters } {
  const parameters: Record<string, number> = {};
  let name = text.trim();
  for (let match = lastParameter.exec(name); match !== null; match = lastParameter.exec(name)) {
    const [, parameter = '', value = ''] = match;
    if (Object.hasOwn(parameters, parameter)) {
      throw new ModelStringError(`The model string '${text}' sets '${parameter}' twice.`, { text, parameter });
    }
    parameters[parameter] = readParameter(text, parameter, value);
    name = name.slice(0, match.index).trimEnd();
  }
  if (/[\s=,]/.test(name)) {
    throw new ModelStringError(
      `The model string '${text}' is invalid: separate parameters from the name by spaces, as in 'openai/gpt-5-mini rl=60'.`,
      { text },
    );
  }
  // In a fixed order, so that equal names have equal strings.
  const inOrder = Object.keys(ranges).filter((parameter) => Object.hasOwn(parameters, parameter));
  return { name, parameters: Object.fromEntries(inOrder.map((parameter) => [parameter, parameters[parameter]])) };
}

function readParameter(text: string, parameter: string, value: string): number {
  if (!Object.hasOwn(ranges, parameter)) {
    throw new ModelStringError(
      `Unknown parameter '${parameter}' in the model string '${text}'. It takes ${Object.keys(ranges).join(', ')}.`,
      { text, parameter },
    );
  }
  const [min, max] = ranges[parameter as keyof ModelParameters];
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new ModelStringError(
      `The model string '${text}' has ${parameter}=${value}; it must be a number from ${min} to ${max}.`,
      { text, parameter, value },
    );
  }
  return number;
}

function chooseProvider(
  name: string,
  text: string,
  { providers, provider, defaultProvider }: ModelStringOptions,
): { provider: string; model: string } {
  const known = (candidate: string): string | undefined =>
    providers.find((registered) => registered === candidate.toLowerCase());
  for (const given of [provider, defaultProvider]) {
    if (given !== undefined && known(given) === undefined) throw unknownProvider(given, text, providers);
  }
  const slash = name.indexOf('/');
  const first = slash < 0 ? undefined : known(name.slice(0, slash));
  if (first !== undefined && (provider === undefined || known(provider) === first)) {
    return { provider: first, model: name.slice(slash + 1) };
  }
  const whole = provider ?? defaultProvider;
  if (whole === undefined) {
    throw new ModelStringError(
      `The model string '${text}' names no registered provider, and there is no default provider. Write 'provider/model'. Registered providers: ${providers.join(', ')}.`,
      { text, providers },
    );
  }
  return { provider: known(whole) ?? whole, model: name };
}

function unknownProvider(given: string, text: string, providers: readonly string[]): ModelStringError {
  return new ModelStringError(
    `Unknown provider '${given}' for the model '${text}'. Registered providers: ${providers.join(', ')}.`,
    { provider: given, text, providers },
  );
}
