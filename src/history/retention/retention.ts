// Decides which commits a chain keeps. A pure function; drop-commits.ts does the dropping.
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { RetentionPolicy } from '../history.ts';
import { addressName, readPath, type StoredPath } from '../images/path.ts';

const day = 24 * 60 * 60 * 1000;

/** A thousand commits or a week, within half a gigabyte per chain. */
export const defaultRetention: RetentionPolicy = { last: 1000, youngerThan: 7 * day, bytes: 512 * 1024 * 1024 };

/** What retention needs to know about a commit. */
export interface Candidate {
  readonly chain: string;
  readonly sequence: number;
  readonly time: number;
  readonly path: StoredPath;
}

/**
 * Which commits to drop.
 * @param candidates all commits of the chain, oldest first
 * @param tagged sequences of tagged commits
 * @param packBytes the stored size of each pack, by address name
 */
export function planRetention<C extends Candidate>(
  candidates: readonly C[],
  tagged: ReadonlySet<number>,
  packBytes: ReadonlyMap<string, number>,
  policy: RetentionPolicy,
  now: number,
): C[] {
  const head = candidates.at(-1)?.sequence;
  const must = (commit: C): boolean => commit.sequence === head || tagged.has(commit.sequence);
  const firstOfLast = candidates.length - (policy.last ?? 0);
  const may = (commit: C, index: number): boolean =>
    (policy.last === undefined && policy.youngerThan === undefined) ||
    (policy.last !== undefined && index >= firstOfLast) ||
    (policy.youngerThan !== undefined && now - commit.time < policy.youngerThan);

  const kept = new Set<C>();
  const needed = new Set<string>();
  let bytes = 0;
  const keep = (commit: C): void => {
    kept.add(commit);
    for (const name of unknownPacks(commit, needed)) {
      needed.add(name);
      bytes += packBytes.get(name) ?? 0;
    }
  };
  for (const commit of candidates) if (must(commit)) keep(commit);
  const limit = policy.bytes ?? Infinity;
  for (let index = candidates.length - 1; index >= 0; index--) {
    const commit = candidates[index] as C;
    if (kept.has(commit) || !may(commit, index)) continue;
    const more = unknownPacks(commit, needed).reduce((sum, name) => sum + (packBytes.get(name) ?? 0), 0);
    // Stops at the first commit that does not fit, because a history with gaps would be surprising.
    if (bytes + more > limit) break;
    keep(commit);
  }
  return candidates.filter((commit) => !kept.has(commit));
}

export function checkPolicy(policy: RetentionPolicy): RetentionPolicy {
  refuseUnknownOptions('A retention policy', policy, { last: true, youngerThan: true, bytes: true });
  for (const name of ['last', 'youngerThan', 'bytes'] as const) {
    const value = policy[name];
    if (value !== undefined) wholeNumberOption('A retention policy', name, value, 0, Number.MAX_SAFE_INTEGER);
  }
  return policy;
}

/**
 * The packs of a commit's path that are not in `known`. The path of a pack never changes, so everything before a known
 * pack is known too.
 */
export function unknownPacks({ path }: { readonly path: StoredPath }, known: ReadonlySet<string>): string[] {
  const names: string[] = [];
  for (const address of readPath(path).toReversed()) {
    const name = addressName(address);
    if (known.has(name)) break;
    names.push(name);
  }
  return names;
}
