// Calls of which nobody knows whether they had their effect: their process died over them, or they said so themselves.
import type { JobCall } from '../../jobs/door.ts';

export async function isOutcomeUnknown(call: JobCall): Promise<boolean> {
  if (call.state !== 'failed') return false;
  const error = (await call.output()) as { readonly code?: unknown; readonly name?: unknown } | undefined;
  return error?.code === 'OUTCOME_UNKNOWN' || error?.name === 'OutcomeUnknownError';
}
