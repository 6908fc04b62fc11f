// Functions, classes and interfaces in source become declarations.
import type {
  Class,
  Function as FunctionSyntax,
  Node,
  TSDeclareFunction,
  TSDeclareMethod,
  TSInterfaceBody,
  TSMethodSignature,
} from '@babel/types';
import type { ClassDeclaration, FieldDeclaration, FunctionDeclaration } from '../declaration.ts';
import { rulesInside } from '../../../workspace/door.ts';
import { parseDocComment } from './doc-comment.ts';
import type { Doc } from '../doc.ts';
import { named, unknownType, type TypeNode } from './type-node.ts';
import { annotated, nameOf, parametersFrom } from './type-syntax.ts';

/** Everything that has parameters and a result. */
export type FunctionLike = FunctionSyntax | TSMethodSignature | TSDeclareFunction | TSDeclareMethod;

export function functionFrom(
  name: string,
  node: FunctionLike,
  source: string,
  doc: Doc | undefined,
): FunctionDeclaration {
  const returns = annotated(node.returnType, source) ?? (isAsync(node) ? named('Promise', unknownType) : undefined);
  const parameters = parametersFrom(node.params, source);
  return {
    kind: 'function',
    name,
    parameters,
    ...(returns === undefined ? {} : { returns }),
    ...(doc === undefined ? {} : { doc }),
  };
}

function isAsync(node: FunctionLike): boolean {
  return 'async' in node && node.async;
}

/** The doc comment right before a node. */
export function docBefore(...nodes: readonly (Node | null | undefined)[]): Doc | undefined {
  for (const node of nodes) {
    const comment = node?.leadingComments?.findLast(
      ({ type, value }) => type === 'CommentBlock' && value.startsWith('*'),
    );
    if (comment !== undefined) return parseDocComment(`/*${comment.value}*/`);
  }
  return undefined;
}

export function classFrom(name: string, node: Class, source: string, doc: Doc | undefined): ClassDeclaration {
  const fields = new Map<string, FieldDeclaration>();
  const methods = new Map<string, FunctionDeclaration>();
  const statics = new Map<string, FunctionDeclaration>();
  let construct: ClassDeclaration['construct'] = node.superClass ? undefined : [];
  for (const member of node.body.body) {
    if (member.type === 'StaticBlock' || member.type === 'TSIndexSignature') continue;
    const key = 'computed' in member && member.computed ? undefined : nameOf(member.key);
    if (key === undefined || ('accessibility' in member && isWithheld(member.accessibility))) continue;
    const about = docBefore(member);
    if (member.type === 'ClassMethod' || member.type === 'TSDeclareMethod') {
      if (member.kind === 'constructor') {
        construct = parametersFrom(member.params, source);
        for (const field of parameterFields(member.params, source)) fields.set(field.name, field);
      } else if (member.kind === 'get' || member.kind === 'set') {
        if (!member.static) addAccessor(fields, key, member, source, about);
      } else addMethod(member.static ? statics : methods, functionFrom(key, member, source, about));
    } else if (member.type === 'ClassProperty' && !member.static)
      addProperty(fields, methods, key, member, source, about);
  }
  const about = withRules(doc, rulesInside(name, source.slice(node.start ?? 0, node.end ?? 0)));
  return {
    kind: 'class',
    name,
    ...(node.superClass?.type === 'Identifier' ? { base: node.superClass.name } : {}),
    ...(about === undefined ? {} : { doc: about }),
    fields: [...fields.values()],
    methods: [...methods.values()],
    ...(construct === undefined ? {} : { construct }),
    statics: [...statics.values()],
  };
}

/** Rules that stand between the members of a class are the class's own. */
function withRules(doc: Doc | undefined, acl: readonly string[]): Doc | undefined {
  if (acl.length === 0) return doc;
  const about = doc ?? parseDocComment('');
  return { ...about, acl: [...about.acl, ...acl] };
}

function isWithheld(accessibility: unknown): boolean {
  return accessibility === 'private' || accessibility === 'protected';
}

/** Overloads are told by the first of them; the one with the body says least. */
function addMethod(methods: Map<string, FunctionDeclaration>, method: FunctionDeclaration): void {
  if (!methods.has(method.name)) methods.set(method.name, method);
}

function addAccessor(
  fields: Map<string, FieldDeclaration>,
  name: string,
  member: Extract<Class['body']['body'][number], { type: 'ClassMethod' | 'TSDeclareMethod' }>,
  source: string,
  doc: Doc | undefined,
): void {
  const before = fields.get(name);
  const isGetter = member.kind === 'get';
  const type = isGetter
    ? annotated(member.returnType, source)
    : (before?.type ?? parametersFrom(member.params, source)[0]?.type);
  const isReadonly = isGetter && (before === undefined || before.readonly === true);
  const about = isGetter ? (doc ?? before?.doc) : (before?.doc ?? doc);
  fields.set(name, fieldOf(name, type, { readonly: isReadonly, doc: about }));
}

function addProperty(
  fields: Map<string, FieldDeclaration>,
  methods: Map<string, FunctionDeclaration>,
  name: string,
  member: Extract<Class['body']['body'][number], { type: 'ClassProperty' }>,
  source: string,
  doc: Doc | undefined,
): void {
  const { value } = member;
  if (value?.type === 'ArrowFunctionExpression' || value?.type === 'FunctionExpression')
    methods.set(name, functionFrom(name, value, source, doc));
  else {
    const type = annotated(member.typeAnnotation, source) ?? typeOfLiteral(value);
    const { readonly, optional } = member;
    fields.set(name, fieldOf(name, type, { readonly: readonly === true, optional: optional === true, doc }));
  }
}

export function fieldOf(
  name: string,
  type: TypeNode | undefined,
  more: { readonly?: boolean; optional?: boolean; doc?: Doc | undefined },
): FieldDeclaration {
  return {
    name,
    ...(type === undefined ? {} : { type }),
    ...(more.optional === true ? { optional: true as const } : {}),
    ...(more.readonly === true ? { readonly: true as const } : {}),
    ...(more.doc === undefined ? {} : { doc: more.doc }),
  };
}

/** `constructor(readonly title: string)` declares a field. */
function parameterFields(nodes: readonly Node[], source: string): FieldDeclaration[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'TSParameterProperty' || isWithheld(node.accessibility)) return [];
    const [parameter] = parametersFrom([node], source);
    return parameter === undefined
      ? []
      : [fieldOf(parameter.name, parameter.type, { readonly: node.readonly === true })];
  });
}

/** The type of a field that is told by its first value alone. */
function typeOfLiteral(value: Node | null | undefined): TypeNode | undefined {
  switch (value?.type) {
    case 'StringLiteral':
    case 'TemplateLiteral':
      return named('string');
    case 'NumericLiteral':
      return named('number');
    case 'BooleanLiteral':
      return named('boolean');
    case 'BigIntLiteral':
      return named('bigint');
    case 'NewExpression':
      return value.callee.type === 'Identifier' && value.callee.name === 'Date' ? named('Date') : undefined;
    default:
      return undefined;
  }
}

export function interfaceFrom(
  name: string,
  body: TSInterfaceBody,
  base: string | undefined,
  source: string,
  doc: Doc | undefined,
): ClassDeclaration {
  const fields: FieldDeclaration[] = [];
  const methods = new Map<string, FunctionDeclaration>();
  for (const member of body.body) {
    if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') continue;
    const key = nameOf(member.key);
    if (key === undefined) continue;
    const about = docBefore(member);
    if (member.type === 'TSMethodSignature') addMethod(methods, functionFrom(key, member, source, about));
    else
      fields.push(
        fieldOf(key, annotated(member.typeAnnotation, source), {
          readonly: member.readonly === true,
          optional: member.optional === true,
          doc: about,
        }),
      );
  }
  return {
    kind: 'class',
    name,
    ...(base === undefined ? {} : { base }),
    ...(doc === undefined ? {} : { doc }),
    fields,
    methods: [...methods.values()],
    statics: [],
  };
}
