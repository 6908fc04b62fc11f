// A model with one of the interfaces the AI SDK had before, as packages that were not renewed still have.
import type { SdkLanguageModel } from '../../src/models/sdk/registered-model.ts';

export function olderModel(version: 'v2' | 'v3', text: string): SdkLanguageModel {
  const usage =
    version === 'v2'
      ? { inputTokens: 3, outputTokens: 4, totalTokens: 7 }
      : { inputTokens: { total: 3 }, outputTokens: { total: 4 } };
  const finishReason = version === 'v2' ? 'stop' : { unified: 'stop', raw: 'stop' };
  return {
    specificationVersion: version,
    provider: 'old',
    modelId: 'methuselah',
    doStream: async () => ({
      stream: ReadableStream.from([
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: text },
        { type: 'text-end', id: '0' },
        { type: 'finish', finishReason, usage },
      ]),
    }),
  };
}
