// Durable objects, their classes, queries and members of enumerations in handles: what each is told by, and how it is found again.
import {
  EnumMember,
  findEnumMember,
  isDurableClass,
  nodeOf,
  placeOf,
  Query,
  type ObjectGraph,
  type QueryDefinition,
} from '../../objects/door.ts';

export type DurableKind = 'object' | 'class' | 'query' | 'enum';

/** Between the name of an enumeration and that of its member. */
const memberMark = '\n';

/** What a durable thing is told by; undefined if it is none of this kit's. */
export function durableReference(
  graph: ObjectGraph,
  object: object,
): { readonly kind: DurableKind; readonly name: string } | undefined {
  const node = nodeOf(object);
  // The type goes along, so that a handle can be made without reading the object.
  if (node !== undefined)
    return node.objects === graph ? { kind: 'object', name: `${node.type} ${node.space}/${node.id}` } : undefined;
  if (typeof object === 'function')
    return isDurableClass(object) && graph.classes.has(object)
      ? { kind: 'class', name: graph.classes.get(object).name }
      : undefined;
  if (object instanceof EnumMember) return { kind: 'enum', name: `${object.enumeration}${memberMark}${object.name}` };
  if (!(object instanceof Query)) return undefined;
  const { objects, definition } = Query.definitionOf(object as Query);
  return objects === graph ? { kind: 'query', name: JSON.stringify(definition) } : undefined;
}

export function findDurable(graph: ObjectGraph, kind: DurableKind, name: string): object | undefined {
  switch (kind) {
    case 'object': {
      const space = name.lastIndexOf(' ');
      const place = placeOf(name.slice(space + 1));
      return graph.handleFor(place.space, place.id, name.slice(0, space));
    }
    case 'class':
      return graph.classes.named(name)?.target;
    case 'query':
      return new Query(graph, JSON.parse(name) as QueryDefinition);
    case 'enum': {
      const [enumeration = '', member = ''] = name.split(memberMark);
      return findEnumMember(enumeration, member);
    }
  }
}

/** What a durable thing is called, for people. */
export function durableLabel(kind: string, name: string): string {
  return kind === 'enum' ? name.replace(memberMark, '.') : name;
}
