// The worker processes that commands start: what they are started with, and what is said about them.
import type { Session } from '../session.ts';
import type { SupervisorEvent } from './supervisor.ts';

export interface WorkerWords {
  readonly concurrency?: number | undefined;
  readonly maxCrashes?: number | undefined;
  readonly graceMilliseconds?: number | undefined;
  readonly untilIdle?: boolean | undefined;
}

/** Only the supervisor prints events of jobs; otherwise each would be printed by every process. */
export function workerWords({ options }: Session, given: WorkerWords = {}): string[] {
  const words = ['worker', '--quiet'];
  const add = (name: string, value: string | number | undefined): void => {
    if (value !== undefined) words.push(`--${name}`, String(value));
  };
  const { graceMilliseconds: grace } = given;
  add('concurrency', given.concurrency);
  add('max-crashes', given.maxCrashes);
  add('grace', grace === undefined ? undefined : `${grace}ms`);
  add('store', options.store);
  add('config', options.config);
  if (given.untilIdle === true) words.push('--until-idle');
  if (options.storeOnly === true) words.push('--store-only');
  if (options.json === true) words.push('--json');
  if (options.verbose === true) words.push('--verbose');
  return words;
}

export function supervisionText(event: SupervisorEvent): string {
  switch (event.kind) {
    case 'process.started':
      return `Worker ${event.slot} started (process ${event.pid}).`;
    case 'process.working':
      return `Worker ${event.slot} works (process ${event.pid}).`;
    case 'process.ended': {
      const how = event.signal === null ? `exited with ${event.code}` : `was ended by ${event.signal}`;
      const next =
        event.restartMilliseconds === undefined ? '' : ` Its next one starts in ${event.restartMilliseconds} ms.`;
      return `Worker ${event.slot} ${how} (process ${event.pid}).${next}`;
    }
    case 'replacing':
      return 'Replacing all workers, one by one.';
    case 'replaced':
      return event.isComplete
        ? 'All workers are replaced.'
        : 'A new worker did not start, so the others were not replaced.';
  }
}
