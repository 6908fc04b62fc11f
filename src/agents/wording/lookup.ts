// Finds what a model names in its own words: by number, exact title, a fragment only one has, then what comes nearest.
import { closest } from '../../base/closest.ts';

export interface Named {
  readonly number?: number | undefined;
  readonly title: string;
}

export type Lookup<Item> =
  | { readonly found: Item }
  /** Several fit, or none does and these come near. */
  | { readonly candidates: readonly Item[] };

export function lookUp<Item extends Named>(key: string | number, items: readonly Item[]): Lookup<Item> {
  const wanted = folded(String(key));
  if (wanted === '') return { candidates: [] };
  const number = /^\d+$/.test(wanted) ? Number(wanted) : undefined;
  const stages: ((item: Item) => boolean)[] = [
    (item) => number !== undefined && item.number === number,
    (item) => item.title === key,
    (item) => folded(item.title) === wanted,
    (item) => folded(item.title).includes(wanted),
  ];
  for (const stage of stages) {
    const [first, ...others] = items.filter(stage);
    if (first !== undefined) return others.length === 0 ? { found: first } : { candidates: [first, ...others] };
  }
  const titles = closest(
    wanted,
    items.map(({ title }) => folded(title)),
    5,
  );
  const near = titles.flatMap((title) => items.filter((item) => folded(item.title) === title));
  const [only] = near;
  return near.length === 1 && only !== undefined ? { found: only } : { candidates: near };
}

function folded(text: string): string {
  return text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
}
