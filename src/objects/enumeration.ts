// Durable enumerations: named values that keep their identity across restarts.
import { InvalidOptionError } from '../base/options.ts';
import { DurableClassError, ObjectGoneError } from './errors.ts';

/** One value of an enumeration. */
export class EnumMember {
  readonly enumeration: string;
  readonly name: string;
  readonly ordinal: number;

  /** @internal */
  constructor(enumeration: string, name: string, ordinal: number) {
    this.enumeration = enumeration;
    this.name = name;
    this.ordinal = ordinal;
    Object.freeze(this);
  }

  toString(): string {
    return this.name;
  }

  toJSON(): string {
    return this.name;
  }
}

const enumerations = new Map<string, ReadonlyMap<string, EnumMember>>();

/** Declares an enumeration with the stored name `name`: `const Status = durableEnum('Status', ['OPEN', 'DONE'])`. */
export function durableEnum<const Name extends string>(
  name: string,
  members: readonly Name[],
): Readonly<Record<Name, EnumMember>> & Iterable<EnumMember> {
  if (typeof name !== 'string' || name === '')
    throw new InvalidOptionError("durableEnum needs a name, as in durableEnum('Status', ['OPEN', 'DONE']).");
  const given = new Map(members.map((member, ordinal) => [member as string, new EnumMember(name, member, ordinal)]));
  if (given.size !== members.length || given.size === 0)
    throw new InvalidOptionError(`durableEnum '${name}' needs at least one member, and distinct names.`, { name });
  const known = enumerations.get(name);
  if (known !== undefined && [...known.keys()].join() !== [...given.keys()].join())
    throw new DurableClassError(`Two enumerations named '${name}' have different members. Rename one of them.`, {
      name,
    });
  // A module that is loaded twice declares the same enumeration.
  const values = known ?? given;
  enumerations.set(name, values);
  const result = Object.create(null) as Record<string | symbol, unknown>;
  for (const [member, value] of values) result[member] = value;
  Object.defineProperty(result, Symbol.iterator, { value: () => values.values() });
  return Object.freeze(result) as Readonly<Record<Name, EnumMember>> & Iterable<EnumMember>;
}

/** The member with this name; undefined if it is not declared. */
export function findEnumMember(enumeration: string, name: string): EnumMember | undefined {
  return enumerations.get(enumeration)?.get(name);
}

/** The names of all members of an enumeration. */
export function memberNames(enumeration: string): readonly string[] {
  return [...(enumerations.get(enumeration)?.keys() ?? [])];
}

export function enumMember(enumeration: string, name: string): EnumMember {
  const member = findEnumMember(enumeration, name);
  if (member === undefined)
    throw new ObjectGoneError(
      `A stored value is ${enumeration}.${name}, which is not declared. Add it to durableEnum('${enumeration}', […]).`,
      { enumeration, name },
    );
  return member;
}
