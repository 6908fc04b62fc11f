// One turn: what is asked of a model, and what it replied. Both are plain JSON, to be recorded as they are.
import type { JsonObject } from './json.ts';
import type { AssistantMessage, MadeBy, ModelMessage } from './message.ts';

/** A tool that a model is offered. */
export type ModelTool = {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the input, an object. */
  readonly input: JsonObject;
  /** Asks providers that can to write nothing the schema does not allow. */
  readonly strict?: boolean;
};

/** Whether a model may, must or must not call tools, or which one it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** What a model is asked: plain JSON, the same for all providers. */
export type ModelRequest = {
  /** A model string, such as `openai/gpt-5-mini rl=60`. */
  readonly model: string;
  /** The provider, when the model string must not say it. */
  readonly provider?: string;
  /** Model strings tried in order when the model before failed for reasons of its own. */
  readonly fallbacks?: readonly string[];
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  readonly toolChoice?: ToolChoice;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  /** JSON Schema the reply's text must follow. */
  readonly output?: JsonObject;
  /** Names requests that begin alike, for providers that keep caches by name. */
  readonly cacheKey?: string;
  /** `false` asks for no prompt caching where it must be asked for. */
  readonly cache?: boolean;
  /** A provider's own options, by the provider's name. */
  readonly settings?: Readonly<Record<string, JsonObject>>;
};

/** Why a model stopped. A reply that was cut, refused or broken is an error, not a reply. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'other';

/** What a model replied, and what that used. */
export interface ModelReply {
  /** To be added to the messages of the next request as it is. */
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  readonly usage: ModelUsage;
  /** What the provider did otherwise than asked. */
  readonly warnings: readonly string[];
}

/** Tokens of a request and its reply. */
export interface ModelTokens {
  /** All tokens read, cached ones included. */
  readonly input: number;
  /** All tokens written, reasoning included. */
  readonly output: number;
  /** Of the input: read from a cache. */
  readonly cached: number;
  /** Of the input: written to a cache. */
  readonly cacheWrite: number;
  /** Of the output: reasoning. */
  readonly reasoning: number;
}

/** What a reply cost, and who says so. */
export interface ModelCost {
  /** In US dollars. */
  readonly amount: number;
  /** The provider's own figure, or the price table. */
  readonly source: 'provider' | 'table';
}

/** What a reply used: tokens, time, attempts, cost. */
export interface ModelUsage {
  readonly model: MadeBy;
  readonly tokens: ModelTokens;
  /** Milliseconds from sending the request that succeeded to the first thing the model wrote. */
  readonly timeToFirstToken: number;
  /** Milliseconds of the request that succeeded. */
  readonly duration: number;
  /** How many requests were sent, failed ones included. */
  readonly attempts: number;
  /** Absent when the model is in no price table and the provider does not say. */
  readonly cost?: ModelCost;
}

/** A piece of a reply on its way. `restart` takes back everything since the beginning. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly text: string }
  | { readonly type: 'restart'; readonly reason: string };
