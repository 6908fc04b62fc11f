// `statek cancel`: ends jobs.
import type { Command } from '../../line/command.ts';
import { jobsArgument, onJobs } from './on-jobs.ts';

export const cancel: Command = {
  name: 'cancel',
  group: 'Act',
  summary: 'cancel jobs: a worker rejects what they wait for, so their finally blocks run',
  arguments: [jobsArgument],
  options: [{ flags: '--reason <text>', description: 'why; recorded with the job' }],
  examples: [['cancel 3f2a --reason "not needed any more"', 'cancel one job']],
  run: (session, given) =>
    onJobs(
      session,
      given.list('jobs'),
      (job) => job.cancel(given.optional('reason')),
      (job) => (job.status === 'DONE' ? `finished (${job.outcome ?? ''})` : 'is being cancelled'),
    ),
};
