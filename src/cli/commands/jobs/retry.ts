// `statek retry`: submits anew what a job was given.
import type { Command } from '../../line/command.ts';
import { onJobs } from './on-jobs.ts';

export const retry: Command = {
  name: 'retry',
  group: 'Act',
  summary: 'submit a new job with what one that is over was given',
  details: 'The new job begins from nothing; the old one stays as it is. To go on with the old one, see resume.',
  arguments: [{ syntax: '<job>', description: 'a job that is over' }],
  options: [{ flags: '--id <id>', description: 'the id of the new job; a random one unless told' }],
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
