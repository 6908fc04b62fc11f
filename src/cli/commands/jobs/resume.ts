// `statek resume`: ends a pause, or starts a job again after its end.
import type { Command } from '../../line/command.ts';
import { jobsArgument, onJobs } from './on-jobs.ts';

export const resume: Command = {
  name: 'resume',
  group: 'Act',
  summary: 'end a pause, or go on with a job that is over, if its role can do that (the application is needed then)',
  arguments: [jobsArgument],
  examples: [['resume 3f2a', 'go on']],
  run: (session, given) => onJobs(session, given.list('jobs'), (job) => job.resume()),
};
