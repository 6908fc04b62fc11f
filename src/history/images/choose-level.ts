// Decides when a commit's pack should do more than carry its own change. A pack of level 1 replaces those of single
// commits before it, one of level 2 replaces packs of level 1, and one of level 3 everything back to the boot image. So
// the way to any image stays short however long the chain is, and what is written for it stays in proportion to what
// changed, however large the image is.
import type { Level, Lineage, PathEntry } from './lineage.ts';
import { wordBytes } from '../limits.ts';
import type { MeasuredChange } from './measure-change.ts';

/** How many packs it takes to be replaced. Reading them is what a restore costs; replacing them is what a commit pays. */
const fanOut = { 1: 32, 2: 4 };

/** Packs larger than this are worth reading one by one: what each costs by itself no longer matters beside its bytes. */
const largePack = { 1: 16 * 1024, 2: 64 * 1024 };
const mostPacks = 256;

/** Replaying this many times the bytes that one pack would have is a waste: programs change the same places again and again. */
const waste = { 1: 4, 2: 4, 3: 1.75 };

export function chooseLevel(lineage: Lineage, change: MeasuredChange): Level {
  // The larger ones come in the place of one of level 1, so that commits between them stay small.
  if (!isDue(1, lineage, change)) return 0;
  if (isWaste(3, lineage.path, lineage, change) || lineage.path.length >= mostPacks) return 3;
  return isDue(2, lineage, change) ? 2 : 1;
}

function isDue(level: 1 | 2, lineage: Lineage, change: MeasuredChange): boolean {
  const packs = lineage.since(level);
  const count = packs.filter((entry) => entry.level === level - 1).length + 1;
  if (count >= fanOut[level] && count * largePack[level] >= mergedBytes(level, lineage, change)) return true;
  return count >= mostPacks / 2 || (count >= waste[level] && isWaste(level, packs, lineage, change));
}

function isWaste(level: 1 | 2 | 3, packs: readonly PathEntry[], lineage: Lineage, change: MeasuredChange): boolean {
  const replayed = packs.reduce((sum, entry) => sum + entry.wordBytes, change.words * wordBytes);
  return replayed >= waste[level] * mergedBytes(level, lineage, change);
}

function mergedBytes(level: 1 | 2 | 3, lineage: Lineage, change: MeasuredChange): number {
  return (lineage.changedCount(level) + change.words) * wordBytes;
}
