// Failures of the store that pass by themselves: it cannot be reached, it is busy, its disk is full.

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
