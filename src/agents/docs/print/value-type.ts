// The type of a value, told by looking at it: what is left where nothing was declared.
import { nodeOf } from '../../../objects/door.ts';
import { crossesByHandle, exposureOf } from '../../../workspace/door.ts';
import { named, typeName, unionOf, unknownType, type TypeNode } from '../syntax/type-node.ts';

const maxMembers = 12;
const maxItems = 20;
const deepest = 3;

export function valueType(value: unknown, role?: string, depth = 0): TypeNode {
  if (value === null) return named('null');
  if (typeof value === 'function') return named('Function');
  if (typeof value !== 'object') return named(typeof value);
  if (depth > deepest) return unknownType;
  const inner = (member: unknown): TypeNode => valueType(member, role, depth + 1);
  if (Array.isArray(value)) return { kind: 'array', element: ofAll(value, inner) };
  if (value instanceof Map) return named('Map', ofAll(value.keys(), inner), ofAll(value.values(), inner));
  if (value instanceof Set) return named('Set', ofAll(value.values(), inner));
  if (value instanceof Date) return named('Date');
  if (value instanceof Error) return named('Error');
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return named('Uint8Array');
  if (nodeOf(value)?.type !== 'object' && crossesByHandle(value)) return named(typeName(exposureOf(value, role).name));
  const members = Object.entries(Object.getOwnPropertyDescriptors(value)).filter(
    ([, descriptor]) => descriptor.enumerable === true && 'value' in descriptor,
  );
  if (members.length === 0 || members.length > maxMembers)
    return named(
      'Record',
      named('string'),
      ofAll(
        members.map(([, descriptor]) => descriptor.value as unknown),
        inner,
      ),
    );
  return {
    kind: 'object',
    members: members.map(([name, descriptor]) => ({ name, type: inner(descriptor.value) })),
  };
}

function ofAll(values: Iterable<unknown>, typeOf: (value: unknown) => TypeNode): TypeNode {
  const types: TypeNode[] = [];
  for (const value of values) {
    types.push(typeOf(value));
    if (types.length === maxItems) break;
  }
  return types.length === 0 ? unknownType : unionOf(types);
}
