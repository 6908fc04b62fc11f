// The latest revision this process knows of. Commits are planned for it, and scans of the past choose by it how to search.
import type { Revision } from '../store.ts';

export class Seen {
  #revision: Revision;

  constructor(revision: Revision) {
    this.#revision = revision;
  }

  get revision(): Revision {
    return this.#revision;
  }

  note(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision;
  }
}
