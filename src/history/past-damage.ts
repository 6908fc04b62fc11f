// Whoever goes through all programs meets some that are damaged. They are left as they are, and the others have their turn.
import { StoreCorruptError } from '../store/door.ts';
import { HistoryDamagedError } from './errors.ts';

/** What was passed over. */
export class Damages {
  readonly #messages = new Set<string>();

  get messages(): readonly string[] {
    return [...this.#messages];
  }

  readonly note = (error: StoreCorruptError | HistoryDamagedError): void => {
    this.#messages.add(error.message);
  };

  /** What an action returns, or undefined if something it needs is damaged. */
  async past<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof StoreCorruptError) && !(error instanceof HistoryDamagedError)) throw error;
      this.note(error);
      return undefined;
    }
  }
}
