// What a handle offers: decided here, by the application, and checked on every use. Nothing is reached by walking
// prototypes at the time of the call; what is not in the exposure does not exist for guest code.
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { declarationOf, EnumMember, isDurableClass, nodeOf, Query, type AnyClass } from '../../objects/door.ts';
import type { ExposedField, Exposure } from './exposed.ts';
import { isPrivate, type Access } from './access.ts';
import { exposureOfClass, exposureOfNode } from './object-exposure.ts';
import { hasRules, narrowed, ruleChanges } from './documented-access.ts';

/** What guest code sees and may do of an object or class. */
export interface ExposeOptions {
  /** The fields guest code sees; default: all public ones. */
  readonly fields?: readonly string[] | undefined;
  /** The methods guest code may call; default: all public ones. */
  readonly methods?: readonly string[] | undefined;
  /** Fields that cannot be assigned: all of them (`true`) or these. A live collection is read-only as a whole or not at all. */
  readonly readonly?: boolean | readonly string[] | undefined;
  /** Fields with a member of an enumeration that guest code may set to null. A field of a class that begins with null needs no mention. */
  readonly nullable?: readonly string[] | undefined;
  /** The name guest code sees. */
  readonly name?: string | undefined;
  /** An array, Map or Set that arrives as a live collection, and not as a copy. */
  readonly live?: boolean | undefined;
}

const queryMethods = ['count', 'first', 'toArray', 'page', 'reverse', 'limit', 'has'];

const chosen = new WeakMap<object, ExposeOptions>();
const computed = new WeakMap<object, Exposure>();
/** What rules that were said of an object leave to each role. */
const left = new WeakMap<Exposure, Map<string, { readonly exposure: Exposure; readonly as: number }>>();
const ruled = new WeakMap<object, { readonly is: boolean; readonly as: number }>();
const revoked = new WeakSet<object>();

/** Says what guest code may see of an object; returns the object. Called again, it replaces what was said, and ends a `revoke`. */
export function expose<Target extends object>(target: Target, options: ExposeOptions = {}): Target {
  refuseUnknownOptions('expose', options, {
    fields: true,
    methods: true,
    readonly: true,
    nullable: true,
    name: true,
    live: true,
  });
  if (nodeOf(target) !== undefined || isDurableClass(target))
    throw new InvalidOptionError(
      'expose is for ordinary objects. What guest code sees of a durable one is declared in its class: static durable = { hidden, readonly, acl }.',
    );
  if (options.live === true && collectionForm(target) === undefined) {
    throw new InvalidOptionError("expose: 'live' is for arrays, Maps and Sets.", { name: 'live' });
  }
  if (options.live === true || typeof target === 'function') {
    // What would be accepted here and then mean nothing could leave open what was meant to be closed.
    for (const name of ['fields', 'methods', 'nullable'] as const)
      if (options[name] !== undefined)
        throw new InvalidOptionError(`expose: '${name}' is for objects with members of their own.`, { name });
    if (Array.isArray(options.readonly))
      throw new InvalidOptionError("expose: 'readonly' is true or false here.", { name: 'readonly' });
  }
  chosen.set(target, options);
  computed.delete(target);
  revoked.delete(target);
  return target;
}

/** Whether the application said that guest code may set a field of an object to null. */
export function isExposedNullable(target: object, field: string): boolean {
  return chosen.get(target)?.nullable?.includes(field) === true;
}

/** Whether the application said that this object crosses by handle. */
export function isExposed(target: object): boolean {
  return chosen.has(target);
}

/** Whether a value crosses to guest code by handle: functions, exposed objects, class instances, and plain objects that have functions. */
export function crossesByHandle(value: object): boolean {
  if (typeof value === 'function' || nodeOf(value) !== undefined || isExposed(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null)
    return Object.values(Object.getOwnPropertyDescriptors(value)).some((member) => typeof member.value === 'function');
  return !(
    Array.isArray(value) ||
    value instanceof Date ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Error ||
    value instanceof RegExp ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value)
  );
}

/** Withdraws an object: from now on no guest code of this process can use it, whichever handle it holds. */
export function revoke(target: object): void {
  revoked.add(target);
}

export function isRevoked(target: object): boolean {
  return revoked.has(target);
}

/** What guest code of a role may see of an object of the application. */
export function exposureOf(target: object, role?: string): Exposure {
  const durable = exposureOfNode(target, role);
  if (durable !== undefined) return durable;
  if (isDurableClass(target)) return exposureOfClass(target, declarationOf(target).name, role);
  let exposure = computed.get(target);
  if (exposure === undefined) computed.set(target, (exposure = compute(target, chosen.get(target) ?? {})));
  return exposure.form === 'object' && isRuled(target) ? leftTo(role, target, exposure) : exposure;
}

/** Whether rules were said of an object or its classes; looked up again after rules were said. */
function isRuled(target: object): boolean {
  let known = ruled.get(target);
  if (known?.as !== ruleChanges())
    ruled.set(target, (known = { is: hasRules([target, ...classesOf(target)]), as: ruleChanges() }));
  return known.is;
}

function leftTo(role: string | undefined, target: object, whole: Exposure): Exposure {
  let roles = left.get(whole);
  if (roles === undefined)
    left.set(whole, (roles = new Map<string, { readonly exposure: Exposure; readonly as: number }>()));
  const known = roles.get(role ?? '');
  if (known?.as === ruleChanges()) return known.exposure;
  const { sees, writes } = narrowed(everything, [target, ...classesOf(target)], role);
  const exposure = {
    ...whole,
    fields: whole.fields
      .filter(({ name }) => sees(name))
      .map(({ name, writable }) => ({ name, writable: writable && writes(name) })),
    methods: whole.methods.filter(sees),
  };
  roles.set(role ?? '', { exposure, as: ruleChanges() });
  return exposure;
}

const everything: Access = { sees: () => true, writes: () => true };

/** The classes of an object, the nearest first; none of a plain one. */
export function classesOf(target: object): AnyClass[] {
  const classes: AnyClass[] = [];
  for (let level: unknown = Object.getPrototypeOf(target); level !== null; level = Object.getPrototypeOf(level)) {
    const made: unknown = Object.getOwnPropertyDescriptor(level, 'constructor')?.value;
    if (typeof made === 'function' && made !== Object) classes.push(made as AnyClass);
  }
  return classes;
}

function compute(target: object, options: ExposeOptions): Exposure {
  if (target instanceof Query)
    return { form: 'object', name: 'Query', fields: [], methods: queryMethods, iterable: true };
  const form =
    typeof target === 'function'
      ? 'function'
      : ((options.live === true ? collectionForm(target) : undefined) ?? 'object');
  const name = options.name ?? nameOf(target);
  if (form !== 'object')
    return { form, name, fields: [], methods: [], ...(options.readonly === true ? { readonly: true as const } : {}) };
  const found = members(target);
  const isReadonly = (field: string): boolean =>
    options.readonly === true || (Array.isArray(options.readonly) && options.readonly.includes(field));
  return {
    form,
    name,
    fields: found.fields
      .filter((field) => options.fields?.includes(field.name) ?? true)
      .map((field) => ({ name: field.name, writable: field.writable && !isReadonly(field.name) })),
    methods: found.methods.filter((method) => options.methods?.includes(method) ?? true),
  };
}

/** The public members: own fields first, then what the classes declare, the nearest one winning. */
function members(target: object): { fields: ExposedField[]; methods: string[] } {
  const fields = new Map<string, ExposedField>();
  const methods = new Set<string>();
  for (
    let level: object | null = target;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object | null
  ) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (isPrivate(name) || fields.has(name) || methods.has(name)) continue;
      if (typeof descriptor.value === 'function') methods.add(name);
      else if ('value' in descriptor) fields.set(name, { name, writable: descriptor.writable === true });
      else fields.set(name, { name, writable: descriptor.set !== undefined });
    }
  }
  return { fields: [...fields.values()], methods: [...methods] };
}

export function collectionForm(target: object): 'array' | 'map' | 'set' | undefined {
  if (Array.isArray(target)) return 'array';
  if (target instanceof Map) return 'map';
  return target instanceof Set ? 'set' : undefined;
}

function nameOf(target: object): string {
  if (target instanceof EnumMember) return target.enumeration;
  if (typeof target === 'function') return target.name === '' ? 'function' : target.name;
  const name: unknown = (target as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'Object';
}
