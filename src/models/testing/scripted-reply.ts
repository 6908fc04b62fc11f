// The replies and faults of a scripted model.
import type { OptionNames } from '../../base/options.ts';
import type { BackendRequest } from '../backend.ts';
import type { JsonObject } from '../json.ts';
import type { FinishReason, ModelTokens } from '../request.ts';

/** A tool call of a scripted reply. */
export interface ScriptedToolCall {
  readonly name: string;
  /** A string is used as raw output of the model, which may be invalid. */
  readonly input: JsonObject | string;
  /** Default: `call-1`, `call-2` … in the order of the script. */
  readonly id?: string;
}

/** Something a scripted model does wrong. */
export type ScriptedFault =
  | 'auth'
  | 'quota'
  | 'not-found'
  | 'rate-limit'
  | 'overloaded'
  | 'bad-request'
  | 'context-too-long'
  | 'content-refused'
  | 'invalid-reply'
  | 'network'
  /** Streams the text, then loses the connection. */
  | 'cut'
  /** Streams the text, then sends nothing more. */
  | 'silence';

/** A reply of a scripted model, or what goes wrong instead of it. */
export interface ScriptedReply {
  /** A list is streamed piece by piece. */
  readonly text?: string | readonly string[];
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  readonly finish?: FinishReason;
  readonly tokens?: Partial<ModelTokens>;
  /** US dollars, as if reported by the provider. */
  readonly cost?: number;
  /** Milliseconds before the first piece, and between pieces. */
  readonly delay?: number;
  readonly fault?: ScriptedFault;
  /** Milliseconds, for the fault `rate-limit` or `overloaded`. */
  readonly retryAfter?: number;
  /** The last message of the request must contain it; otherwise the request fails. */
  readonly expect?: string | RegExp;
}

/** A reply, only its text, or a function of the request. `ask` throws what the function throws. */
export type ScriptStep =
  | string
  | ScriptedReply
  | ((request: BackendRequest) => string | ScriptedReply | Promise<string | ScriptedReply>);

export const replyNames: OptionNames<ScriptedReply> = {
  text: true,
  reasoning: true,
  toolCalls: true,
  finish: true,
  tokens: true,
  cost: true,
  delay: true,
  fault: true,
  retryAfter: true,
  expect: true,
};
