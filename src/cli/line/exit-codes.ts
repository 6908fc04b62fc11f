// Exit codes, for scripts; docs/cli.md documents them.
import { Interrupted } from './errors.ts';

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  interrupted: 130,
  terminated: 143,
} as const;

const codes: Readonly<Record<string, number>> = {
  USAGE: exitCodes.usage,
  CONFIG: exitCodes.usage,
  SETTINGS: exitCodes.usage,
  INVALID_OPTION: exitCodes.usage,
  MODEL_SETTINGS: exitCodes.usage,
  AMBIGUOUS: exitCodes.usage,
  NOT_FOUND: exitCodes.notFound,
  HISTORY_UNKNOWN_CHAIN: exitCodes.notFound,
  HISTORY_UNKNOWN_COMMIT: exitCodes.notFound,
  STATE_NOT_FOUND: exitCodes.notFound,
  STATE_ARGUMENT: exitCodes.usage,
  STATE_TRANSITION: exitCodes.refused,
  STATE_CONFLICT: exitCodes.refused,
  REFUSED: exitCodes.refused,
  JOB_STATE: exitCodes.refused,
  IMPORT_CONFLICT: exitCodes.refused,
  DRIVER_MISSING: exitCodes.refused,
  WORKSPACE_BUSY: exitCodes.refused,
  WORKSPACE_STATE: exitCodes.refused,
  WORKSPACE_TAKEN: exitCodes.refused,
  READ_ONLY: exitCodes.refused,
  HISTORY_CHAIN_EXISTS: exitCodes.refused,
  HISTORY_COLLECTOR_REPLACED: exitCodes.refused,
  STORE_CONFLICT: exitCodes.refused,
  STORE_BUSY: exitCodes.refused,
  STORE_PERMISSION: exitCodes.refused,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) {
    if (error.signalName === 'SIGPIPE') return exitCodes.ok;
    return error.signalName === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? (codes[code] ?? exitCodes.failed) : exitCodes.failed;
}
