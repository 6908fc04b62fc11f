// Which node the objects and collections that application code holds stand for. They carry nothing else.
import type { Reference } from './instances/encoded.ts';
import { isCollectionKind } from './instances/encoded.ts';
import { defaultSpace } from './spaces.ts';
import type { Node } from './object-graph.ts';

const nodes = new WeakMap<object, Node>();

export function bindNode(value: object, node: Node): void {
  nodes.set(value, node);
}

export function nodeOf(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null ? nodes.get(value) : undefined;
}

/** What an assignment does to an object that has a durable one for its prototype: the field is its own. */
export function defineOn(receiver: unknown, name: string | symbol, value: unknown): boolean {
  const descriptor = { value, writable: true, enumerable: true, configurable: true };
  return typeof receiver === 'object' && receiver !== null && Reflect.defineProperty(receiver, name, descriptor);
}

/** The id by which an object is known outside its space. */
export function idText(space: string, id: string): string {
  return space === defaultSpace ? id : `${space}/${id}`;
}

/** The space and id in a text; `from` is the space a bare id belongs to. */
export function placeOf(text: string, from = defaultSpace): { space: string; id: string } {
  const slash = text.indexOf('/');
  return slash < 0 ? { space: from, id: text } : { space: text.slice(0, slash), id: text.slice(slash + 1) };
}

/** Ids of what a migration makes for an object: the same each time, since it may be made again before it is stored. */
export function derivedId(owner: string, count: number, part?: string): string {
  const name = part === undefined ? '' : `${encodeURIComponent(part).replaceAll('~', '%7E')}.`;
  return `${owner}~${name}${count}`;
}

export function isDerivedId(id: string): boolean {
  return id.includes('~');
}

export function ownerOf(derived: string): string {
  return derived.slice(0, derived.lastIndexOf('~'));
}

/** How an object in `space` refers to a node. */
export function referenceTo({ space: target, id, type }: Node, space: string): Reference {
  const text = target === space ? id : `${target}/${id}`;
  return isCollectionKind(type) ? [type, text] : ['ref', text, type];
}

/**
 * Lies in the ordinary Map or Set that a managed one is underneath, and is never seen. A copy that looks there and not at
 * the methods, such as structuredClone, would be empty without a word; with this it fails, and shows this text.
 */
export function copyFirst(): string {
  return 'Copy a managed collection with new Map(it) or new Set(it) first.';
}
