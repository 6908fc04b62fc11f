// What differs between the providers the SDK speaks to. Everything else is the same for all of them.
import type {
  LanguageModelV4,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { BackendRequest } from '../backend.ts';
import type { JsonObject } from '../json.ts';
import type { Fetch } from './guarded-fetch.ts';

/** Where a provider is and how to get in. */
export interface Connection {
  readonly url: string;
  /** The last part of a full address, such as `/chat/completions`; says which of its APIs to use. */
  readonly endpoint: string | undefined;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
}

/** What to know of a provider to speak to it. */
export interface WireTraits {
  /** The name under which the SDK looks for this provider's options. */
  readonly optionsName: string;
  /** Tool results may carry media and say that they failed; otherwise they are text, and media is sent after them. */
  readonly richToolResults: boolean;
  /** Marks a part of the prompt to be cached, where each must be marked. */
  readonly cacheMark?: SharedV4ProviderOptions;
  /** The options sent with each request, below those of the request. */
  options(request: BackendRequest, model: string): JsonObject;
  /** True if the SDK's own reasoning option is to be used; otherwise `options` deals with the level. */
  readonly neutralReasoning: boolean;
  /** What of the metadata of a whole reply must be sent back with it. */
  replyMetadata?(metadata: SharedV4ProviderMetadata): JsonObject | undefined;
  /** The provider's own figure of the cost, in US dollars. */
  cost?(usage: LanguageModelV4Usage): number | undefined;
}

/** A provider the SDK has code for. */
export interface Wire extends WireTraits {
  load(connection: Connection, model: string): Promise<LanguageModelV4>;
}
