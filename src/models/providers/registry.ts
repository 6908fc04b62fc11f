// The providers: built-in ones, those defined in the environment, and those the application registers.
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { InvalidOptionError, refuseUnknownOptions, wholeNumberOption, type OptionNames } from '../../base/options.ts';
import type { ModelBackend } from '../backend.ts';
import { ModelAuthError, ModelNotFoundError } from '../errors.ts';
import { SdkBackend } from '../sdk/backend.ts';
import type { Fetch } from '../sdk/guarded-fetch.ts';
import { guardedFetch } from '../sdk/guarded-fetch.ts';
import { registeredBackend, type SdkLanguageModel } from '../sdk/registered-model.ts';
import type { Wire } from '../sdk/wire.ts';
import { readAddress } from './address.ts';
import { anthropic } from './anthropic.ts';
import { compatible } from './compatible.ts';
import { keyOf, keyVariable, urlOf, urlVariable, type Environment } from './environment.ts';
import { google } from './google.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';

/** The API of a server. `compatible` is OpenAI's chat completions, which most servers support. */
export type ProviderApi = 'openai' | 'anthropic' | 'google' | 'openrouter' | 'compatible';

const wires: Readonly<Record<ProviderApi, Wire>> = { openai, anthropic, google, openrouter, compatible };

/** How a provider is reached. */
export interface ProviderOptions {
  /** Default: the provider's own API for a built-in name, otherwise `compatible`. */
  readonly api?: ProviderApi;
  /** A server, a base URL, or the full URL of a request. */
  readonly url?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum concurrent requests. */
  readonly concurrency?: number;
}

/** An AI SDK provider, such as `createAmazonBedrock()` of `@ai-sdk/amazon-bedrock`. */
export interface SdkProvider {
  languageModel(model: string): SdkLanguageModel;
}

interface KnownProvider {
  readonly api: ProviderApi;
  readonly url: string;
  /** Appended to the address of a server. */
  readonly versionPath: string;
  readonly keyNeeded: boolean;
}

const knownProviders: Readonly<Record<string, KnownProvider>> = {
  openai: cloud('openai', 'https://api.openai.com', '/v1'),
  anthropic: cloud('anthropic', 'https://api.anthropic.com', '/v1'),
  google: cloud('google', 'https://generativelanguage.googleapis.com', '/v1beta'),
  openrouter: cloud('openrouter', 'https://openrouter.ai', '/api/v1'),
  ollama: local('http://localhost:11434'),
  lmstudio: local('http://localhost:1234'),
  vllm: local('http://localhost:8000'),
  llamacpp: local('http://localhost:8080'),
};

const providerOptionNames: OptionNames<ProviderOptions> = {
  api: true,
  url: true,
  key: true,
  headers: true,
  concurrency: true,
};

export class ProviderRegistry {
  readonly #given: ReadonlyMap<string, ProviderOptions | SdkProvider>;
  readonly #environment: Environment;
  readonly #fetch: Fetch;
  readonly #backends = new Map<string, ModelBackend>();
  /** In the order in which errors list them. */
  readonly names: readonly string[];

  constructor(
    given: Readonly<Record<string, ProviderOptions | SdkProvider>>,
    environment: Environment,
    environmentNames: readonly string[],
    fetch: Fetch | undefined,
  ) {
    for (const [name, options] of Object.entries(given)) check(name, options);
    this.#given = new Map(Object.entries(given));
    this.#environment = environment;
    this.#fetch = guardedFetch(fetch);
    this.names = [...new Set([...Object.keys(knownProviders), ...this.#given.keys(), ...environmentNames])];
    // Checks the addresses of built-in and registered providers now; other …_API_URL variables may not be meant for Statek.
    for (const name of [...Object.keys(knownProviders), ...this.#given.keys()]) {
      if (!isSdkProvider(this.#given.get(name))) this.#address(name);
    }
  }

  concurrencyOf(provider: string): number | undefined {
    const given = this.#given.get(provider);
    return given === undefined || isSdkProvider(given) ? undefined : given.concurrency;
  }

  backend(provider: string, model: string): ModelBackend {
    const name = `${provider}/${model}`;
    const backend = this.#backends.get(name) ?? this.#create(provider, model);
    this.#backends.set(name, backend);
    return backend;
  }

  #create(provider: string, model: string): ModelBackend {
    const given = this.#given.get(provider);
    if (isSdkProvider(given)) return registeredBackend(provider, modelOf(given, provider, model), model);
    const wire = wires[this.#api(provider)];
    const key = given?.key ?? keyOf(this.#environment, provider);
    return new SdkBackend({
      provider,
      model,
      wire,
      secrets: [...(key === undefined ? [] : [key]), ...secretHeaders(given?.headers ?? {})],
      load: () => this.#load(provider, model, wire, key),
    });
  }

  async #load(provider: string, model: string, wire: Wire, key: string | undefined): Promise<LanguageModelV4> {
    const options = this.#options(provider);
    const { address, own } = this.#address(provider);
    if (key === undefined && own && knownProviders[provider]?.keyNeeded === true) {
      throw new ModelAuthError(`there is no API key for ${provider}; set ${keyVariable(provider)}.`, {});
    }
    return wire.load({ ...address, key, headers: options.headers ?? {}, fetch: this.#fetch }, model);
  }

  #options(provider: string): ProviderOptions {
    const given = this.#given.get(provider);
    return given === undefined || isSdkProvider(given) ? {} : given;
  }

  #api(provider: string): ProviderApi {
    return this.#options(provider).api ?? knownProviders[provider]?.api ?? 'compatible';
  }

  /** The address of a provider, and whether it is the built-in one. */
  #address(provider: string): { address: ReturnType<typeof readAddress>; own: boolean } {
    const { url } = this.#options(provider);
    const api = this.#api(provider);
    const known = knownProviders[provider] ?? knownProviders[api];
    const versionPath = known?.versionPath ?? '/v1';
    if (url !== undefined)
      return { address: readAddress(url, versionPath, `The url of provider '${provider}'`), own: false };
    const variable = urlOf(this.#environment, provider);
    if (variable !== undefined)
      return { address: readAddress(variable, versionPath, urlVariable(provider)), own: false };
    if (known === undefined) {
      throw new InvalidOptionError(`Provider '${provider}' has no url. Add one, or set ${urlVariable(provider)}.`, {
        provider,
      });
    }
    return { address: readAddress(known.url, versionPath, 'url'), own: true };
  }
}

function check(name: string, options: ProviderOptions | SdkProvider): void {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) {
    throw new InvalidOptionError(
      `'${name}' is not a valid name of a provider. Use lower-case letters, digits and '-', starting with a letter.`,
      { name },
    );
  }
  if (isSdkProvider(options)) return;
  refuseUnknownOptions(`Provider '${name}'`, options, providerOptionNames);
  if (options.concurrency !== undefined) {
    wholeNumberOption(`Provider '${name}'`, 'concurrency', options.concurrency, 1, 100_000);
  }
  if (options.api !== undefined && !Object.hasOwn(wires, options.api)) {
    throw new InvalidOptionError(
      `Provider '${name}' has api '${options.api}'; it must be one of ${Object.keys(wires).join(', ')}.`,
      { name, api: options.api },
    );
  }
}

function modelOf(given: SdkProvider, provider: string, model: string): SdkLanguageModel {
  try {
    return given.languageModel(model);
  } catch (error) {
    throw new ModelNotFoundError(
      `${provider} has no model '${model}': ${(error as Error).message}`,
      { provider, model },
      error,
    );
  }
}

function secretHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    /auth|key|token|secret|cookie/i.test(name) ? [value] : [],
  );
}

function isSdkProvider(value: ProviderOptions | SdkProvider | undefined): value is SdkProvider {
  return value !== undefined && 'languageModel' in value;
}

function cloud(api: ProviderApi, url: string, versionPath: string): KnownProvider {
  return { api, url, versionPath, keyNeeded: true };
}

function local(url: string): KnownProvider {
  return { api: 'compatible', url, versionPath: '/v1', keyNeeded: false };
}
