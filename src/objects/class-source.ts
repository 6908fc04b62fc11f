// What a class's source tells that the running class does not: private members, which cannot be stored, and the fields
// its constructor will define.
import { parseExpression } from '@babel/parser';

export interface ClassSource {
  /** Names of `#private` members of instances. */
  readonly privates: readonly string[];
  /** Fields in the order in which they are defined; undefined if a name is computed. */
  readonly fields: readonly string[] | undefined;
  /** The constructor does more than call its base. */
  readonly hasConstructor: boolean;
}

interface Member {
  readonly type: string;
  readonly static?: boolean;
  readonly kind?: string;
  readonly computed?: boolean;
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

const nothing: ClassSource = { privates: [], fields: [], hasConstructor: false };

/** What the source of a class says; a class without readable source says nothing. */
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
    hasConstructor: maker?.body?.body.some((statement) => statement.expression?.callee?.type !== 'Super') ?? false,
  };
}
