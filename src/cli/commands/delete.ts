// `statek delete`: removes jobs that are over, and workspaces.
import type { Command } from '../command.ts';
import { jobRecord, shownId } from '../describe.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import { findTarget } from '../identify.ts';
import { harmless } from '../output/style.ts';

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
    const { out } = session;
    const kit = await session.kit('look');
    const ids = given.list('ids');
    const done: unknown[] = [];
    let code: number = exitCodes.ok;
    // One that fails does not keep the others from being tried.
    for (const text of ids) {
      try {
        const { id, job, workspace } = await findTarget(kit, text, { wholeNames: true });
        if (job === undefined) await kit.deleteWorkspace(id);
        else await job.delete();
        done.push({ ...(job === undefined ? { workspace: workspace?.id } : jobRecord(job)), deleted: true });
        if (!out.isJson) out.line(`${shownId(id, out)}: deleted`);
      } catch (error) {
        if (ids.length === 1) throw error;
        code = Math.max(code, exitCodeOf(error));
        out.note(`${(error as { code?: string }).code ?? 'ERROR'}: ${harmless((error as Error).message)}`);
      }
    }
    if (out.isJson) out.json(ids.length === 1 ? done[0] : done);
    return code;
  },
};
