// `statek pause`: keeps workers off a job until it is resumed.
import type { Command } from '../../line/command.ts';
import { jobsArgument, onJobs } from './on-jobs.ts';

export const pause: Command = {
  name: 'pause',
  group: 'Act',
  summary: 'pause jobs: workers skip them until they are resumed',
  arguments: [jobsArgument],
  examples: [['pause 3f2a 77b0', 'pause two jobs']],
  run: (session, given) => onJobs(session, given.list('jobs'), (job) => job.pause()),
};
