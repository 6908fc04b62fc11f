// `statek unpin`: lets later versions of the application's code go on with a job.
import type { Command } from '../../line/command.ts';
import { jobsArgument, onJobs } from './on-jobs.ts';

export const unpin: Command = {
  name: 'unpin',
  group: 'Act',
  summary: 'let later versions of the application go on with jobs that are pinned to one',
  arguments: [jobsArgument],
  examples: [['unpin 3f2a', 'the job goes on with the code of the next worker']],
  run: (session, given) => onJobs(session, given.list('jobs'), (job) => job.unpin()),
};
