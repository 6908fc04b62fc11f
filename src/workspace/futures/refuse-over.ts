// Refuses answers and decisions for what nobody waits for any more: they would succeed and do nothing.
import type { WorkspaceContext } from '../context.ts';
import { WorkspaceStateError } from '../errors.ts';
import { futureId, type FutureRow } from '../rows.ts';
import { whyCancelled } from './cancel.ts';

export async function refuseOver({ owners }: Pick<WorkspaceContext, 'owners'>, future: FutureRow): Promise<void> {
  const id = futureId(future);
  if (future.state === 'cancelled')
    throw new WorkspaceStateError(`Nobody waits for '${id}': ${whyCancelled(future)}`, { id });
  if (future.outcome !== undefined) return;
  const why = await owners.whyOver(future.workspace, future.owner);
  if (why === undefined) return;
  // A fork may wait for it too.
  for (const fork of future.sharedWith) if ((await owners.whyOver(fork, undefined)) === undefined) return;
  throw new WorkspaceStateError(`Nobody waits for '${id}' (${future.label}): ${why}`, { id });
}
