// What this process has seen of the store's history. Every script is told, so that a server that has lost some of it
// refuses instead of continuing another history.
import { StoreRolledBackError } from '../errors.ts';
import type { Revision } from '../store.ts';

export interface HistorySnapshot {
  /** Identifies the store: a new one in its place has another. */
  readonly incarnation: string;
  readonly revision: Revision;
  /** The mark of the batch that committed it. */
  readonly mark: string;
}

export class SeenHistory {
  readonly #incarnation: string;
  #revision: Revision;
  #mark: string;
  #lost: StoreRolledBackError | undefined;

  constructor({ incarnation, revision, mark }: HistorySnapshot) {
    this.#incarnation = incarnation;
    this.#revision = revision;
    this.#mark = mark;
  }

  get revision(): Revision {
    return this.#revision;
  }

  /** To continue in another thread. */
  snapshot(): HistorySnapshot {
    return { incarnation: this.#incarnation, revision: this.#revision, mark: this.#mark };
  }

  /** The first arguments of every script. */
  arguments(): readonly string[] {
    if (this.#lost !== undefined) throw this.#lost;
    return [this.#incarnation, String(this.#revision), this.#mark];
  }

  saw(revision: Revision, mark: string): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#mark = mark;
  }

  /** From now on every call fails: whatever this process knows may be wrong. */
  failed(error: unknown): void {
    if (error instanceof StoreRolledBackError) this.#lost ??= error;
  }
}
