// `statek retry`: submits a finished job again, as a new job.
import type { Command } from '../../line/command.ts';
import { onJobs } from './on-jobs.ts';

export const retry: Command = {
  name: 'retry',
  group: 'Act',
  summary: 'submit a new job with the input of a finished one',
  details: 'The new job starts from scratch; the old one stays unchanged. To continue the old one, use resume.',
  arguments: [{ syntax: '<job>', description: 'a finished job' }],
  options: [{ flags: '--id <id>', description: 'the id of the new job (default: random)' }],
  examples: [['retry 3f2a', 'prints the id of the new job']],
  run: (session, given) => {
    let fresh = '';
    return onJobs(
      session,
      [given.text('job')],
      async (job) => {
        fresh = await job.again({ id: given.optional('id') });
        return { again: fresh };
      },
      () => `submitted again as ${fresh}`,
    );
  },
};
