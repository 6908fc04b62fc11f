// Decides when a commit's pack should do more than carry its own change. A pack of level 1 replaces the packs of single
// commits before it, one of level 2 replaces packs of level 1, and so on. So the way to any image stays short however
// long the chain is, and what is written for it stays in proportion to what changed, however large the image is.
import type { Lineage } from './lineage.ts';
import { wordBytes } from './limits.ts';
import type { MeasuredChange } from './measure-change.ts';

/** How many packs of one level it takes to be replaced. Reading them is what a restore costs; replacing them is what a commit pays. */
const fanOut = (level: number): number => (level === 1 ? 32 : 4);

/** Packs larger than this are worth reading one by one: what each costs by itself no longer matters beside its bytes. */
const largePack = (level: number): number => 16 * 1024 * 4 ** (level - 1);
const mostPacks = 256;

/**
 * Replaying this many times the bytes that a replacement would have is a waste: programs change the same places over and
 * over. Changes of single commits come often, so they are given more time.
 */
const waste = (level: number): number => (level === 1 ? 4 : 2);

export function chooseLevel(lineage: Lineage, change: MeasuredChange): number {
  let level = 0;
  while (level < lineage.highestLevel && isDue(level + 1, lineage, change)) level++;
  return level;
}

function isDue(level: number, lineage: Lineage, change: MeasuredChange): boolean {
  const replaced = lineage.replacedBy(level);
  const count = replaced.filter((entry) => entry.level === level - 1).length + 1;
  const own = change.words * wordBytes;
  const merged = lineage.changedSince(level) * wordBytes + own;
  const replayed = replaced.reduce((sum, entry) => sum + entry.wordBytes, own);
  return (
    (count >= fanOut(level) && count * largePack(level) >= merged) ||
    count >= mostPacks ||
    (count >= waste(level) && replayed >= waste(level) * merged)
  );
}
