// What guest code may see of durable objects: their public fields and methods, minus what their class withholds, from
// everybody or from some roles. Decided per class and role, checked on every use.
import { durableBases, nodeOf, ownOptions, type AnyClass, type DurableOptions, type Node } from '../../objects/door.ts';
import { accessRules, type Access } from './access.ts';
import type { Exposure } from './exposed.ts';
import { narrowed, ruleChanges } from './documented-access.ts';

interface ClassExposure {
  readonly exposure: Exposure;
  readonly access: Access;
  /** As of which change of the rules. */
  readonly as: number;
}

const byClass = new WeakMap<AnyClass, Map<string, ClassExposure>>();

/** What guest code of a role may see of a durable object or collection; undefined if it is neither. */
export function exposureOfNode(target: object, role: string | undefined): Exposure | undefined {
  const node = nodeOf(target);
  if (node === undefined) return undefined;
  switch (node.type) {
    case 'array':
    case 'map':
    case 'set':
      return { form: node.type, name: node.type, fields: [], methods: [] };
    case 'object':
      return { form: 'record', name: 'Object', fields: [], methods: [] };
    case 'index':
      return { form: 'object', name: 'ObjectIndex', fields: [], methods: indexMethods, iterable: true };
    default:
      return classExposure(node, role).exposure;
  }
}

const indexMethods = ['add', 'remove', 'select', 'sort', 'count', 'page'];

/** Which members of a durable object a role may use; undefined for what has no class of its own. */
export function accessTo(target: object, role: string | undefined): Access | undefined {
  const node = nodeOf(target);
  if (node === undefined || ['array', 'map', 'set', 'object', 'index'].includes(node.type)) return undefined;
  return classExposure(node, role).access;
}

/** What guest code of a role sees of a durable class: it can be made with `new`, and has its public static methods. */
export function exposureOfClass(target: AnyClass, name: string, role: string | undefined): Exposure {
  const methods: string[] = [];
  const levels = levelsOf(target);
  // Names that are withheld from a role are withheld wherever they stand.
  const access = narrowed(accessRules(declaredBy(levels), role), levels, role);
  for (const level of levels)
    for (const [member, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(level)))
      if (typeof descriptor.value === 'function' && access.sees(member) && !methods.includes(member))
        methods.push(member);
  return { form: 'class', name, fields: [], methods, is: [name] };
}

function classExposure({ objects, type }: Node, role: string | undefined): ClassExposure {
  const target = objects.classes.named(type)?.target;
  if (target === undefined) {
    const access = accessRules([{ readonly: true }], role);
    return { access, exposure: { form: 'record', name: type, fields: [], methods: [], is: [type] }, as: 0 };
  }
  let roles = byClass.get(target);
  if (roles === undefined) byClass.set(target, (roles = new Map<string, ClassExposure>()));
  let known = roles.get(role ?? '');
  if (known === undefined || known.as !== ruleChanges())
    roles.set(role ?? '', (known = compute(target, type, role, (level) => objects.classes.has(level))));
  return known;
}

function compute(
  target: AnyClass,
  name: string,
  role: string | undefined,
  isRegistered: (level: AnyClass) => boolean,
): ClassExposure {
  const levels = levelsOf(target);
  const access = narrowed(accessRules(declaredBy(levels), role), levels, role);
  const methods = new Set<string>();
  for (let level = target.prototype as object | null; level !== null && level !== Object.prototype;) {
    for (const [member, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(level)))
      if (typeof descriptor.value === 'function' && access.sees(member)) methods.add(member);
    level = Object.getPrototypeOf(level) as object | null;
  }
  const is = levels
    .filter((level) => level === target || isRegistered(level))
    .map((level) => (level === target ? name : nameOf(level)));
  return { access, exposure: { form: 'record', name, fields: [], methods: [...methods], is }, as: ruleChanges() };
}

/** What each of these classes declares itself, nearest first. */
function declaredBy(levels: readonly AnyClass[]): DurableOptions[] {
  return levels.flatMap((level) => ownOptions(level) ?? []);
}

function nameOf(level: AnyClass): string {
  return ownOptions(level)?.name ?? level.name;
}

/** A class and those it extends, up to the durable base. */
function levelsOf(target: AnyClass): AnyClass[] {
  const levels: AnyClass[] = [];
  for (
    let level: unknown = target;
    typeof level === 'function' && level !== Function.prototype;
    level = Object.getPrototypeOf(level)
  )
    if (!durableBases.has(level)) levels.push(level as AnyClass);
  return levels;
}
