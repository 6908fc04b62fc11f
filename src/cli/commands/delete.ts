// `statek delete`: removes jobs that are over.
import type { Command } from '../command.ts';
import { jobsArgument, onJobs } from './on-jobs.ts';

export const deleteCommand: Command = {
  name: 'delete',
  group: 'Act',
  summary: 'delete jobs that are over, with everything that was kept of them',
  arguments: [jobsArgument],
  examples: [['delete 3f2a', 'statek gc then frees what its history took']],
  run: (session, given) =>
    onJobs(
      session,
      given.list('jobs'),
      async (job) => {
        await job.delete();
        return { deleted: true };
      },
      () => 'deleted',
    ),
};
