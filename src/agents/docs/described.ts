// Descriptions given in code, as declarations.
import type { ClassDeclaration, FieldDeclaration, FunctionDeclaration } from './declaration.ts';
import type { Description, MemberDescription } from './describe.ts';
import { parseDocComment } from './syntax/doc-comment.ts';
import { parseType } from './syntax/type-syntax.ts';

export function describedFunction(name: string, given: MemberDescription | undefined): FunctionDeclaration | undefined {
  if (given === undefined) return undefined;
  const type = given.type === undefined ? undefined : parseType(given.type);
  const doc = given.doc === undefined ? {} : { doc: parseDocComment(given.doc) };
  if (type?.kind !== 'function') return { kind: 'function', name, parameters: [], ...doc };
  return {
    kind: 'function',
    name,
    parameters: type.parameters.map((member) => ({
      name: member.name.replace(/^\.\.\./, ''),
      type: member.type,
      ...(member.optional === true ? { optional: true as const } : {}),
      ...(member.name.startsWith('...') ? { rest: true as const } : {}),
    })),
    returns: type.returns,
    ...doc,
  };
}

export function describedClass(name: string, given: Description, owner: object): ClassDeclaration {
  const fields: FieldDeclaration[] = [];
  const methods: FunctionDeclaration[] = [];
  for (const [member, said] of Object.entries(given.members ?? {})) {
    const about = typeof said === 'string' ? { doc: said } : said;
    const type = about.type === undefined ? undefined : parseType(about.type);
    const isMethod = type?.kind === 'function' || typeof descriptorOf(owner, member)?.value === 'function';
    const method = isMethod ? describedFunction(member, about) : undefined;
    if (method !== undefined) methods.push(method);
    else
      fields.push({
        name: member,
        ...(type === undefined ? {} : { type }),
        ...(about.doc === undefined ? {} : { doc: parseDocComment(about.doc) }),
      });
  }
  const doc = given.doc === undefined ? {} : { doc: parseDocComment(given.doc) };
  return { kind: 'class', name, ...doc, fields, methods, statics: [] };
}

/** A member of an object or of what it inherits from. */
export function descriptorOf(value: object, name: string): PropertyDescriptor | undefined {
  for (let level: object | null = value; level !== null; level = Object.getPrototypeOf(level) as object | null) {
    const descriptor = Object.getOwnPropertyDescriptor(level, name);
    if (descriptor !== undefined) return descriptor;
  }
  return undefined;
}
