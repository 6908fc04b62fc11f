// Reads from the source of a class what is not visible at run time: private members, which cannot be stored, and the
// fields its constructor will define.
import { parseExpression } from '@babel/parser';

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

interface Member {
  readonly type: string;
  readonly static?: boolean;
  readonly kind?: string;
  readonly computed?: boolean;
  readonly value?: Expression | null;
  readonly key: {
    readonly type: string;
    readonly name?: string;
    readonly value?: unknown;
    readonly id?: { readonly name: string };
  };
  readonly body?: {
    readonly body: readonly { readonly expression?: { readonly callee?: { readonly type: string } } }[];
  };
}

interface Expression {
  readonly type: string;
  readonly [member: string]: unknown;
}

const nothing: ClassSource = { privates: [], fields: [], firstValues: new Map(), hasConstructor: false };

/** Parses the source of a class; empty if it is not readable. */
export function readClassSource(target: { toString(): string }): ClassSource {
  const text = Function.prototype.toString.call(target);
  if (!text.startsWith('class') && !text.startsWith('@')) return nothing;
  let members: readonly Member[];
  try {
    const parsed = parseExpression(text, { plugins: ['decorators', 'decoratorAutoAccessors'] }) as unknown as {
      readonly body: { readonly body: readonly Member[] };
    };
    members = parsed.body.body;
  } catch {
    return nothing;
  }
  const instance = members.filter((member) => member.static !== true && member.type !== 'StaticBlock');
  const fields = instance.filter(({ type }) => type === 'ClassProperty');
  const names = fields.map(({ key, computed }) => (computed === true ? undefined : (key.name ?? String(key.value))));
  const maker = instance.find(({ kind }) => kind === 'constructor');
  return {
    privates: instance.filter(({ key }) => key?.type === 'PrivateName').map(({ key }) => key.id?.name ?? ''),
    fields: names.includes(undefined) ? undefined : (names as string[]),
    firstValues: new Map(
      fields.flatMap(({ value }, index) => {
        const name = names[index];
        const told = value === undefined || value === null ? undefined : literalIn(value);
        return name === undefined || told === undefined ? [] : [[name, told.value] as const];
      }),
    ),
    hasConstructor: maker?.body?.body.some((statement) => statement.expression?.callee?.type !== 'Super') ?? false,
  };
}

/** The value of a literal expression; undefined for any other. */
function literalIn(node: Expression): { readonly value: unknown } | undefined {
  switch (node.type) {
    case 'NumericLiteral':
    case 'StringLiteral':
    case 'BooleanLiteral':
      return { value: node['value'] };
    case 'NullLiteral':
      return { value: null };
    case 'BigIntLiteral':
      return { value: BigInt(String(node['value'])) };
    case 'TemplateLiteral': {
      const [text] = node['quasis'] as { value: { cooked: string } }[];
      return (node['expressions'] as unknown[]).length === 0 ? { value: text?.value.cooked } : undefined;
    }
    case 'UnaryExpression': {
      const told = node['operator'] === '-' ? literalIn(node['argument'] as Expression) : undefined;
      return typeof told?.value === 'number' || typeof told?.value === 'bigint' ? { value: -told.value } : undefined;
    }
    case 'ArrayExpression': {
      const items = (node['elements'] as (Expression | null)[]).map((item) => item && literalIn(item));
      return items.every((item) => item !== null && item !== undefined)
        ? { value: items.map(({ value }) => value) }
        : undefined;
    }
    case 'ObjectExpression':
      return objectIn(node['properties'] as Expression[]);
    case 'NewExpression': {
      const { name } = node['callee'] as { name?: string };
      if ((node['arguments'] as unknown[]).length > 0) return undefined;
      return name === 'Map' ? { value: new Map() } : name === 'Set' ? { value: new Set() } : undefined;
    }
    default:
      return undefined;
  }
}

function objectIn(properties: readonly Expression[]): { readonly value: unknown } | undefined {
  const members: (readonly [string, unknown])[] = [];
  for (const property of properties) {
    const told = property.type === 'ObjectProperty' ? literalIn(property['value'] as Expression) : undefined;
    if (told === undefined || property['computed'] === true) return undefined;
    const key = property['key'] as { name?: string; value?: unknown };
    members.push([key.name ?? String(key.value), told.value]);
  }
  return { value: Object.fromEntries(members) };
}
