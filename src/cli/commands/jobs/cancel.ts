// `statek cancel`: ends jobs.
import type { Command } from '../../line/command.ts';
import { jobsArgument, onJobs } from './on-jobs.ts';

export const cancel: Command = {
  name: 'cancel',
  group: 'Act',
  summary: 'end jobs: what they wait for is rejected, so that their finally blocks run; a worker does it',
  arguments: [jobsArgument],
  options: [{ flags: '--reason <text>', description: 'why; it is recorded' }],
  examples: [['cancel 3f2a --reason "not needed any more"', 'end one job']],
  run: (session, given) =>
    onJobs(
      session,
      given.list('jobs'),
      (job) => job.cancel(given.optional('reason')),
      (job) => (job.status === 'DONE' ? `is over (${job.outcome ?? ''})` : 'is being cancelled'),
    ),
};
