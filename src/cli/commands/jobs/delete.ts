// `statek delete`: deletes finished jobs, and workspaces.
import type { Command } from '../../line/command.ts';
import { jobRecord } from '../../shown/describe.ts';
import { findTarget } from '../../shown/identify.ts';
import { onEach } from './on-jobs.ts';

export const deleteCommand: Command = {
  name: 'delete',
  group: 'Act',
  summary: 'delete finished jobs or workspaces, with everything stored about them',
  arguments: [{ syntax: '<ids...>', description: 'job ids, which may be shortened, and full names of workspaces' }],
  examples: [
    ['delete 3f2a', 'a finished job; statek gc then frees the space of its history'],
    ['delete analysis', 'a workspace; refused while one of its calls is running or a job uses it'],
  ],
  async run(session, given) {
    const kit = await session.kit('look');
    return onEach(session, given.list('ids'), async (text) => {
      const { id, job, workspace } = await findTarget(kit, text, { wholeNames: true });
      if (job === undefined) await kit.deleteWorkspace(id);
      else await job.delete();
      const record = job === undefined ? { workspace: workspace?.id } : jobRecord(job);
      return { id, summary: 'deleted', record: { ...record, deleted: true } };
    });
  },
};
