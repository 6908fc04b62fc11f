// `statek pause`: nobody works on a job until it is resumed.
import type { Command } from '../../line/command.ts';
import { jobsArgument, onJobs } from './on-jobs.ts';

export const pause: Command = {
  name: 'pause',
  group: 'Act',
  summary: 'let nobody work on jobs until they are resumed',
  arguments: [jobsArgument],
  examples: [['pause 3f2a 77b0', 'pause two jobs']],
  run: (session, given) => onJobs(session, given.list('jobs'), (job) => job.pause()),
};
