// Versions of the application's code. Two of them may work on one store at once, so each job says which one it needs.
import { InvalidOptionError, described } from '../base/options.ts';

/**
 * What becomes of a job when another version of the code finds it: it goes on with the new code, starts again from its
 * beginning, or waits for a worker of the version it began with.
 */
export type OnChange = 'continue' | 'restart' | 'pin';

export const onChangeRules: readonly OnChange[] = ['continue', 'restart', 'pin'];

const maxParts = 6;
const pattern = /^\d{1,15}(\.\d{1,15})*$/;

/** A version as it is kept: dotted numbers without leading zeros. Anything that has no order is refused. */
export function versionOption(where: string, given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const text = typeof given === 'number' && Number.isSafeInteger(given) && given >= 0 ? String(given) : given;
  if (typeof text !== 'string' || !pattern.test(text) || text.split('.').length > maxParts)
    throw new InvalidOptionError(
      `${where}: option 'version' must be a whole number or up to ${maxParts} numbers with dots between them, such as 7 or '2026.11.1', not ${described(given)}. Versions are compared number by number, so that workers know which code is newer.`,
      { where, name: 'version' },
    );
  return text.split('.').map(Number).join('.');
}

/** Below zero if the first one is older. What is missing counts as 0: 1.2 and 1.2.0 are the same. */
export function compareVersions(first: string, second: string): number {
  const [one, other] = [first.split('.'), second.split('.')];
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = Number(one[index] ?? 0) - Number(other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** What a job needs of the code that works on it. */
export interface VersionNeed {
  /** This version or a later one. */
  readonly needs?: string | undefined;
  /** This version and no other. */
  readonly pinned?: true | undefined;
}

/** Whether code of a version may work on a job. Code without one is older than any that has one. */
export function meetsNeed({ needs, pinned }: VersionNeed, own: string | undefined): boolean {
  if (needs === undefined) return true;
  if (own === undefined) return false;
  const order = compareVersions(own, needs);
  return pinned === true ? order === 0 : order >= 0;
}
