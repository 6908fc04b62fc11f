// `statek say`: sends a message to a job.
import { DriverMissingError } from '../../../jobs/errors.ts';
import type { Command } from '../../line/command.ts';
import { jsonOrFile } from '../../line/parse.ts';
import { onJobs } from '../jobs/on-jobs.ts';

export const say: Command = {
  name: 'say',
  group: 'Act',
  summary: 'send a message to a job; one that is completed may be started again by it (the application is needed then)',
  arguments: [
    { syntax: '<job>', description: 'its id' },
    { syntax: '<message>', description: 'the message, as text' },
  ],
  options: [{ flags: '--data', description: 'the message is JSON, or @file with JSON in it' }],
  examples: [['say 3f2a "Thursday is fine, too"', 'it is shown at the next turn']],
  run: (session, given) => {
    const text = given.text('message');
    const message = given.flag('data') ? jsonOrFile('the message', text, session.folder) : text;
    return onJobs(session, [given.text('job')], async (job) => {
      const { roles } = await session.application();
      // Whether a job that is completed may be started again, only its driver knows.
      if (job.outcome === 'completed' && !roles.includes(job.role))
        throw new DriverMissingError(
          `The job '${job.id}' is over, and whether a '${job.role}' can be started again only the application knows. Run this where its statek.config.ts is.`,
          { role: job.role },
        );
      await job.say(message);
    });
  },
};
