// What a class says of its durable form, checked once.
import { InvalidOptionError, refuseUnknownOptions, type OptionNames } from '../base/options.ts';
import { readClassSource } from './instances/class-source.ts';
import { isCollectionKind } from './instances/encoded.ts';
import { DurableClassError } from './errors.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- classes of any constructor are durable classes
export type AnyClass<Instance extends object = object> = abstract new (...parameters: any[]) => Instance;

/**
 * A class whose objects are durable: it extends `Durable` or `Durable.over(Base)`, or has a static field `durable`. A decorator cannot change the
 * type of a class, so one that is decorated with `@durable` declares that field.
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
  /** Names it was stored under before. */
  readonly formerNames?: readonly string[] | undefined;
  /** Counts the forms of the class; default: 1. */
  readonly version?: number | undefined;
  /** Brings the fields of an older version to the present one. */
  readonly migrate?: ((fields: Record<string, unknown>, version: number) => Record<string, unknown> | void) | undefined;
  /** Fields that were renamed: old name → new name. */
  readonly renames?: Readonly<Record<string, string>> | undefined;
  /** Values of fields that stored objects may not have yet. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Fields with a member of an enumeration that guest code may set to null. A field that begins with null needs no mention. */
  readonly nullable?: readonly string[] | undefined;
  /** One per space: `new` gives the one that exists. */
  readonly singleton?: boolean | undefined;
  /** Members guest code does not see. */
  readonly hidden?: readonly string[] | undefined;
  /** Fields guest code cannot assign: all of them (`true`) or these. */
  readonly readonly?: boolean | readonly string[] | undefined;
  /** Lines such as `+ *`, `- secret`, `+ prefix*`, `- name: RoleA, RoleB`; the last match wins, and what none matches is withheld. */
  readonly acl?: readonly string[] | string | undefined;
}

/** Values of a class's fields before its constructor says anything else, as far as its source tells them. */
export function firstValuesOf({ target }: Declaration): ReadonlyMap<string, unknown> {
  let values = firstValues.get(target);
  if (values === undefined) {
    // Parsed when the first stored object is looked at, and not when the class is registered.
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
  /** Of a singleton: the fields that the constructors below the durable base define, in order. */
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

/** The base classes in whose constructors objects become durable; what lies above them is not looked at. */
export const durableBases = new WeakSet<object>();

/** Whether objects of a class are durable. */
export function isDurableClass(target: unknown): target is AnyClass & { readonly '~durable': true } {
  for (let level: unknown = target; typeof level === 'function'; level = Object.getPrototypeOf(level))
    if (durableBases.has(level)) return level !== target;
  return false;
}

/** The declaration of a class, or why it cannot be durable. */
export function declarationOf(target: AnyClass): Declaration {
  let declaration = declarations.get(target);
  if (declaration === undefined) declarations.set(target, (declaration = declare(target)));
  return declaration;
}

/** Decorated classes: what the decorator was given, and the class it was applied to. */
const decorations = new WeakMap<object, { readonly original: AnyClass; readonly options: DurableOptions }>();

/** Notes what a decorator says of the class it returns. Static fields are set after it has run, so they are read later. */
export function decorate(target: AnyClass, original: AnyClass, options: DurableOptions): void {
  decorations.set(target, { original, options });
}

/** What a class says of itself, in its static field and its decorator; not what its base says. Undefined if nothing. */
export function ownOptions(target: AnyClass): DurableOptions | undefined {
  const decoration = decorations.get(target);
  if (decoration === undefined) return staticOptions(target);
  return { ...staticOptions(decoration.original), ...staticOptions(target), ...decoration.options };
}

function staticOptions(target: AnyClass): DurableOptions | undefined {
  const own = Object.hasOwn(target, 'durable') ? (target as { durable?: unknown }).durable : undefined;
  if (own !== undefined && (typeof own !== 'object' || own === null))
    throw new DurableClassError(`${target.name}: the static field 'durable' must be an object.`, {
      class: target.name,
    });
  return own;
}

function declare(target: AnyClass): Declaration {
  const options = ownOptions(target) ?? {};
  refuseUnknownOptions(`${target.name}.durable`, options, optionNames);
  const name = options.name ?? target.name;
  const { version = 1 } = options;
  if (typeof name !== 'string' || name === '' || name.length > 200 || isCollectionKind(name))
    throw new DurableClassError(
      `The class ${target.name || '(anonymous)'} needs a name of 1 to 200 characters to be stored under: give it static durable = { name }.`,
    );
  if (!Number.isInteger(version) || version < 1)
    throw new InvalidOptionError(`${name}.durable: 'version' counts 1, 2, 3 …, not ${String(version)}.`, { name });
  const fields: string[] = [];
  for (const { level, isBelow } of chainOf(target)) {
    // Parsing takes long in a process that has just begun, and in most classes there is nothing to be found.
    if (options.singleton !== true && !Function.prototype.toString.call(level).includes('#')) continue;
    const source = readClassSource(level);
    if (source.privates.length > 0)
      throw new DurableClassError(
        `The class ${level.name} has the private member #${source.privates[0]}, which can be neither stored nor reached in a stored object. Name it _${source.privates[0]} instead: guest code does not see such names either.`,
        { class: level.name, members: source.privates },
      );
    if (!isBelow) continue;
    if (options.singleton === true && (source.fields === undefined || source.hasConstructor))
      throw new DurableClassError(
        `The singleton ${name} sets its first values in a constructor or under computed names. Declare them as fields, so that they are set once and not each time it is asked for.`,
        { class: name },
      );
    fields.push(...(source.fields ?? []));
  }
  return { target, name, version, options, fields };
}

/** The names objects of a class may be stored under: its own, and those it had. */
export function namesOf(declaration: Declaration | undefined): string[] {
  return declaration === undefined ? [] : [declaration.name, ...(declaration.options.formerNames ?? [])];
}

/** The classes a class is made of, base first, and whether they lie below the durable base. */
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
