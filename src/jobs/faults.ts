// Named points at which a test may stop, delay or kill what is going on. Nothing is here but their names.

/** Where something can be made to go wrong. */
export type FaultPoint =
  | 'claim.after'
  | 'slice.join'
  | 'call.before'
  | 'call.after'
  | 'commit.before'
  | 'commit.after'
  | 'park.before'
  /** A schedule has cancelled its job before, and is about to submit the next one; `job` is the name of the schedule. */
  | 'schedule.cancelled'
  /** A slice that took long was committed, and is about to be noted. */
  | 'slice.slow';

/** Called at each point; what it throws is thrown there. */
export interface Faults {
  hit(point: FaultPoint, job: string): Promise<void> | void;
}
