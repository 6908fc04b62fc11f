// Failures of the store: those that pass by themselves (it cannot be reached, it is busy, its disk is full), and those after
// which this process must not go on.

const outages: ReadonlySet<string> = new Set([
  'STORE_UNAVAILABLE',
  'STORE_UNKNOWN_OUTCOME',
  'STORE_BUSY',
  'STORE_FULL',
]);

export function isOutage(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && outages.has(code);
}

/** The store was closed, or is no longer the one this process has worked on. No retry helps. */
export function isEndOfStore(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'STORE_CLOSED' || code === 'STORE_ROLLED_BACK';
}
