// The interface of a model for the rest of this layer, whether a provider, a script or a recording answers.
import type { Clock } from '../base/clock.ts';
import type { AssistantPart } from './message.ts';
import type { JsonObject } from './json.ts';
import type { FinishReason, ModelDelta, ModelRequest, ModelTokens } from './request.ts';

/** A request to one model, with its model string parsed and without fallbacks. */
export interface BackendRequest extends Omit<ModelRequest, 'model' | 'provider' | 'fallbacks'> {
  /** 0 to 100; if absent, the provider decides. */
  readonly reasoningLevel?: number;
}

/** What a backend is given for one request: a signal, a clock, and where pieces of the reply go. */
export interface ModelTurn {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Passes a piece of the reply to subscribers, and shows that the model is alive. */
  emit(delta: Exclude<ModelDelta, { type: 'restart' }>): void;
}

/** A whole reply, without timing and price. */
export interface ModelAnswer {
  readonly content: readonly AssistantPart[];
  readonly finish: FinishReason;
  readonly tokens: ModelTokens;
  readonly metadata?: JsonObject;
  /** The cost reported by the provider, in US dollars. */
  readonly cost?: number;
  readonly warnings?: readonly string[];
}

/** One model. `answer` returns the whole reply or throws a ModelError; it never retries. */
export interface ModelBackend {
  readonly provider: string;
  readonly model: string;
  answer(request: BackendRequest, turn: ModelTurn): Promise<ModelAnswer>;
}

/** Waits; rejects with the signal's reason when it is aborted. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;
