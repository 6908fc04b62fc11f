// A model of the AI SDK as a backend: the provider's own code does the talking, and only that. Retries, limits and
// prices are not its business.
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelAnswer, BackendRequest, ModelBackend, ModelTurn } from '../backend.ts';
import { toCallOptions } from './call-options.ts';
import type { WireTraits } from './wire.ts';

export interface SdkModel {
  readonly provider: string;
  readonly model: string;
  readonly wire: WireTraits;
  readonly secrets: readonly string[];
  /** Called once, when the model is first needed. */
  load(): Promise<LanguageModelV4>;
}

export class SdkBackend implements ModelBackend {
  readonly provider: string;
  readonly model: string;
  readonly #source: SdkModel;
  #loaded: Promise<LanguageModelV4> | undefined;

  constructor(source: SdkModel) {
    this.provider = source.provider;
    this.model = source.model;
    this.#source = source;
  }

  async answer(request: BackendRequest, turn: ModelTurn): Promise<ModelAnswer> {
    const { wire, secrets } = this.#source;
    // The SDK is only loaded by those who use it.
    const [{ classify }, { collect }] = await Promise.all([import('./classify.ts'), import('./collect.ts')]);
    try {
      const model = await this.#load();
      const { stream } = await model.doStream(toCallOptions(request, this.#source, turn.signal));
      return await collect(stream, wire, turn);
    } catch (error) {
      const { provider, model } = this;
      throw classify(error, { provider, model, secrets, now: turn.clock.now() });
    }
  }

  #load(): Promise<LanguageModelV4> {
    if (this.#loaded === undefined) {
      this.#loaded = this.#source.load();
      // What failed once is tried again by the next request.
      this.#loaded.catch(() => (this.#loaded = undefined));
    }
    return this.#loaded;
  }
}
