// The declaration of a durable class, checked once.
import { InvalidOptionError, refuseUnknownOptions, type OptionNames } from '../base/options.ts';
import { readClassSource } from './instances/class-source.ts';
import { isCollectionKind } from './instances/encoded.ts';
import { DurableClassError } from './errors.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- classes of any constructor are durable classes
export type AnyClass<Instance extends object = object> = abstract new (...parameters: any[]) => Instance;

/**
 * A class whose objects are durable: it extends `Durable` or `Durable.over(Base)`, or has a static field `durable`. A decorator cannot change the
 * type of a class, so a class decorated with `@durable` must declare that field.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- classes of any constructor are durable classes
export type DurableClass<Instance extends object = object> = (abstract new (...parameters: any[]) => Instance) &
  ({ readonly '~durable': true } | { readonly durable: DurableOptions });

/** The fields of an object of an older class version. */
export type Fields = Record<string, unknown>;

/** How objects of a durable class are stored and shown to guest code: `static durable = { version: 2 }`. */
export interface DurableOptions {
  /** The name the class is stored under; default: its own name. Set it if code is minified, keep it if the class is renamed. */
  readonly name?: string | undefined;
  /** Earlier stored names. */
  readonly formerNames?: readonly string[] | undefined;
  /** Counts the forms of the class; default: 1. */
  readonly version?: number | undefined;
  /** Migrates the fields of an older version to the current one. */
  readonly migrate?: ((fields: Record<string, unknown>, version: number) => Record<string, unknown> | void) | undefined;
  /** Renamed fields: old name → new name. */
  readonly renames?: Readonly<Record<string, string>> | undefined;
  /** Values for fields that stored objects may lack. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Fields with a member of an enumeration that guest code may set to null. Fields whose initial value is null need not be listed. */
  readonly nullable?: readonly string[] | undefined;
  /** One instance per space: `new` returns the existing one. */
  readonly singleton?: boolean | undefined;
  /** Members hidden from guest code. */
  readonly hidden?: readonly string[] | undefined;
  /** Fields guest code cannot assign: all of them (`true`) or these. */
  readonly readonly?: boolean | readonly string[] | undefined;
  /** Lines such as `+ *`, `- secret`, `+ prefix*`, `- name: RoleA, RoleB`; the last match wins; members without a match are hidden. */
  readonly acl?: readonly string[] | string | undefined;
}

/** The initial values of a class's fields, as far as its source shows them. */
export function firstValuesOf({ target }: Declaration): ReadonlyMap<string, unknown> {
  let values = firstValues.get(target);
  if (values === undefined) {
    // Parsed on first use instead of at registration.
    values = new Map(chainOf(target).flatMap(({ level }) => [...readClassSource(level).firstValues]));
    firstValues.set(target, values);
  }
  return values;
}

export interface Declaration {
  readonly target: AnyClass;
  readonly name: string;
  readonly version: number;
  readonly options: DurableOptions;
  /** For a singleton: the fields defined by the constructors below the durable base, in order. */
  readonly fields: readonly string[];
}

const optionNames: OptionNames<DurableOptions> = {
  name: true,
  formerNames: true,
  version: true,
  migrate: true,
  renames: true,
  defaults: true,
  singleton: true,
  nullable: true,
  hidden: true,
  readonly: true,
  acl: true,
};

const declarations = new WeakMap<object, Declaration>();
const firstValues = new WeakMap<object, ReadonlyMap<string, unknown>>();

/** The base classes whose constructors make objects durable; classes above them are ignored. */
export const durableBases = new WeakSet<object>();

/** Whether objects of a class are durable. */
export function isDurableClass(target: unknown): target is AnyClass & { readonly '~durable': true } {
  for (let level: unknown = target; typeof level === 'function'; level = Object.getPrototypeOf(level))
    if (durableBases.has(level)) return level !== target;
  return false;
}

/** The declaration of a class; throws if it cannot be durable. */
export function declarationOf(target: AnyClass): Declaration {
  let declaration = declarations.get(target);
  if (declaration === undefined) declarations.set(target, (declaration = declare(target)));
  return declaration;
}

/** Decorated classes: the options of the decorator, and the original class. */
const decorations = new WeakMap<object, { readonly original: AnyClass; readonly options: DurableOptions }>();

/** Records the options of a decorator. Static fields are set after decorators have run, so they are read later. */
export function decorate(target: AnyClass, original: AnyClass, options: DurableOptions): void {
  decorations.set(target, { original, options });
}

/** The options from the static field and decorator of a class itself, without its bases. Undefined without either. */
export function ownOptions(target: AnyClass): DurableOptions | undefined {
  const decoration = decorations.get(target);
  if (decoration === undefined) return staticOptions(target);
  return { ...staticOptions(decoration.original), ...staticOptions(target), ...decoration.options };
}

function staticOptions(target: AnyClass): DurableOptions | undefined {
  const own = Object.hasOwn(target, 'durable') ? (target as { durable?: unknown }).durable : undefined;
  if (own !== undefined && (typeof own !== 'object' || own === null))
    throw new DurableClassError(
      `${target.name}: the static field 'durable' must be an object, as in static durable = { version: 2 }.`,
      {
        class: target.name,
      },
    );
  return own;
}

function declare(target: AnyClass): Declaration {
  const options = ownOptions(target) ?? {};
  refuseUnknownOptions(`${target.name}.durable`, options, optionNames);
  const name = options.name ?? target.name;
  const { version = 1 } = options;
  if (typeof name !== 'string' || name === '' || name.length > 200 || isCollectionKind(name))
    throw new DurableClassError(
      `The class ${target.name || '(anonymous)'} needs a stored name of 1 to 200 characters. Set it with static durable = { name }.`,
    );
  if (!Number.isInteger(version) || version < 1)
    throw new InvalidOptionError(`${name}.durable: 'version' must be a whole number from 1, not ${String(version)}.`, {
      name,
    });
  const fields: string[] = [];
  for (const { level, isBelow } of chainOf(target)) {
    // Parsing is slow in a fresh process, and most classes have nothing to find.
    if (options.singleton !== true && !Function.prototype.toString.call(level).includes('#')) continue;
    const source = readClassSource(level);
    if (source.privates.length > 0)
      throw new DurableClassError(
        `The class ${level.name} has the private member #${source.privates[0]}, which cannot be stored. Rename it to _${source.privates[0]}, which is hidden from guest code too.`,
        { class: level.name, members: source.privates },
      );
    if (!isBelow) continue;
    if (options.singleton === true && (source.fields === undefined || source.hasConstructor))
      throw new DurableClassError(
        `The singleton ${name} initializes fields in a constructor or under computed names, which would run on every new ${name}(). Declare them as class fields instead.`,
        { class: name },
      );
    fields.push(...(source.fields ?? []));
  }
  return { target, name, version, options, fields };
}

/** The stored names of a class: current and former. */
export function namesOf(declaration: Declaration | undefined): string[] {
  return declaration === undefined ? [] : [declaration.name, ...(declaration.options.formerNames ?? [])];
}

/** The inheritance chain of a class, base first, and whether each is below the durable base. */
function chainOf(target: AnyClass): { level: AnyClass; isBelow: boolean }[] {
  const chain: { level: AnyClass; isBelow: boolean }[] = [];
  let isBelow = true;
  for (
    let level: unknown = target;
    typeof level === 'function' && level !== Function.prototype;
    level = Object.getPrototypeOf(level)
  ) {
    if (durableBases.has(level)) isBelow = false;
    else chain.unshift({ level: level as AnyClass, isBelow });
  }
  return chain;
}
