// Fields that hold a member of an enumeration: guest code may assign another member of it, and nothing else.
import { EnumMember, memberNames } from '../../objects/enumeration.ts';

/** Refuses a value for a field that holds a member now. A name in place of the member would be stored, and be no member for anybody. */
export function refuseOtherThanMember(target: object, field: string, value: unknown, name: string): void {
  const now: unknown = (target as Record<string, unknown>)[field];
  if (!(now instanceof EnumMember)) return;
  if (value instanceof EnumMember && value.enumeration === now.enumeration) return;
  const names = memberNames(now.enumeration);
  throw new TypeError(
    `The field '${field}' of ${name} takes a member of ${now.enumeration} (${names.join(', ')}), not ${told(value)}. Assign the member itself.`,
  );
}

function told(value: unknown): string {
  if (value instanceof EnumMember) return `${value.enumeration}.${value.name}`;
  if (typeof value === 'string') return 'a string';
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' || typeof value === 'function' ? 'an object' : `a ${typeof value}`;
}
