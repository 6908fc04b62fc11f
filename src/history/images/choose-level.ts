// Decides when a commit's pack also includes earlier changes. A pack of level 1 replaces those of single commits before
// it, level 2 replaces packs of level 1, and level 3 everything back to the boot image. So the path to any image stays
// short in a long chain, and the written bytes stay proportional to the changes, whatever the size of the image.
import type { Level, Lineage, PathEntry } from './lineage.ts';
import { wordBytes } from '../limits.ts';
import type { MeasuredChange } from './measure-change.ts';

/** How many packs are replaced by one. More packs make restoring slower; replacing them makes a commit slower. */
const fanOut = { 1: 32, 2: 4 };

/** For larger packs, the cost per pack is negligible compared to their bytes, so they need not be merged. */
const largePack = { 1: 16 * 1024, 2: 64 * 1024 };
const maxPacks = 256;

/** Maximum ratio of replayed bytes to the bytes of one merged pack: programs often change the same words repeatedly. */
const maxOverhead = { 1: 4, 2: 4, 3: 1.75 };

/** Replaying so few bytes costs less than storing them once more: small packs are compressed with the help of the one before. */
const cheapReplay = 24 * 1024;

export function chooseLevel(lineage: Lineage, change: MeasuredChange): Level {
  // A higher level takes the place of one of level 1, so that commits in between stay small.
  if (!isDue(1, lineage, change)) return 0;
  if (exceedsOverhead(3, lineage.path, lineage, change) || lineage.path.length >= maxPacks) return 3;
  return isDue(2, lineage, change) ? 2 : 1;
}

function isDue(level: 1 | 2, lineage: Lineage, change: MeasuredChange): boolean {
  const packs = lineage.since(level);
  const count = packs.filter((entry) => entry.level === level - 1).length + 1;
  if (count >= fanOut[level] && count * largePack[level] >= mergedBytes(level, lineage, change)) return true;
  return count >= maxPacks / 2 || (count >= maxOverhead[level] && exceedsOverhead(level, packs, lineage, change));
}

function exceedsOverhead(
  level: 1 | 2 | 3,
  packs: readonly PathEntry[],
  lineage: Lineage,
  change: MeasuredChange,
): boolean {
  const replayed = packs.reduce((sum, entry) => sum + entry.wordBytes, change.words * wordBytes);
  return replayed >= Math.max(cheapReplay, maxOverhead[level] * mergedBytes(level, lineage, change));
}

function mergedBytes(level: 1 | 2 | 3, lineage: Lineage, change: MeasuredChange): number {
  return (lineage.changedCount(level) + change.words) * wordBytes;
}
