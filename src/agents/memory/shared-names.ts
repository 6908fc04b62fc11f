// Facts as variables of a job's program: readable by their names, and not to be assigned over, because others share them.
import type { Json } from '../../history/door.ts';
import type { Language } from '../prompts/metadata.ts';

const identifier = /^[A-Za-z_$][\w$]*$/;

export interface SharedFact {
  readonly name: string;
  readonly value: Json;
}

/** Code that defines facts whose names can be variables; a name that means something else already is left alone. */
export function sharedSource(facts: readonly SharedFact[], language: Language): string | undefined {
  const named = facts.filter(({ name }) => identifier.test(name) && !name.startsWith('__'));
  if (named.length === 0) return undefined;
  const data = JSON.stringify(Object.fromEntries(named.map(({ name, value }) => [name, value])));
  // A program that began before there was such a function is only told.
  if (language === 'python') return `try:\n    __statek_share__(${JSON.stringify(data)})\nexcept NameError:\n    pass`;
  return `for (const [name, value] of Object.entries(JSON.parse(${JSON.stringify(data)}))) {
  const known = Object.getOwnPropertyDescriptor(globalThis, name);
  if (known === undefined ? !(name in globalThis) : known.writable === false && known.configurable)
    Object.defineProperty(globalThis, name, { value, writable: false, enumerable: true, configurable: true });
}`;
}
