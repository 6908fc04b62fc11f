// Children of a job that has ended.
import { scanAll } from '../../store/door.ts';
import { forkThatWaits, futureRows } from '../../workspace/door.ts';
import { requestCancel } from './control.ts';
import { jobIndexRows, type JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';

/** A fork of the parent waits for its result. */
async function isNeededByFork({ store }: JobSystem, { parent }: JobRow): Promise<boolean> {
  if (parent?.future === undefined) return false;
  const [future] = await store.read(futureRows, [[parent.workspace ?? parent.job, parent.future]]);
  return future !== undefined && (await forkThatWaits(store, future.value)) !== undefined;
}

/** Cancels the children that do not outlive their parent. May be done again. */
export async function cancelChildren(system: JobSystem, { id, outcome }: JobRow): Promise<void> {
  for await (const { key } of scanAll(system.store, jobIndexRows, { prefix: ['parent', id] })) {
    const child = String(key.at(-1));
    const known = await system.read(child);
    if (known === undefined || known.row.status === 'DONE' || known.row.whenParentEnds === 'keep') continue;
    if (await isNeededByFork(system, known.row)) continue;
    await requestCancel(system, child, `The job that started it, '${id}', has ended (${outcome ?? ''}).`);
  }
}
