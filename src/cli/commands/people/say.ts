// `statek say`: sends a message to a job.
import { DriverMissingError } from '../../../jobs/errors.ts';
import type { Command } from '../../line/command.ts';
import { jsonOrFile } from '../../line/parse.ts';
import { onJobs } from '../jobs/on-jobs.ts';

export const say: Command = {
  name: 'say',
  group: 'Act',
  summary: 'send a message to a job; may restart a completed one (needs the application)',
  arguments: [
    { syntax: '<job>', description: 'its id' },
    { syntax: '<message>', description: 'the message, as text' },
  ],
  options: [{ flags: '--data', description: 'the message is JSON, or @file' }],
  examples: [['say 3f2a "Thursday is fine, too"', 'the agent sees it in its next turn']],
  run: (session, given) => {
    const text = given.text('message');
    const message = given.flag('data') ? jsonOrFile('the message', text, session.folder) : text;
    return onJobs(session, [given.text('job')], async (job) => {
      const { roles } = await session.application();
      // Only the driver knows whether a message restarts a completed job.
      if (job.outcome === 'completed' && !roles.includes(job.role))
        throw new DriverMissingError(
          `The job '${job.id}' is completed, and only the application knows whether a message restarts jobs of the role '${job.role}'. Run this command in the folder of its statek.config.ts.`,
          { role: job.role },
        );
      await job.say(message);
    });
  },
};
