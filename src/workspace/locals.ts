// Variables as data, and what changed between two sets of them.
import { render } from './render.ts';

export interface VariableDifference {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: string;
  readonly after?: string;
}

/** Compares variables by what is shown of them. */
export function diffVariables(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): VariableDifference[] {
  const differences: VariableDifference[] = [];
  const show = (value: unknown): string => render(value, { expand: 6, maxLength: 2000 });
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const old = before.has(name) ? show(before.get(name)) : undefined;
    const now = after.has(name) ? show(after.get(name)) : undefined;
    if (old === undefined && now !== undefined) differences.push({ name, change: 'added', after: now });
    else if (old !== undefined && now === undefined) differences.push({ name, change: 'removed', before: old });
    else if (old !== undefined && now !== undefined && old !== now)
      differences.push({ name, change: 'changed', before: old, after: now });
  }
  return differences.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
