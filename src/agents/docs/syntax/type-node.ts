// Types as data, so that what comes from schemas and from source can be told in TypeScript and in Python.

export interface TypeMember {
  readonly name: string;
  readonly type: TypeNode;
  readonly optional?: true;
  readonly readonly?: true;
  /** What is said about it. */
  readonly text?: string;
}

export type TypeNode =
  /** TypeScript's name of it, and `integer`. */
  | { readonly kind: 'name'; readonly name: string; readonly arguments?: readonly TypeNode[] }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'union'; readonly members: readonly TypeNode[] }
  | { readonly kind: 'intersection'; readonly members: readonly TypeNode[] }
  | { readonly kind: 'array'; readonly element: TypeNode }
  | { readonly kind: 'tuple'; readonly elements: readonly TypeNode[] }
  /** `index` is the type of all other members. */
  | { readonly kind: 'object'; readonly members: readonly TypeMember[]; readonly index?: TypeNode }
  | { readonly kind: 'function'; readonly parameters: readonly TypeMember[]; readonly returns: TypeNode }
  /** What has no other form here, as TypeScript has it. */
  | { readonly kind: 'text'; readonly text: string };

export const unknownType: TypeNode = { kind: 'name', name: 'unknown' };

export function named(name: string, ...parameters: readonly TypeNode[]): TypeNode {
  return { kind: 'name', name, ...(parameters.length === 0 ? {} : { arguments: parameters }) };
}

/** A name that can be one in code. */
export function typeName(name: string): string {
  const safe = name.replaceAll(/[^\p{ID_Continue}$]+/gu, '_');
  return /^[\p{ID_Start}$_]/u.test(safe) ? safe : `_${safe}`;
}

/** A union without doubles; of one, that one. */
export function unionOf(members: readonly TypeNode[]): TypeNode {
  const flat = members.flatMap((member) => (member.kind === 'union' ? member.members : [member]));
  const distinct = flat.filter((member, index) => flat.findIndex((other) => isSame(member, other)) === index);
  if (distinct.some((member) => member.kind === 'name' && member.name === 'unknown')) return unknownType;
  const [only] = distinct;
  return only === undefined ? named('never') : distinct.length === 1 ? only : { kind: 'union', members: distinct };
}

export function isSame(a: TypeNode, b: TypeNode): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The text in TypeScript. */
export function typescriptType(type: TypeNode): string {
  switch (type.kind) {
    case 'name': {
      if (type.name === 'integer') return 'number';
      const parameters = type.arguments?.map(typescriptType) ?? [];
      return parameters.length === 0 ? type.name : `${type.name}<${parameters.join(', ')}>`;
    }
    case 'literal':
      return typeof type.value === 'string' ? quoted(type.value) : String(type.value);
    case 'union':
      return type.members.map((member) => inParentheses(member, ['function'])).join(' | ');
    case 'intersection':
      return type.members.map((member) => inParentheses(member, ['union', 'function'])).join(' & ');
    case 'array':
      return `${inParentheses(type.element, ['union', 'intersection', 'function', 'text'])}[]`;
    case 'tuple':
      return `[${type.elements.map(typescriptType).join(', ')}]`;
    case 'object':
      return objectText(type.members, type.index);
    case 'function': {
      const parameters = type.parameters.map((member) => memberText(member));
      return `(${parameters.join(', ')}) => ${typescriptType(type.returns)}`;
    }
    case 'text':
      return type.text;
  }
}

function objectText(members: readonly TypeMember[], index: TypeNode | undefined): string {
  if (members.length === 0) return index === undefined ? '{}' : `Record<string, ${typescriptType(index)}>`;
  const all = members.map(memberText);
  if (index !== undefined) all.push(`[name: string]: ${typescriptType(index)}`);
  return `{ ${all.join('; ')} }`;
}

function memberText({ name, type, optional, readonly }: TypeMember): string {
  return `${readonly === true ? 'readonly ' : ''}${propertyName(name)}${optional === true ? '?' : ''}: ${typescriptType(type)}`;
}

export function propertyName(name: string): string {
  return /^(\.\.\.)?[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quoted(name);
}

function inParentheses(type: TypeNode, kinds: readonly TypeNode['kind'][]): string {
  const text = typescriptType(type);
  return kinds.includes(type.kind) ? `(${text})` : text;
}

export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** The names of types that a type refers to. */
export function namesIn(type: TypeNode): string[] {
  switch (type.kind) {
    case 'name':
      return [type.name, ...(type.arguments ?? []).flatMap(namesIn)];
    case 'union':
    case 'intersection':
      return type.members.flatMap(namesIn);
    case 'array':
      return namesIn(type.element);
    case 'tuple':
      return type.elements.flatMap(namesIn);
    case 'object':
      return [...type.members.flatMap((member) => namesIn(member.type)), ...(type.index ? namesIn(type.index) : [])];
    case 'function':
      return [...type.parameters.flatMap((member) => namesIn(member.type)), ...namesIn(type.returns)];
    case 'text':
      return type.text.match(/[A-Za-z_$][\w$]*/g) ?? [];
    case 'literal':
      return [];
  }
}
