// Maps durable objects and collections to their nodes. The objects themselves carry nothing else.
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

/** Assigns to an object whose prototype is durable: the field becomes its own. */
export function defineOn(receiver: unknown, name: string | symbol, value: unknown): boolean {
  const descriptor = { value, writable: true, enumerable: true, configurable: true };
  return typeof receiver === 'object' && receiver !== null && Reflect.defineProperty(receiver, name, descriptor);
}

/** The id of an object outside its space. */
export function idText(space: string, id: string): string {
  return space === defaultSpace ? id : `${space}/${id}`;
}

/** The space and id in a text; `from` is the space a bare id belongs to. */
export function placeOf(text: string, from = defaultSpace): { space: string; id: string } {
  const slash = text.indexOf('/');
  return slash < 0 ? { space: from, id: text } : { space: text.slice(0, slash), id: text.slice(slash + 1) };
}

/** Ids of nodes that a migration creates: deterministic, because it may run again before its result is stored. */
export function derivedId(owner: string, count: number, part: string): string {
  return `${owner}~${part}.${count}`;
}

/** The part of an object that a migration creates ids for: a field, a version, or a field of a version. */
export function derivedPart({ field, version }: { readonly field?: string; readonly version?: number }): string {
  // Encoded field names never start with this character.
  const before = version === undefined ? [] : [`@${version}`];
  return [...before, ...(field === undefined ? [] : [encodeURIComponent(field).replaceAll('~', '%7E')])].join('.');
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
 * Stored in the built-in Map or Set underneath a managed one, which is otherwise unused. structuredClone and the like
 * bypass the methods and would silently copy nothing; with this entry they fail and show its text.
 */
export function copyFirst(): string {
  return 'Copy a managed collection with new Map(it) or new Set(it) first.';
}
