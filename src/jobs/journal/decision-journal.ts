// What people had to agree to before a job could go on, and what they said: read from the futures of its program.
import type { Store } from '../../store/door.ts';
import { decisionOf, futureId, isUndecided, questionOf, subjectOf, type FutureSubject } from '../../workspace/door.ts';
import { futuresOf } from './call-journal.ts';
import type { JobRow } from '../rows.ts';

/** Something that somebody had to agree to, and what they said. */
export interface JobDecision extends FutureSubject {
  /** The future, for `kit.approve` and `kit.deny`. */
  readonly id: string;
  /** What was asked, or the call that was to be made. */
  readonly question: string;
  readonly asked: Date;
  /** Undefined while nobody has decided. */
  readonly decided: Date | undefined;
  readonly approved: boolean | undefined;
  readonly by: string | undefined;
  readonly comment: string | undefined;
}

export async function decisionJournal(store: Store, job: JobRow): Promise<readonly JobDecision[]> {
  const decisions: JobDecision[] = [];
  for await (const value of futuresOf(store, job)) {
    const { label, created } = value;
    const decision = decisionOf(value);
    // An answer is not a decision.
    if (value.kind === 'ask') continue;
    if (value.kind !== 'approve' && decision === undefined && !isUndecided(value)) continue;
    decisions.push({
      id: futureId(value),
      ...(await subjectOf(store, value)),
      question: questionOf(value) ?? label,
      asked: new Date(created),
      decided: decision === undefined ? undefined : new Date(decision.time),
      approved: decision?.approved,
      by: decision?.by,
      comment: decision?.comment,
    });
  }
  return decisions;
}
