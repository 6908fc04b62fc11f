// Types in Python's words, as a program in the Python workspace meets the values: dates as `datetime`, no promises.
import { unionOf, quoted, type TypeNode } from '../syntax/type-node.ts';

const names: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'float',
  integer: 'int',
  bigint: 'int',
  boolean: 'bool',
  null: 'None',
  undefined: 'None',
  void: 'None',
  never: 'Never',
  Date: 'datetime',
  unknown: 'Any',
  any: 'Any',
  object: 'Any',
  Uint8Array: 'bytes',
  Buffer: 'bytes',
  ArrayBuffer: 'bytes',
  RegExp: 'str',
  this: 'Self',
};

const containers: Readonly<Record<string, string>> = {
  Array: 'list',
  ReadonlyArray: 'list',
  Iterable: 'Iterable',
  AsyncIterable: 'Iterable',
  Map: 'dict',
  ReadonlyMap: 'dict',
  Record: 'dict',
  Set: 'set',
  ReadonlySet: 'set',
};

export function pythonType(type: TypeNode): string {
  switch (type.kind) {
    case 'name': {
      const [first] = type.arguments ?? [];
      if (['Promise', 'Awaited', 'Readonly', 'Required', 'NonNullable'].includes(type.name) && first !== undefined)
        return pythonType(first);
      if (type.name === 'Partial' && first !== undefined) return pythonType(first);
      const parameters = type.arguments?.map(pythonType) ?? [];
      const name = Object.hasOwn(containers, type.name)
        ? (containers[type.name] as string)
        : Object.hasOwn(names, type.name)
          ? (names[type.name] as string)
          : type.name;
      return parameters.length === 0 ? name : `${name}[${parameters.join(', ')}]`;
    }
    case 'literal':
      return `Literal[${literal(type.value)}]`;
    case 'union':
      return unionText(type.members);
    case 'intersection':
      return type.members.map(pythonType)[0] ?? 'Any';
    case 'array':
      return `list[${pythonType(type.element)}]`;
    case 'tuple':
      return `tuple[${type.elements.map(pythonType).join(', ')}]`;
    case 'object': {
      if (type.members.length === 0) return `dict[str, ${type.index === undefined ? 'Any' : pythonType(type.index)}]`;
      const members = type.members.map((member) => {
        const text = pythonType(member.type);
        return `${quoted(member.name)}: ${member.optional === true ? `NotRequired[${text}]` : text}`;
      });
      return `TypedDict[{${members.join(', ')}}]`;
    }
    case 'function':
      return `Callable[[${type.parameters.map((member) => pythonType(member.type)).join(', ')}], ${pythonType(type.returns)}]`;
    case 'text':
      return 'Any';
  }
}

/** Literals are told together, and None comes last. */
function unionText(members: readonly TypeNode[]): string {
  const literals = members.filter((member) => member.kind === 'literal');
  const others = members.filter((member) => member.kind !== 'literal').map(pythonType);
  const together =
    literals.length === 0 ? [] : [`Literal[${literals.map((member) => literal(member.value)).join(', ')}]`];
  const all = [...new Set([...together, ...others])];
  return [...all.filter((text) => text !== 'None'), ...all.filter((text) => text === 'None')].join(' | ');
}

function literal(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'string' ? quoted(value) : String(value);
}

/** The type of something that may be left out. */
export function orNone(type: TypeNode): TypeNode {
  return unionOf([type, { kind: 'name', name: 'null' }]);
}

/** Words that cannot be names in Python. */
const reserved = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** `findMeeting` → `find_meeting`: names as the Python workspace has them. Names all in capitals are constants, and stay. */
export function snakeCase(name: string): string {
  if (name === name.toUpperCase()) return name;
  const snake = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toLowerCase();
  return reserved.has(snake) ? `${snake}_` : snake;
}
