// The path to an image: the packs to apply to the boot image, in order. Every commit record has its whole path, so that
// all packs can be read in one batch and garbage collection need not open packs.

/** The address of a pack: the chain and sequence of its commit. */
export interface Address {
  readonly chain: string;
  readonly sequence: number;
}

/**
 * A stored path: per chain, runs of sequences as first, stride, count. Packs follow each other at regular distances, so
 * this stays short.
 */
export type StoredPath = readonly (readonly [chain: string, ...runs: number[]])[];

export function storePath(path: readonly Address[]): StoredPath {
  const stored: [string, ...number[]][] = [];
  for (const { chain, sequence } of path) {
    const segment = stored.at(-1);
    if (segment === undefined || segment[0] !== chain) {
      stored.push([chain, sequence, 1, 1]);
      continue;
    }
    const [first, stride, count] = segment.slice(-3) as [number, number, number];
    if (count === 1 || sequence === first + stride * count) {
      segment.splice(-2, 2, count === 1 ? sequence - first : stride, count + 1);
    } else {
      segment.push(sequence, 1, 1);
    }
  }
  return stored;
}

export function readPath(stored: StoredPath): Address[] {
  const path: Address[] = [];
  for (const [chain, ...runs] of stored) {
    for (let run = 0; run < runs.length; run += 3) {
      const [first, stride, count] = runs.slice(run, run + 3) as [number, number, number];
      for (let step = 0; step < count; step++) path.push({ chain, sequence: first + stride * step });
    }
  }
  return path;
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.sequence === b.sequence && a.chain === b.chain;
}

/** An address as a key of a set. */
export function addressName({ chain, sequence }: Address): string {
  return `${chain} ${sequence}`;
}
