// An AI SDK model as a backend. The SDK only does the communication, without retries, limits and prices.
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelAnswer, BackendRequest, ModelBackend, ModelTurn } from '../backend.ts';
import { ModelInvalidReplyError } from '../errors.ts';
import { toCallOptions } from './call-options.ts';
import { expectStream, hasDocument, streamOf } from './unstreamed.ts';
import type { WireTraits } from './wire.ts';

export interface SdkModel {
  readonly provider: string;
  readonly model: string;
  readonly wire: WireTraits;
  readonly secrets: readonly string[];
  /** Called once, on first use. */
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
    // Loads the SDK only when it is used.
    const [{ classify }, { collect }] = await Promise.all([import('./classify.ts'), import('./collect.ts')]);
    try {
      const model = await this.#load();
      const options = toCallOptions(request, this.#source, turn.signal);
      expectStream(turn.signal);
      try {
        const { stream } = await model.doStream(options);
        return await collect(stream, wire, turn);
      } catch (error) {
        if (!hasDocument(turn.signal)) throw error;
        return rejectEmpty(await collect(streamOf(await model.doGenerate(options)), wire, turn));
      }
    } catch (error) {
      const { provider, model } = this;
      throw classify(error, { provider, model, secrets, now: turn.clock.now() });
    }
  }

  #load(): Promise<LanguageModelV4> {
    if (this.#loaded === undefined) {
      this.#loaded = this.#source.load();
      // After a failure, the next request tries again.
      this.#loaded.catch(() => (this.#loaded = undefined));
    }
    return this.#loaded;
  }
}

/** Some SDK providers accept any document as an empty reply. */
function rejectEmpty(answer: ModelAnswer): ModelAnswer {
  if (answer.content.length > 0 || answer.finish !== 'other') return answer;
  throw new ModelInvalidReplyError(
    'The server answered with a document that is not a reply. Check the address of the provider.',
  );
}
