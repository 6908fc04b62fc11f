// The differences between providers of the SDK.
import type {
  LanguageModelV4,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { BackendRequest } from '../backend.ts';
import type { JsonObject } from '../json.ts';
import type { Fetch } from './guarded-fetch.ts';

/** The address and credentials of a provider. */
export interface Connection {
  readonly url: string;
  /** The last part of a full address, such as `/chat/completions`; determines the API to use. */
  readonly endpoint: string | undefined;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
}

/** The traits of a provider. */
export interface WireTraits {
  /** The SDK's name for the options of this provider. */
  readonly optionsName: string;
  /** Tool results may contain media and an error flag; otherwise they are text, and media is sent after them. */
  readonly richToolResults: boolean;
  /** Marks a part of the prompt for caching, for providers that require it. */
  readonly cacheMark?: SharedV4ProviderOptions;
  /** Options sent with each request; those of the request take precedence. */
  options(request: BackendRequest, model: string): JsonObject;
  /** Whether to use the SDK's reasoning option; otherwise `options` handles the level. */
  readonly neutralReasoning: boolean;
  /** The part of a reply's metadata that must be sent back. */
  replyMetadata?(metadata: SharedV4ProviderMetadata): JsonObject | undefined;
  /** The cost reported by the provider, in US dollars. */
  cost?(usage: LanguageModelV4Usage): number | undefined;
}

/** A provider supported by the SDK. */
export interface Wire extends WireTraits {
  load(connection: Connection, model: string): Promise<LanguageModelV4>;
}
