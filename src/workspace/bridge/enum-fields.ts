// Fields that hold a member of an enumeration: guest code may assign another member of it, null where that is declared, and nothing else.
import {
  declarationOf,
  EnumMember,
  firstValuesOf,
  isDurableClass,
  memberNames,
  nodeOf,
  ownOptions,
  readClassSource,
} from '../../objects/door.ts';
import { classesOf, isExposedNullable } from './exposure.ts';

/** Refuses a value for a field that holds a member now. A name in place of the member would be stored, and be no member for anybody. */
export function refuseOtherThanMember(target: object, field: string, value: unknown, name: string): void {
  const now: unknown = (target as Record<string, unknown>)[field];
  if (!(now instanceof EnumMember)) return;
  if (value instanceof EnumMember && value.enumeration === now.enumeration) return;
  const isEmpty = value === null || value === undefined;
  if (isEmpty && isNullable(target, field)) return;
  const names = memberNames(now.enumeration);
  throw new TypeError(
    `The field '${field}' of ${name} takes a member of ${now.enumeration} (${names.join(', ')}), not ${told(value)}. ${isEmpty ? adviceFor(target, field) : 'Assign the member itself.'}`,
  );
}

/** Types are gone at run time: a field may be null if it begins with null, or if the application says so. */
function isNullable(target: object, field: string): boolean {
  if (isExposedNullable(target, field)) return true;
  const classes = classesOf(target);
  const [own] = classes;
  if (own === undefined) return false;
  if (!isDurableClass(own)) return classes.some((level) => readClassSource(level).firstValues.get(field) === null);
  const declaration = declarationOf(own);
  return (
    firstValuesOf(declaration).get(field) === null ||
    declaration.options.defaults?.[field] === null ||
    classes.some((level) => ownOptions(level)?.nullable?.includes(field) === true)
  );
}

function adviceFor(target: object, field: string): string {
  const [own] = classesOf(target);
  if (own === undefined && nodeOf(target) !== undefined) return 'Delete it if there is to be none.';
  const option = `{ nullable: ['${field}'] }`;
  return `If it may be null, the application says so with ${own !== undefined && isDurableClass(own) ? `static durable = ${option}` : `expose(…, ${option})`}.`;
}

function told(value: unknown): string {
  if (value instanceof EnumMember) return `${value.enumeration}.${value.name}`;
  if (typeof value === 'string') return 'a string';
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' || typeof value === 'function' ? 'an object' : `a ${typeof value}`;
}
