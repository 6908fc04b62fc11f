// Sets of specifiers, their ids, and the subsets of a set that something is kept under.
import { createHash } from 'node:crypto';
import { InvalidOptionError } from '../../base/options.ts';
import { idOf } from '../../objects/door.ts';
import type { Store } from '../../store/door.ts';
import { edgeRows } from './rows.ts';

/** A set of specifiers as a path: each id stands for the specifiers up to there. */
export interface MemoryContext {
  /** Sorted, each once: `s:` and a string, or `o:` and the id of a durable object. */
  readonly specifiers: readonly string[];
  /** From the root, which has no specifiers, to the whole set. */
  readonly path: readonly string[];
  readonly id: string;
}

const maxSpecifiers = 32;
const maxSpecifierLength = 500;

export function contextOf(given: readonly (string | object)[], form: 'given' | 'stored' = 'given'): MemoryContext {
  const all = form === 'stored' ? (given as readonly string[]) : given.map(specifierOf);
  const specifiers = [...new Set(all)].toSorted();
  if (specifiers.length > maxSpecifiers)
    throw new InvalidOptionError(`Memory: ${specifiers.length} specifiers are given; at most ${maxSpecifiers} can be.`);
  const path = Array.from({ length: specifiers.length + 1 }, (_, length) => idFor(specifiers.slice(0, length)));
  return { specifiers, path, id: path.at(-1) as string };
}

function specifierOf(given: string | object): string {
  if (typeof given !== 'string') return `o:${idOf(given)}`;
  if (given === '' || given.length > maxSpecifierLength)
    throw new InvalidOptionError(
      `Memory: a specifier is a text of 1 to ${maxSpecifierLength} characters or a durable object.`,
      {
        specifier: given,
      },
    );
  return `s:${given}`;
}

function idFor(specifiers: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(specifiers)).digest('base64url');
}

/** The ids of the contexts whose specifiers are all in this set: one read per length, of keys that may be there. */
export async function subsetsOf(store: Store, { specifiers }: MemoryContext): Promise<string[]> {
  const found: string[] = [idFor([])];
  let reached: { readonly id: string; readonly chosen: readonly number[] }[] = [{ id: idFor([]), chosen: [] }];
  while (reached.length > 0) {
    const steps = reached.flatMap(({ id, chosen }) => {
      const first = (chosen.at(-1) ?? -1) + 1;
      return specifiers.slice(first).map((_, offset) => {
        const next = [...chosen, first + offset];
        return { from: id, id: idFor(next.map((index) => specifiers[index] as string)), chosen: next };
      });
    });
    if (steps.length === 0) break;
    const edges = await store.read(
      edgeRows,
      steps.map(({ from, id }) => [from, id]),
    );
    reached = steps.filter((_, index) => edges[index] !== undefined);
    found.push(...reached.map(({ id }) => id));
  }
  return found;
}
