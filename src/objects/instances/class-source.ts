// Reads from the source of a class what is not visible at run time: private members, which cannot be stored, and the
// fields its constructor will define.
import { parseExpression } from '@babel/parser';
import type { ClassBody, Node, ObjectExpression } from '@babel/types';

export interface ClassSource {
  /** Names of `#private` members of instances. */
  readonly privates: readonly string[];
  /** Fields in definition order; undefined if a name is computed. */
  readonly fields: readonly string[] | undefined;
  /** Initial values of fields that are literals or empty maps and sets. */
  readonly firstValues: ReadonlyMap<string, unknown>;
  /** The constructor does more than call its base. */
  readonly hasConstructor: boolean;
}

type Member = ClassBody['body'][number];

const nothing: ClassSource = { privates: [], fields: [], firstValues: new Map(), hasConstructor: false };

/** Parses the source of a class; empty if it is not readable. */
export function readClassSource(target: { toString(): string }): ClassSource {
  const text = Function.prototype.toString.call(target);
  if (!text.startsWith('class') && !text.startsWith('@')) return nothing;
  let members: readonly Member[];
  try {
    const parsed = parseExpression(text, { plugins: ['decorators', 'decoratorAutoAccessors'] });
    members = parsed.type === 'ClassExpression' ? parsed.body.body : [];
  } catch {
    return nothing;
  }
  const instance = members.filter((member) => !('static' in member) || !member.static);
  const fields = instance.filter((member) => member.type === 'ClassProperty');
  const names = fields.map(({ key, computed }) => (computed ? undefined : nameOf(key)));
  const maker = instance.filter((member) => member.type === 'ClassMethod').find(({ kind }) => kind === 'constructor');
  return {
    privates: instance.flatMap((member) =>
      'key' in member && member.key.type === 'PrivateName' ? [member.key.id.name] : [],
    ),
    fields: names.includes(undefined) ? undefined : (names as string[]),
    firstValues: new Map(
      fields.flatMap(({ value }, index) => {
        const name = names[index];
        const told = value === undefined || value === null ? undefined : literalIn(value);
        return name === undefined || told === undefined ? [] : [[name, told.value] as const];
      }),
    ),
    hasConstructor: maker?.body.body.some((statement) => !callsBase(statement)) ?? false,
  };
}

function callsBase(statement: Node): boolean {
  if (statement.type !== 'ExpressionStatement') return false;
  const { expression } = statement;
  return expression.type === 'CallExpression' && expression.callee.type === 'Super';
}

/** The name that a key of a class or an object gives, unless it is computed. */
function nameOf(key: Node): string {
  switch (key.type) {
    case 'Identifier':
      return key.name;
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BigIntLiteral':
      return String(key.value);
    default:
      return '';
  }
}

/** The value of a literal expression; undefined for any other. */
function literalIn(node: Node): { readonly value: unknown } | undefined {
  switch (node.type) {
    case 'NumericLiteral':
    case 'StringLiteral':
    case 'BooleanLiteral':
      return { value: node.value };
    case 'NullLiteral':
      return { value: null };
    case 'BigIntLiteral':
      return { value: BigInt(String(node.value)) };
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? { value: node.quasis[0]?.value.cooked } : undefined;
    case 'UnaryExpression': {
      const told = node.operator === '-' ? literalIn(node.argument) : undefined;
      return typeof told?.value === 'number' || typeof told?.value === 'bigint' ? { value: -told.value } : undefined;
    }
    case 'ArrayExpression': {
      const items = node.elements.map((item) => item && literalIn(item));
      return items.every((item) => item !== null && item !== undefined)
        ? { value: items.map(({ value }) => value) }
        : undefined;
    }
    case 'ObjectExpression':
      return objectIn(node.properties);
    case 'NewExpression': {
      const name = node.callee.type === 'Identifier' ? node.callee.name : undefined;
      if (node.arguments.length > 0) return undefined;
      return name === 'Map' ? { value: new Map() } : name === 'Set' ? { value: new Set() } : undefined;
    }
    default:
      return undefined;
  }
}

function objectIn(properties: ObjectExpression['properties']): { readonly value: unknown } | undefined {
  const members: (readonly [string, unknown])[] = [];
  for (const property of properties) {
    if (property.type !== 'ObjectProperty' || property.computed) return undefined;
    const told = literalIn(property.value);
    if (told === undefined) return undefined;
    members.push([nameOf(property.key), told.value]);
  }
  return { value: Object.fromEntries(members) };
}
