// The end of a chain, with everything the next commit needs. A commit spends its head: the state is moved to the next head
// instead of copied.
import { commitOf, describeCommit, type CommitRecord } from './commit-record.ts';
import { HistoryArgumentError, HistoryStaleHeadError } from './errors.ts';
import type { Commit, Head } from './history.ts';
import type { Lineage } from './images/lineage.ts';

export interface HeadState {
  readonly record: CommitRecord;
  readonly header: Uint8Array;
  readonly lineage: Lineage;
  /** Its commit is in the same transaction as the next one. */
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
    if (!(head instanceof ChainHead))
      throw new HistoryArgumentError('The head must come from open() or committed() of this history.');
    if (head.#state === undefined) {
      throw new HistoryStaleHeadError(
        `This head is stale: a commit was already made on ${describeCommit(head.commit)}. Use the head that committed() returned, or open the chain again.`,
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
