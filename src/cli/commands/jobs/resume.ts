// `statek resume`: continues a paused or finished job.
import type { Command } from '../../line/command.ts';
import { jobsArgument, onJobs } from './on-jobs.ts';

export const resume: Command = {
  name: 'resume',
  group: 'Act',
  summary: 'continue a paused job, or a finished one if its role supports that (needs the application)',
  arguments: [jobsArgument],
  examples: [['resume 3f2a', 'continue one job']],
  run: (session, given) => onJobs(session, given.list('jobs'), (job) => job.resume()),
};
