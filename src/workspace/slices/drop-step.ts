// A step that waits, and that nobody will go on with: it is over, without any of it being run. The program keeps what it has.
import type { Lease } from '../../store/door.ts';
import { cancellations } from '../futures/cancel.ts';
import { StaleWorkspace } from './retries.ts';
import type { WorkspaceContext } from '../context.ts';
import type { Loaded } from './loaded.ts';
import { futureRows, stepRows, workspaceRows, type StepRow, type WorkspaceRow } from '../rows.ts';
import { without } from './undo.ts';

export async function dropStep(context: WorkspaceContext, { row, revision }: Loaded, lease: Lease): Promise<void> {
  const { store, clock } = context;
  const { current, waiting } = row.state;
  if (current === null) return;
  const [step] = await store.read(stepRows, [[row.id, current]]);
  const entries = await store.read(
    futureRows,
    waiting.map(({ workspace, number }) => [workspace, number]),
  );
  // What earlier steps left running is waited for as before.
  const own = waiting.filter((_, index) => entries[index]?.value.step === current);
  const cancelled = await cancellations(context, row.id, own, `step ${current} was dropped while it waited.`);
  const after: WorkspaceRow = {
    ...row,
    state: { ...row.state, current: null, slices: 0, waiting: without(waiting, own) },
  };
  const error = { name: 'CancelledError', message: 'The step was dropped while it waited.', code: 'CANCELLED' };
  const failed: StepRow | undefined = step && { ...step.value, status: 'failed', error, ended: clock.now() };
  const [result] = await store.commit([
    {
      checks: [
        { kind: 'revision', collection: workspaceRows, key: [row.id], revision: revision ?? 0 },
        ...cancelled.checks,
      ],
      leases: [{ lease, afterwards: 'keep' }],
      writes: [
        { kind: 'put', collection: workspaceRows, key: [row.id], value: after },
        ...(failed === undefined
          ? []
          : [{ kind: 'put' as const, collection: stepRows, key: [row.id, current], value: failed }]),
        ...cancelled.writes,
      ],
    },
  ]);
  if (result?.status !== 'committed') throw new StaleWorkspace(result?.conflict);
}
