// An agent whose model talks until it is told that it is enough: numbered pieces, one after another.
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, Models } from '../../../src/index.ts';
import type { ModelBackend } from '../../../src/models.ts';

export const talker = (): Agent =>
  new Agent({
    role: 'talker',
    systemPrompt: 'You talk.',
    metadata: { MODEL: 'talking' },
    chatStyle: 'MD_DIALOG',
  });

/** Asks `isEnough` before each piece. */
export function talkingModels(isEnough: () => boolean): Models {
  const talking: ModelBackend = {
    provider: 'test',
    model: 'talking',
    async answer(_request, { signal, emit }) {
      const pieces: string[] = [];
      while (!isEnough()) {
        signal.throwIfAborted();
        const text = `${pieces.length} `;
        pieces.push(text);
        emit({ type: 'text', text });
        await pause(2);
      }
      return {
        content: [{ type: 'text', text: pieces.join('') }],
        finish: 'stop',
        tokens: { input: 1, output: 1, cached: 0, cacheWrite: 0, reasoning: 0 },
      };
    },
  };
  return new Models({ models: { talking }, env: {}, retry: { attempts: 1 } });
}
