// One turn: the request to a model and its reply, both plain JSON that can be recorded as it is.
import type { JsonObject } from './json.ts';
import type { AssistantMessage, MadeBy, ModelMessage } from './message.ts';

/** A tool that a model is offered. */
export type ModelTool = {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the input; its type must be `object`. */
  readonly input: JsonObject;
  /** Asks providers that support it to enforce the schema. */
  readonly strict?: boolean;
};

/** Whether a model may, must or must not call tools, or which one it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** What a model is asked: plain JSON, the same for all providers. */
export type ModelRequest = {
  /** A model string, such as `openai/gpt-5-mini rl=60`. */
  readonly model: string;
  /** The provider, if it is not part of the model string. */
  readonly provider?: string;
  /** Model strings to try in order if the previous model fails in a way that another may not. */
  readonly fallbacks?: readonly string[];
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  readonly toolChoice?: ToolChoice;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  /** JSON Schema of the reply's text. */
  readonly output?: JsonObject;
  /** Identifies requests with a common prefix, for providers with named caches. */
  readonly cacheKey?: string;
  /** `false` disables prompt caching for providers where it must be requested. */
  readonly cache?: boolean;
  /** Provider-specific options, by provider. */
  readonly settings?: Readonly<Record<string, JsonObject>>;
};

/** Why a model stopped. An incomplete, refused or invalid reply is an error, not a reply. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'other';

/** What a model replied, and what that used. */
export interface ModelReply {
  /** Add it unchanged to the messages of the next request. */
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  readonly usage: ModelUsage;
  /** What the provider could not do as requested. */
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
  /** Reported by the provider, or calculated from the price table. */
  readonly source: 'provider' | 'table';
}

/** What a reply used: tokens, time, attempts, cost. */
export interface ModelUsage {
  readonly model: MadeBy;
  readonly tokens: ModelTokens;
  /** Milliseconds from sending the successful request to the first output. */
  readonly timeToFirstToken: number;
  /** Duration of the successful request in milliseconds. */
  readonly duration: number;
  /** The number of requests, including failed ones. */
  readonly attempts: number;
  /** Absent if neither the provider nor a price table has it. */
  readonly cost?: ModelCost;
}

/** A piece of a streamed reply. `restart` discards everything so far. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly text: string }
  | { readonly type: 'restart'; readonly reason: string };
