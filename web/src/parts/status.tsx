// The status of a job: a colour, a shape and a word, so that nobody depends on the colour.
import type { JSX } from 'preact';
import type { Job, Outcome, Status as JobStatus } from '../api/types.ts';
import { Icon, type IconName } from './icon.tsx';

interface Look {
  readonly state: string;
  readonly icon: IconName;
  readonly word: string;
}

const ofStatus: Readonly<Record<JobStatus, Look>> = {
  READY: { state: 'ready', icon: 'circle', word: 'Ready' },
  WARMING_UP: { state: 'running', icon: 'play', word: 'Warming up' },
  STARTED: { state: 'running', icon: 'play', word: 'Running' },
  SUSPENDED: { state: 'waiting', icon: 'hourglass', word: 'Waiting' },
  DONE: { state: 'completed', icon: 'check', word: 'Done' },
};

const ofOutcome: Readonly<Record<Outcome, Look>> = {
  completed: { state: 'completed', icon: 'check', word: 'Completed' },
  failed: { state: 'failed', icon: 'cross', word: 'Failed' },
  cancelled: { state: 'cancelled', icon: 'cancel', word: 'Cancelled' },
  limit: { state: 'limit', icon: 'square', word: 'Limit reached' },
};

export function lookOf(status: JobStatus, outcome?: Outcome): Look {
  return outcome === undefined ? ofStatus[status] : ofOutcome[outcome];
}

export function StatusMark({ job }: { readonly job: Pick<Job, 'status' | 'outcome' | 'paused'> }): JSX.Element {
  const look = lookOf(job.status, job.status === 'DONE' ? job.outcome : undefined);
  const isPaused = job.paused && job.status !== 'DONE';
  return (
    <span class="status" data-state={isPaused ? 'ready' : look.state}>
      <Icon name={isPaused ? 'pause' : look.icon} />
      {isPaused ? 'Paused' : look.word}
    </span>
  );
}
