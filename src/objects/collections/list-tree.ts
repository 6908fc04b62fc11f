// A list in parts: a counted B+ tree. Nodes store how many elements are under each child. Changing an element writes only
// its leaf; inserting one writes its leaf and the counts on the path to it.
import { damaged, readPart } from './parts.ts';
import type { Parts } from './parts.ts';
import { packElements, partCapacity, partMinimum, totalWeight } from './weight.ts';

/** The number of a part, and how many elements are in or under it. */
export type Child = readonly [part: number, count: number];
export type Children = readonly Child[];

/** The content of a part: the elements of a leaf, or the children of an inner node. Height 1 is the leaf level. */
type Content = readonly unknown[];

/** Replaces `deleteCount` elements at `start`; `fill` is how overflowing parts are split. */
export interface Change {
  readonly start: number;
  readonly deleteCount: number;
  readonly values: readonly unknown[];
  readonly fill: 'even' | 'append';
}

const fanOut = 128;

export function contentOf(parts: Parts, [part, count]: Child, height: number): Content {
  const content = readPart(parts, [part]);
  if (!Array.isArray(content)) throw damaged([part], 'is not a part of a list');
  if (height === 1 && content.length !== count) {
    throw damaged([part], `holds ${content.length} elements, not ${count}`);
  }
  return content as Content;
}

export function childrenOf(parts: Parts, child: Child, height: number): Children {
  return contentOf(parts, child, height) as Children;
}

/** The child with the element at `index`, and the index in it. With `append`, also the child that ends at `index`. */
export function locate(children: Children, index: number, append = false): { child: number; offset: number } {
  let offset = index;
  for (let child = 0; child < children.length; child++) {
    const [, count] = children[child] as Child;
    if (offset < count || (append && offset === count)) return { child, offset };
    offset -= count;
  }
  throw damaged([children[0]?.[0] ?? -1], `and those after it have no element ${index}, although their node counts it`);
}

/** Removes a part and everything below it. */
export function destroy(parts: Parts, child: Child, height: number): void {
  if (height > 1) {
    for (const below of childrenOf(parts, child, height)) destroy(parts, below, height - 1);
  }
  parts.remove([child[0]]);
}

/** One change of a tree: writes parts and returns the new children. */
export class TreeEdit {
  readonly parts: Parts;
  /** The number of the next new part. */
  next: number;

  constructor(parts: Parts, next: number) {
    this.parts = parts;
    this.next = next;
  }

  /** The children after the change: the same array if no count and no part number has changed. */
  splice(children: Children, height: number, change: Change): Children {
    const { start, deleteCount } = change;
    const first = locate(children, start, deleteCount === 0);
    const last = deleteCount === 0 ? first : locate(children, start + deleteCount - 1);
    for (const child of children.slice(first.child + 1, last.child)) destroy(this.parts, child, height);

    const touched = [first, last]
      .slice(0, first.child === last.child ? 1 : 2)
      .map(({ child }) => children[child] as Child);
    const contents = touched.map((child) => contentOf(this.parts, child, height));
    const end = last.offset + (deleteCount === 0 ? 0 : 1);
    const content =
      height === 1
        ? (contents[0] as Content).slice(0, first.offset).concat(change.values, (contents.at(-1) as Content).slice(end))
        : this.#spliceBelow(touched, contents as Children[], height - 1, { ...change, start: first.offset }, end);

    if (content === contents[0]) return children;

    const replacement = this.#store(touched, contents, this.#cut(content, height, change.fill), height);
    const result = children.slice(0, first.child).concat(replacement, children.slice(last.child + 1));
    // Appending may leave a small last leaf, which is likely to grow.
    const suspect =
      touched.length > 1 ||
      (replacement.length > 1 && change.fill === 'even') ||
      (height > 1
        ? content.length < (contents[0] as Content).length
        : totalWeight((contents[0] as Content).slice(first.offset, end)) > totalWeight(change.values));
    const mended = suspect ? this.#mendAround(result, first.child, replacement.length, height) : result;
    return same(mended, children) ? children : mended;
  }

  /** Adds levels until the children fit into the root. */
  grow(children: Children, height: number, fill: 'even' | 'append'): { children: Children; height: number } {
    if (children.length <= fanOut) return { children, height };
    return this.grow(this.#store([], [], cutNodes(children, fill), height + 1), height + 1, fill);
  }

  /** The leaves of new elements. */
  leaves(values: readonly unknown[]): Children {
    return this.#store([], [], packElements([...values], 'even'), 1);
  }

  #spliceBelow(
    touched: Children,
    contents: readonly Children[],
    height: number,
    change: Change,
    end: number,
  ): Children {
    const [left, right] = contents as [Children, Children?];
    if (right === undefined) return this.splice(left, height, change);
    // The removed range spans two nodes: cut both, then join the rest.
    const kept = this.splice(left, height, { ...change, deleteCount: (touched[0] as Child)[1] - change.start });
    const rest = this.splice(right, height, { ...change, start: 0, deleteCount: end, values: [] });
    return this.#mendAround([...kept, ...rest], kept.length, 0, height);
  }

  #cut(content: Content, height: number, fill: 'even' | 'append'): readonly Content[] {
    return height === 1 ? packElements(content, fill) : cutNodes(content as Children, fill);
  }

  // Writes pieces in place of the replaced parts, reusing their numbers.
  #store(replaced: Children, before: readonly Content[], pieces: readonly Content[], height: number): Child[] {
    for (const [part] of replaced.slice(pieces.length)) this.parts.remove([part]);
    return pieces.map((piece, index) => {
      const old = replaced[index];
      const child: Child = [old?.[0] ?? this.next++, countOf(piece, height)];
      if (old === undefined || !same(piece, before[index] as Content)) this.parts.write([child[0]], piece);
      return old?.[1] === child[1] ? old : child;
    });
  }

  // Checks the first and last of `count` children from `start`, or the neighbours of that position if there are none. The
  // children in between were packed, so no two of them are small.
  #mendAround(children: Children, start: number, count: number, height: number): Children {
    const [from, to] = count === 0 ? [start - 1, start] : [start, start + count - 1];
    const mended = this.#mend(children, to, height);
    return from === to ? mended : this.#mend(mended, from, height);
  }

  // Merges a child that is less than a quarter full with a neighbour, if they fit into one part.
  #mend(children: Children, index: number, height: number): Children {
    const child = children[index];
    if (child === undefined) return children;
    const fill = fillOf(contentOf(this.parts, child, height), height);
    const [minimum, capacity] = height === 1 ? [partMinimum, partCapacity] : [fanOut / 4, fanOut];
    if (fill >= minimum) return children;
    for (const at of [index - 1, index]) {
      const [left, right] = [children[at], children[at + 1]];
      if (left === undefined || right === undefined) continue;
      const contents = [left, right].map((side) => contentOf(this.parts, side, height)) as [Content, Content];
      if (fillOf(contents[0], height) + fillOf(contents[1], height) > capacity) continue;
      const joined = [...contents[0], ...contents[1]];
      // Children of the two nodes are now adjacent and may need merging themselves.
      const merged = height === 1 ? joined : this.#mendAround(joined as Children, contents[0].length, 0, height - 1);
      const fewer = children.toSpliced(at, 2, ...this.#store([left, right], contents, [merged], height));
      return this.#mend(fewer, at, height);
    }
    return children;
  }
}

function cutNodes(children: Children, fill: 'even' | 'append'): Children[] {
  if (children.length === 0) return [];
  if (children.length <= fanOut) return [children];
  const nodes = Math.ceil(children.length / (fill === 'append' ? fanOut : fanOut * (7 / 8)));
  const width = fill === 'append' ? fanOut : Math.ceil(children.length / nodes);
  return Array.from({ length: Math.ceil(children.length / width) }, (_, index) =>
    children.slice(index * width, (index + 1) * width),
  );
}

function countOf(content: Content, height: number): number {
  return height === 1 ? content.length : (content as Children).reduce((sum, [, count]) => sum + count, 0);
}

function fillOf(content: Content, height: number): number {
  return height === 1 ? totalWeight(content) : content.length;
}

function same(one: Content, other: Content): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}
