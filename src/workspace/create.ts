// Makes a workspace: its chain of commits, its row, and the item whose lease says who runs it.
import { randomBytes } from 'node:crypto';
import { InvalidOptionError } from '../base/options.ts';
import type { KitContext } from './context.ts';
import type { WorkspaceLimits } from './limits.ts';
import { bootOf } from './loaded.ts';
import { runRows, workspaceRows, type CommitMetadata, type WorkspaceRow } from './rows.ts';

/** False if it was there already. */
export async function createWorkspace(
  { store, history, language, clock }: KitContext,
  id: string,
  limits: WorkspaceLimits,
): Promise<boolean> {
  if (typeof id !== 'string' || id === '' || id.length > 200)
    throw new InvalidOptionError('A workspace needs a name of 1 to 200 characters.', { name: id });
  const exists = async (): Promise<boolean> => (await store.read(workspaceRows, [[id]]))[0] !== undefined;
  if (await exists()) return false;
  const state = { current: null, slices: 0, waiting: [], console: [] };
  const metadata: CommitMetadata = { kind: 'created', step: null, lines: 0, state };
  const prepared = await history.create(id, bootOf(language), metadata as never);
  const row: WorkspaceRow = {
    id,
    language: language.name,
    secret: randomBytes(32).toString('base64'),
    limits,
    bindings: [],
    created: clock.now(),
    nextStep: 1,
    nextFuture: 1,
    state,
  };
  const [result] = await store.commit([
    {
      checks: [...prepared.checks, { kind: 'absent', collection: workspaceRows, key: [id] }],
      writes: [
        ...prepared.writes,
        { kind: 'put', collection: workspaceRows, key: [id], value: row },
        { kind: 'put', collection: runRows, key: [id], value: { workspace: id } },
      ],
    },
  ]);
  if (result?.status === 'committed') return true;
  // Somebody else made it at the same moment; or something of the boot image changed, and another try will see it.
  return (await exists()) ? false : createWorkspace({ store, history, language, clock } as KitContext, id, limits);
}
