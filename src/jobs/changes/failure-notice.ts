// Telling a driver that one of its jobs ended without a result, so that it can clean up. What it throws harms nobody.
import type { JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';

export async function sendFailureNotice(
  system: JobSystem,
  row: JobRow,
  { outcome, error = { name: 'Error', message: 'The job failed.' } }: NonNullable<JobRow['telling']>,
  again: boolean,
): Promise<void> {
  const call = {
    workspace: row.id,
    idempotencyKey: `${row.id}/failed/${row.ended ?? 0}`,
    attempt: again ? 2 : 1,
    abortSignal: new AbortController().signal,
  };
  try {
    await system.driver(row.role).failed?.({ id: row.id, outcome, error, state: row.state, again }, call);
  } catch (thrown) {
    process.emitWarning(
      `The driver '${row.role}' threw when it was told of a failed job: ${String(thrown)}`,
      'StatekWarning',
    );
  }
}
