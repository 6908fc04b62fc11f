// Variables as data, and what changed between two sets of them.
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { ShownSizes } from '../language.ts';
import { render } from '../wire/render.ts';

/** How much of the variables is read; what is left out is said. */
export interface LocalsOptions {
  /** Members of one value; default: 100. */
  readonly items?: number | undefined;
  /** Levels of values in values; default: 5. */
  readonly depth?: number | undefined;
  /** Characters of one text; default: 20,000. */
  readonly text?: number | undefined;
}

/** Objects and characters in all, so that even wide and deep variables end somewhere. */
const inAll = { nodes: 20_000, characters: 4_000_000 };

export function shownSizes(options: LocalsOptions): ShownSizes {
  refuseUnknownOptions('locals', options, { items: true, depth: true, text: true });
  return {
    items: wholeNumberOption('locals', 'items', options.items ?? 100, 0, 1_000_000),
    // The variables themselves are a level above their values.
    depth: wholeNumberOption('locals', 'depth', options.depth ?? 5, 0, 1000) + 1,
    text: wholeNumberOption('locals', 'text', options.text ?? 20_000, 0, 10_000_000),
    ...inAll,
  };
}

/** A variable that differs between two commits, with both values as text. */
export interface VariableDifference {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: string;
  readonly after?: string;
}

export function shownVariable(value: unknown): string {
  return render(value, { expand: 6, maxLength: 2000 });
}

/** A variable at a commit: as it is shown, and a text that is equal only for equal values. */
export interface ComparedVariable {
  readonly text: string;
  readonly exact: string | undefined;
}

/** What differs. Values that differ where they are cut look the same, and are listed all the same. */
export function diffVariables(
  before: ReadonlyMap<string, ComparedVariable>,
  after: ReadonlyMap<string, ComparedVariable>,
): VariableDifference[] {
  const differences: VariableDifference[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(name);
    const now = after.get(name);
    if (old === undefined && now !== undefined) differences.push({ name, change: 'added', after: now.text });
    else if (old !== undefined && now === undefined) differences.push({ name, change: 'removed', before: old.text });
    else if (old !== undefined && now !== undefined && (old.exact !== now.exact || old.text !== now.text))
      differences.push({ name, change: 'changed', before: old.text, after: now.text });
  }
  return differences.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
