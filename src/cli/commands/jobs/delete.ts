// `statek delete`: removes jobs that are over, and workspaces.
import type { Command } from '../../line/command.ts';
import { jobRecord } from '../../shown/describe.ts';
import { findTarget } from '../../shown/identify.ts';
import { onEach } from './on-jobs.ts';

export const deleteCommand: Command = {
  name: 'delete',
  group: 'Act',
  summary: 'delete jobs that are over, or workspaces, with everything that was kept of them',
  arguments: [{ syntax: '<ids...>', description: 'ids of jobs, shortened or not, and names of workspaces in full' }],
  examples: [
    ['delete 3f2a', 'a job that is over; statek gc then frees what its history took'],
    ['delete analysis', 'a workspace; not while a call of it is under way, or a job uses it'],
  ],
  async run(session, given) {
    const kit = await session.kit('look');
    return onEach(session, given.list('ids'), async (text) => {
      const { id, job, workspace } = await findTarget(kit, text, { wholeNames: true });
      if (job === undefined) await kit.deleteWorkspace(id);
      else await job.delete();
      const record = job === undefined ? { workspace: workspace?.id } : jobRecord(job);
      return { id, said: 'deleted', record: { ...record, deleted: true } };
    });
  },
};
