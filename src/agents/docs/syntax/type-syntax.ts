// Types in TypeScript's source become data.
import { parse } from '@babel/parser';
import type { Function as FunctionSyntax, Node, TSType, TSTypeElement } from '@babel/types';
import { named, unionOf, unknownType, type TypeMember, type TypeNode } from './type-node.ts';

/** Reads the text of a type; what is no type is taken for a name. */
export function parseType(text: string): TypeNode {
  const source = `type T = ${text.replace(/^\?(.+)$/, '$1 | null').replaceAll('*', 'any')};`;
  try {
    const [statement] = parse(source, { sourceType: 'module', plugins: ['typescript'] }).program.body;
    if (statement?.type === 'TSTypeAliasDeclaration') return typeFrom(statement.typeAnnotation, source);
  } catch {
    // People write all kinds of things in comments.
  }
  return { kind: 'text', text };
}

const keywords: Readonly<Record<string, string>> = {
  TSStringKeyword: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSBigIntKeyword: 'bigint',
  TSNullKeyword: 'null',
  TSUndefinedKeyword: 'undefined',
  TSVoidKeyword: 'void',
  TSNeverKeyword: 'never',
  TSUnknownKeyword: 'unknown',
  TSAnyKeyword: 'any',
  TSObjectKeyword: 'object',
  TSThisType: 'this',
};

export function typeFrom(node: TSType, source: string): TypeNode {
  const inner = (part: TSType): TypeNode => typeFrom(part, source);
  const keyword = keywords[node.type];
  if (keyword !== undefined) return named(keyword);
  switch (node.type) {
    case 'TSParenthesizedType':
      return inner(node.typeAnnotation);
    case 'TSUnionType':
      return unionOf(node.types.map(inner));
    case 'TSIntersectionType':
      return { kind: 'intersection', members: node.types.map(inner) };
    case 'TSArrayType':
      return { kind: 'array', element: inner(node.elementType) };
    case 'TSTypeOperator':
      return node.operator === 'readonly' ? inner(node.typeAnnotation) : asText(node, source);
    case 'TSTupleType': {
      const elements = node.elementTypes.map((element) =>
        element.type === 'TSNamedTupleMember' ? inner(element.elementType) : inner(element as TSType),
      );
      return { kind: 'tuple', elements };
    }
    case 'TSLiteralType': {
      const { literal } = node;
      if (literal.type === 'StringLiteral' || literal.type === 'NumericLiteral' || literal.type === 'BooleanLiteral')
        return { kind: 'literal', value: literal.value };
      return asText(node, source);
    }
    case 'TSTypeReference': {
      if (node.typeName.type !== 'Identifier') return asText(node, source);
      const parameters = (node.typeArguments?.params ?? []).map(inner);
      const { name } = node.typeName;
      const [first] = parameters;
      if ((name === 'Array' || name === 'ReadonlyArray') && first !== undefined)
        return { kind: 'array', element: first };
      return named(name, ...parameters);
    }
    case 'TSTypeLiteral':
      return objectFrom(node.members, source) ?? asText(node, source);
    case 'TSFunctionType':
      return {
        kind: 'function',
        parameters: parametersFrom(node.params, source).map(({ name, type, optional, rest }) => ({
          name: rest === true ? `...${name}` : name,
          type: type ?? unknownType,
          ...(optional === true ? { optional } : {}),
        })),
        returns: node.returnType?.type === 'TSTypeAnnotation' ? inner(node.returnType.typeAnnotation) : unknownType,
      };
    default:
      return asText(node, source);
  }
}

function objectFrom(elements: readonly TSTypeElement[], source: string): TypeNode | undefined {
  const members: TypeMember[] = [];
  let index: TypeNode | undefined;
  for (const element of elements) {
    if (element.type === 'TSIndexSignature' && element.typeAnnotation?.type === 'TSTypeAnnotation') {
      index = typeFrom(element.typeAnnotation.typeAnnotation, source);
      continue;
    }
    if (element.type !== 'TSPropertySignature') return undefined;
    const name = nameOf(element.key);
    if (name === undefined) return undefined;
    members.push({
      name,
      type: annotated(element.typeAnnotation, source) ?? unknownType,
      ...(element.optional === true ? { optional: true as const } : {}),
      ...(element.readonly === true ? { readonly: true as const } : {}),
    });
  }
  return { kind: 'object', members, ...(index === undefined ? {} : { index }) };
}

export interface ParameterSyntax {
  readonly name: string;
  readonly type?: TypeNode;
  readonly optional?: true;
  readonly rest?: true;
}

type ParameterNode = FunctionSyntax['params'][number] | { readonly type: 'TSParameterProperty' };

/** The parameters of a function, by name; one that is taken apart at once is called `options`. */
export function parametersFrom(nodes: readonly ParameterNode[], source: string): ParameterSyntax[] {
  const seen = nodes.map((node) => node as Node);
  return seen
    .filter((node) => !(node.type === 'Identifier' && node.name === 'this'))
    .map((node) => parameterFrom(node, source));
}

function parameterFrom(node: Node, source: string): ParameterSyntax {
  switch (node.type) {
    case 'TSParameterProperty':
      return parameterFrom(node.parameter, source);
    case 'AssignmentPattern': {
      const inner = parameterFrom(node.left, source);
      return { ...inner, optional: true };
    }
    case 'RestElement': {
      const { name } = parameterFrom(node.argument, source);
      const type = annotated(node.typeAnnotation, source);
      return { name, ...(type === undefined ? {} : { type }), rest: true };
    }
    case 'Identifier': {
      const type = annotated(node.typeAnnotation, source);
      return {
        name: node.name,
        ...(type === undefined ? {} : { type }),
        ...(node.optional === true ? { optional: true as const } : {}),
      };
    }
    case 'ObjectPattern':
      return { name: 'options', type: annotated(node.typeAnnotation, source) ?? patternType(node.properties) };
    default:
      return { name: 'items', type: unknownType };
  }
}

function patternType(properties: readonly Node[]): TypeNode {
  const members = properties.flatMap((property): TypeMember[] => {
    if (property.type !== 'ObjectProperty') return [];
    const name = nameOf(property.key);
    if (name === undefined) return [];
    const isOptional = property.value.type === 'AssignmentPattern';
    return [{ name, type: unknownType, ...(isOptional ? { optional: true as const } : {}) }];
  });
  return { kind: 'object', members };
}

/** The type in an annotation, if there is one. */
export function annotated(annotation: Node | null | undefined, source: string): TypeNode | undefined {
  return annotation?.type === 'TSTypeAnnotation' ? typeFrom(annotation.typeAnnotation, source) : undefined;
}

/** The name of a member, unless it is computed in some way only running code knows, or private. */
export function nameOf(key: Node): string | undefined {
  if (key.type === 'Identifier') return key.name;
  if (key.type === 'StringLiteral') return key.value;
  return key.type === 'NumericLiteral' ? String(key.value) : undefined;
}

function asText(node: Node, source: string): TypeNode {
  return { kind: 'text', text: source.slice(node.start ?? 0, node.end ?? 0).replaceAll(/\s+/g, ' ') };
}
