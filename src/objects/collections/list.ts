// Lists of encoded values: small ones inline in their record, large ones in a tree of parts. Every change returns a new
// root; the old one must not be used any more, because its parts may be gone.
import type { Parts } from './parts.ts';
import { childrenOf, contentOf, destroy, locate, TreeEdit } from './list-tree.ts';
import type { Child, Children } from './list-tree.ts';
import { inlineAgain, inlineCapacity, totalWeight } from './weight.ts';

interface InlineList {
  readonly items: readonly unknown[];
}

interface TreeList {
  readonly size: number;
  /** The number of the next new part. */
  readonly next: number;
  /** Levels of parts below this record; at 1 the children are leaves. */
  readonly height: number;
  readonly children: Children;
}

/** The record of a list. */
export type ListRoot = InlineList | TreeList;

export const emptyList: ListRoot = { items: [] };

export function listCreate(parts: Parts, values: readonly unknown[]): ListRoot {
  if (totalWeight(values) <= inlineCapacity) return { items: [...values] };
  const edit = new TreeEdit(parts, 0);
  const tree = edit.grow(edit.leaves(values), 1, 'even');
  return { size: values.length, next: edit.next, ...tree };
}

export function listSize(root: ListRoot): number {
  return isInline(root) ? root.items.length : root.size;
}

/** Undefined if the index is out of range. */
export function listGet(parts: Parts, root: ListRoot, index: number): unknown {
  if (!isIndex(index, listSize(root))) return undefined;
  const { elements, start } = run(parts, root, index);
  return elements[index - start];
}

/** Returns the same root if the list is in parts and only one part had to be written. */
export function listSet(parts: Parts, root: ListRoot, index: number, value: unknown): ListRoot {
  if (!isIndex(index, listSize(root))) throw outside(index, root);
  return listSplice(parts, root, index, 1, [value]);
}

/** Inserts before `index`; at the end if it is the size. */
export function listInsert(parts: Parts, root: ListRoot, index: number, values: readonly unknown[]): ListRoot {
  return listSplice(parts, root, index, 0, values);
}

/** Removes up to `count` elements from `index` on. */
export function listRemove(parts: Parts, root: ListRoot, index: number, count: number): ListRoot {
  return listSplice(parts, root, index, count, []);
}

/** Replaces up to `count` elements from `index` on. */
export function listSplice(
  parts: Parts,
  root: ListRoot,
  index: number,
  count: number,
  values: readonly unknown[],
): ListRoot {
  const size = listSize(root);
  if (!isIndex(index, size + 1)) throw outside(index, root);
  const deleteCount = Math.max(0, Math.min(count, size - index));
  if (deleteCount === 0 && values.length === 0) return root;
  if (isInline(root)) {
    const { items } = root;
    return listCreate(parts, [...items.slice(0, index), ...values, ...items.slice(index + deleteCount)]);
  }
  if (deleteCount === size) {
    listDestroy(parts, root);
    return listCreate(parts, values);
  }
  const edit = new TreeEdit(parts, root.next);
  const fill = deleteCount === 0 && index === size ? 'append' : 'even';
  const children = edit.splice(root.children, root.height, { start: index, deleteCount, values, fill });
  // Even if all counts are unchanged, a part may have been split, which used up a part number.
  if (children === root.children && edit.next === root.next) return settle(parts, root);
  const tree = edit.grow(children, root.height, fill);
  return settle(parts, { size: size - deleteCount + values.length, next: edit.next, ...tree });
}

/** The elements from `start` to `end` (exclusive), clamped to the list. */
export function listSlice(parts: Parts, root: ListRoot, start: number, end: number): unknown[] {
  const stop = Math.min(end, listSize(root));
  const found: unknown[] = [];
  for (let index = Math.max(0, start); index < stop;) {
    const { elements, start: runStart } = run(parts, root, index);
    for (const element of elements.slice(index - runStart, stop - runStart)) found.push(element);
    index = runStart + elements.length;
  }
  return found;
}

/**
 * Iterates from an index like an array iterator: by position in the current list. Without `changes`, each step looks up
 * the part again. With `changes` (a counter of changes to the list), only after a change, so that a part is read once.
 */
export function* listIterate(
  parts: Parts,
  current: () => ListRoot,
  from = 0,
  changes?: () => number,
): Generator<unknown, void, undefined> {
  let elements: readonly unknown[] = [];
  let start = 0;
  let seen: number | undefined;
  for (let index = from; ; index++) {
    const now = changes?.();
    if (now === undefined || now !== seen || index >= start + elements.length) {
      const root = current();
      if (index >= listSize(root)) return;
      ({ elements, start } = run(parts, root, index));
      seen = now;
    }
    yield elements[index - start];
  }
}

/** Removes all parts. The remaining list is `emptyList`. */
export function listDestroy(parts: Parts, root: ListRoot): void {
  if (isInline(root)) return;
  for (const child of root.children) destroy(parts, child, root.height);
}

function isInline(root: ListRoot): root is InlineList {
  return 'items' in root;
}

/** The elements stored together with the one at `index`, and the index of the first. */
function run(parts: Parts, root: ListRoot, index: number): { elements: readonly unknown[]; start: number } {
  if (isInline(root)) return { elements: root.items, start: 0 };
  let { children } = root;
  let offset = index;
  for (let height = root.height; ; height--) {
    const place = locate(children, offset);
    const child = children[place.child] as Child;
    offset = place.offset;
    if (height === 1) return { elements: contentOf(parts, child, height), start: index - offset };
    children = childrenOf(parts, child, height);
  }
}

/** Removes superfluous levels, and the tree itself if the elements fit inline. */
function settle(parts: Parts, root: TreeList): ListRoot {
  const [only, another] = root.children;
  if (only === undefined) return emptyList;
  if (another !== undefined) return root;
  if (root.height > 1) {
    const children = childrenOf(parts, only, root.height);
    parts.remove([only[0]]);
    return settle(parts, { ...root, height: root.height - 1, children });
  }
  const elements = contentOf(parts, only, 1);
  if (totalWeight(elements) > inlineAgain) return root;
  parts.remove([only[0]]);
  return { items: elements };
}

function isIndex(index: number, size: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < size;
}

function outside(index: number, root: ListRoot): RangeError {
  return new RangeError(`Index ${index} is out of range in a list of ${listSize(root)} elements.`);
}
