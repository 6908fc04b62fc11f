// The entry to this layer: resolves model strings, and returns whole replies or throws errors to act on.
import { systemClock, type Clock } from '../base/clock.ts';
import {
  described,
  InvalidOptionError,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../base/options.ts';
import { chatAttributes, recordTokens, traced } from '../base/telemetry.ts';
import { attempt, type TimedAnswer } from './asking/attempt.ts';
import type { BackendRequest, ModelBackend, Sleep } from './backend.ts';
import { checkRequest } from './asking/check-request.ts';
import { Concurrency } from './asking/concurrency.ts';
import { ModelAbortedError, ModelError, ModelSettingsError } from './errors.ts';
import { withUniqueIds } from './message.ts';
import { parseModelString, takeParameters, type ModelName } from './model-string.ts';
import { readPriceFiles } from './prices/price-files.ts';
import { Prices } from './prices/prices.ts';
import { readModelEnvironment } from './providers/environment.ts';
import { ProviderRegistry, type ProviderOptions, type SdkProvider } from './providers/registry.ts';
import type { ModelCost, ModelDelta, ModelReply, ModelRequest } from './request.ts';
import { retry, retryOptions, type RetryOptions } from './asking/retry.ts';
import { isSdkModel, registeredBackend, type SdkLanguageModel } from './sdk/registered-model.ts';
import { systemSleep } from './asking/sleep.ts';
import { replyLimits, type ReplyLimits } from './asking/watch.ts';

/** Where models are found, and how they are asked. */
export interface ModelsOptions {
  /** Providers by name, in addition to the built-in ones or replacing them. */
  readonly providers?: Readonly<Record<string, ProviderOptions | SdkProvider>>;
  /** Models by name: AI SDK models, scripted or recorded ones. */
  readonly models?: Readonly<Record<string, SdkLanguageModel | ModelBackend>>;
  /** The provider for model strings without one. */
  readonly defaultProvider?: string;
  /** Maximum concurrent requests per provider (default: 32). */
  readonly concurrency?: number;
  readonly retry?: RetryOptions;
  readonly limits?: ReplyLimits;
  /** A CSV file, or a folder of them, with prices that override the built-in ones per model. */
  readonly prices?: string;
  /** The environment (default: `process.env`). */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  /** A number from 0 to 1 (exclusive). */
  readonly random?: () => number;
  readonly sleep?: Sleep;
}

/** How one request is made. */
export interface AskOptions {
  readonly signal?: AbortSignal;
  /** Called with pieces of the reply as they arrive. `ask` itself returns only the whole reply. */
  readonly onDelta?: (delta: ModelDelta) => void;
}

const optionNames: OptionNames<ModelsOptions> = {
  providers: true,
  models: true,
  defaultProvider: true,
  concurrency: true,
  retry: true,
  limits: true,
  prices: true,
  env: true,
  fetch: true,
  clock: true,
  random: true,
  sleep: true,
};

interface Target {
  readonly name: ModelName;
  readonly backend: ModelBackend;
}

/**
 * Models of all providers, by model strings such as `openai/gpt-5-mini`: asks them, with retries, fallbacks, limits and prices.
 *
 * @example
 * import { messageText, Models } from 'statek';
 * import { scriptedModel } from 'statek/testing';
 *
 * const models = new Models({ models: { script: scriptedModel(['Hello!']) } });
 * const reply = await models.ask({ model: 'script', messages: [{ role: 'user', content: 'Hello?' }] });
 * console.log(messageText(reply.message)); // prints Hello!
 */
export class Models {
  readonly #registry: ProviderRegistry;
  readonly #models: ReadonlyMap<string, ModelBackend>;
  readonly #defaultProvider: string | undefined;
  readonly #concurrency: number;
  readonly #limiters = new Map<string, Concurrency>();
  readonly #retry: Required<RetryOptions>;
  readonly #tools: { limits: Required<ReplyLimits>; clock: Clock; sleep: Sleep; random: () => number };
  readonly #prices: Prices;

  constructor(options: ModelsOptions = {}) {
    refuseUnknownOptions('Models', options, optionNames);
    const env = options.env ?? process.env;
    const settings = readModelEnvironment(env);
    this.#registry = new ProviderRegistry(options.providers ?? {}, env, settings.providers, options.fetch);
    this.#models = backendsOf(options.models ?? {});
    this.#defaultProvider = this.#checkDefault(options.defaultProvider, settings.defaultProvider);
    this.#concurrency = wholeNumberOption(
      'Models',
      'concurrency',
      options.concurrency ?? settings.concurrency ?? 32,
      1,
      100_000,
    );
    this.#retry = retryOptions({
      ...(settings.attempts === undefined ? {} : { attempts: settings.attempts }),
      ...options.retry,
    });
    const silence = settings.silence === undefined ? {} : { silence: settings.silence * 1000 };
    this.#tools = {
      limits: replyLimits({ ...silence, ...options.limits }),
      clock: options.clock ?? systemClock,
      sleep: options.sleep ?? systemSleep,
      random: options.random ?? Math.random,
    };
    const place = options.prices ?? settings.prices;
    this.#prices = new Prices(...(place === undefined ? [] : readPriceFiles(place)));
  }

  /** The names of all providers. */
  get providers(): readonly string[] {
    return this.#registry.names;
  }

  /** Resolves a model string to a provider and model; throws if unknown. `provider` is the PROVIDER setting. */
  resolve(model: string, provider?: string): ModelName {
    return this.#target(model, provider).name;
  }

  /** The model for a model string, without retries, prices and limits; for recordings. */
  backend(model: string, provider?: string): ModelBackend {
    return this.#target(model, provider).backend;
  }

  /** Asks a model, then its `fallbacks` in order, and returns the whole reply. */
  async ask(request: ModelRequest, options: AskOptions = {}): Promise<ModelReply> {
    refuseUnknownOptions('ask', options, { signal: true, onDelta: true });
    checkRequest(request);
    const { signal, onDelta } = options;
    const targets = [
      this.#target(request.model, request.provider),
      ...(request.fallbacks ?? []).map((model) => this.#target(model, undefined)),
    ];
    const notify = subscriber(onDelta);
    const abort = signal ?? new AbortController().signal;
    try {
      return await this.#askInTurn(targets, request, abort, notify);
    } catch (error) {
      if (!abort.aborted || error instanceof ModelAbortedError) throw error;
      throw new ModelAbortedError('The request was aborted.', {}, abort.reason);
    }
  }

  async #askInTurn(
    [target, ...others]: readonly Target[],
    request: ModelRequest,
    signal: AbortSignal,
    notify: (delta: ModelDelta) => void,
  ): Promise<ModelReply> {
    if (target === undefined)
      throw new InvalidOptionError(
        "The request names no model. Set 'model' to a model string such as 'openai/gpt-5-mini'.",
      );
    try {
      return await this.#askOne(target, request, signal, notify);
    } catch (error) {
      if (others.length === 0 || signal.aborted || !(error instanceof ModelError) || !error.otherModelMayHelp)
        throw error;
      notify({ type: 'restart', reason: error.code });
      return this.#askInTurn(others, request, signal, notify);
    }
  }

  async #askOne(
    { name, backend }: Target,
    request: ModelRequest,
    signal: AbortSignal,
    notify: (delta: ModelDelta) => void,
  ): Promise<ModelReply> {
    const limiter = this.#limiter(name.provider);
    const own = backendRequest(request, name);
    let attempts = 0;
    const attributes = chatAttributes(name.provider, name.model);
    return traced(`chat ${name.model}`, 'gen_ai.client.operation.duration', attributes, async (span) => {
      const timed = await retry(
        () => {
          attempts++;
          return limiter.run(signal, () => attempt(backend, own, this.#tools, signal, notify));
        },
        this.#retry,
        this.#tools,
        signal,
        (error) => notify({ type: 'restart', reason: error.code }),
      );
      const { input, output } = timed.answer.tokens;
      recordTokens(input, 'input', attributes);
      recordTokens(output, 'output', attributes);
      span.setAttributes({ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output });
      return this.#reply(name, timed, attempts);
    });
  }

  #reply(
    { provider, model }: ModelName,
    { answer, timeToFirstToken, duration }: TimedAnswer,
    attempts: number,
  ): ModelReply {
    const { content, finish, tokens, metadata, warnings = [] } = answer;
    const cost = this.#cost(provider, model, answer);
    return {
      message: {
        role: 'assistant',
        content: withUniqueIds(content),
        madeBy: { provider, model },
        ...(metadata === undefined ? {} : { metadata }),
      },
      finish,
      usage: {
        model: { provider, model },
        tokens,
        timeToFirstToken,
        duration,
        attempts,
        ...(cost === undefined ? {} : { cost }),
      },
      warnings,
    };
  }

  #cost(provider: string, model: string, { cost, tokens }: TimedAnswer['answer']): ModelCost | undefined {
    if (cost !== undefined) return { amount: cost, source: 'provider' };
    const amount = this.#prices.costOf(provider, model, tokens);
    return amount === undefined ? undefined : { amount, source: 'table' };
  }

  #target(text: string, provider: string | undefined): Target {
    const { name, parameters } = takeParameters(text);
    const registered = provider === undefined ? this.#models.get(name) : undefined;
    if (registered !== undefined) {
      return { name: { provider: registered.provider, model: registered.model, parameters }, backend: registered };
    }
    const parsed = parseModelString(text, {
      providers: this.#registry.names,
      provider,
      defaultProvider: this.#defaultProvider,
    });
    return { name: parsed, backend: this.#registry.backend(parsed.provider, parsed.model) };
  }

  #limiter(provider: string): Concurrency {
    const limiter =
      this.#limiters.get(provider) ?? new Concurrency(this.#registry.concurrencyOf(provider) ?? this.#concurrency);
    this.#limiters.set(provider, limiter);
    return limiter;
  }

  #checkDefault(option: string | undefined, setting: string | undefined): string | undefined {
    const provider = option ?? setting;
    if (provider === undefined || this.#registry.names.includes(provider)) return provider;
    const where = option === undefined ? 'STATEK_DEFAULT_PROVIDER' : 'defaultProvider';
    throw new ModelSettingsError(
      `${where}: unknown provider '${provider}'. Registered providers: ${this.#registry.names.join(', ')}.`,
      { where, provider },
    );
  }
}

function backendsOf(models: Readonly<Record<string, SdkLanguageModel | ModelBackend>>): Map<string, ModelBackend> {
  return new Map(
    Object.entries(models).map(([name, model]) => {
      if (takeParameters(name).name !== name)
        throw new InvalidOptionError(`'${name}' is not a valid name of a model.`, { name });
      const given = (typeof model === 'object' ? model : null) as Partial<ModelBackend> | null;
      if (given !== null && isSdkModel(model)) return [name, registeredBackend(name, model)];
      if (typeof given?.answer !== 'function')
        throw new InvalidOptionError(
          `Models: models.${name} must be a model of the AI SDK, or a scripted or recorded one, not ${described(model)}.`,
          { name },
        );
      return [name, model as ModelBackend];
    }),
  );
}

function backendRequest(request: ModelRequest, { parameters }: ModelName): BackendRequest {
  const { model: _model, provider: _provider, fallbacks: _fallbacks, ...rest } = request;
  const temperature = request.temperature ?? parameters.temperature;
  return {
    ...rest,
    ...(temperature === undefined ? {} : { temperature }),
    ...(parameters.rl === undefined ? {} : { reasoningLevel: parameters.rl }),
  };
}

/** A subscriber that throws gets no further deltas; the reply is unaffected. */
function subscriber(onDelta: AskOptions['onDelta']): (delta: ModelDelta) => void {
  let listener = onDelta;
  return (delta) => {
    try {
      listener?.(delta);
    } catch (error) {
      listener = undefined;
      process.emitWarning(
        `onDelta threw an error and is not called any more for this reply: ${String(error)}`,
        'StatekWarning',
      );
    }
  };
}
