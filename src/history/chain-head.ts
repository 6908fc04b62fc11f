// Where a chain ends, with all that the next commit needs. A head is spent when a commit was made on it: what it knows
// of the image is then handed to the next head, not copied.
import { commitOf, describeCommit, type CommitRecord } from './commit-record.ts';
import { HistoryArgumentError, HistoryStaleHeadError } from './errors.ts';
import type { Commit, Head } from './history.ts';
import type { Lineage } from './images/lineage.ts';

export interface HeadState {
  readonly record: CommitRecord;
  readonly header: Uint8Array;
  readonly lineage: Lineage;
  /** Its commit is part of the same transaction as the next one. */
  readonly isNew?: true;
}

export class ChainHead implements Head {
  readonly commit: Commit;
  readonly revision: number;
  #state: HeadState | undefined;

  constructor(state: HeadState, revision: number) {
    this.commit = commitOf(state.record);
    this.revision = revision;
    this.#state = state;
  }

  static state(head: Head): HeadState {
    if (!(head instanceof ChainHead)) throw new HistoryArgumentError('A head must come from open() or committed().');
    if (head.#state === undefined) {
      throw new HistoryStaleHeadError(
        `A commit was already made on ${describeCommit(head.commit)}. Go on with the head that committed() returned, or open the chain again.`,
        { chain: head.commit.chain, sequence: head.commit.sequence },
      );
    }
    return head.#state;
  }

  static spend(head: Head): void {
    ChainHead.state(head);
    (head as ChainHead).#state = undefined;
  }
}
