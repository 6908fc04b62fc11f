// A model that says what the person dictates: the message is a list of replies as JSON, each a list of pieces. Before a piece
// that is null it waits until it is allowed to go on, so tests decide where in an answer something happens. It depends on the
// conversation alone: another process answers the same.
import { messageText } from '../../src/index.ts';
import type { ModelBackend } from '../../src/models.ts';

export class DictatedModel implements ModelBackend {
  readonly provider = 'test';
  readonly model = 'dictated';
  #allowed = 0;
  #wake: (() => void) | undefined;

  /** Lets it pass one null. */
  allow(): void {
    this.#allowed++;
    this.#wake?.();
  }

  answer: ModelBackend['answer'] = async ({ messages }, { emit, signal }) => {
    // Messages that nobody has answered come together, one after the other.
    const dictationIn = (text: string): string | undefined =>
      text.split('\n').findLast((line) => line.startsWith('[['));
    const index = messages.findLastIndex(
      (message) => message.role === 'user' && dictationIn(messageText(message)) !== undefined,
    );
    const message = messages[index];
    const dictation = message === undefined ? undefined : dictationIn(messageText(message));
    if (dictation === undefined) throw new Error('Nobody has dictated anything.');
    const replies = JSON.parse(dictation) as (string | null)[][];
    const given = messages.slice(index).filter(({ role }) => role === 'assistant').length;
    const said: string[] = [];
    for (const piece of replies[given] ?? ['That was all.']) {
      if (piece === null) await this.#permission(signal);
      else {
        said.push(piece);
        emit({ type: 'text', text: piece });
      }
    }
    return {
      content: [{ type: 'text', text: said.join('') }],
      finish: 'stop',
      tokens: { input: 1, output: 1, cached: 0, cacheWrite: 0, reasoning: 0 },
    };
  };

  async #permission(signal: AbortSignal): Promise<void> {
    while (this.#allowed === 0) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    this.#allowed--;
  }
}
