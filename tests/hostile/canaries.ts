// Things of this process that no guest code may change: the objects every program here builds on, compared before and after.
import { isDeepStrictEqual } from 'node:util';
import { secret } from './world.ts';

const watched: Readonly<Record<string, object>> = {
  globalThis,
  'Object.prototype': Object.prototype,
  Object,
  'Array.prototype': Array.prototype,
  'Function.prototype': Function.prototype,
  'Promise.prototype': Promise.prototype,
  'Map.prototype': Map.prototype,
  'Set.prototype': Set.prototype,
  'String.prototype': String.prototype,
  'Error.prototype': Error.prototype,
  Error,
  'RegExp.prototype': RegExp.prototype,
  'Date.prototype': Date.prototype,
  'Uint8Array.prototype': Uint8Array.prototype,
  JSON,
  Reflect,
  'process.env': process.env,
};

/** Plants the secret where a program that got out would find it. */
export function plantCanaries(): void {
  Object.defineProperty(globalThis, 'hostCanary', { value: secret, configurable: true, enumerable: true });
  process.env['HOST_CANARY'] = secret;
  // Some globals of the host become plain members when they are first read.
  for (const key of Reflect.ownKeys(globalThis)) void Reflect.get(globalThis, key);
}

export type CanaryState = ReadonlyMap<string, readonly (readonly [PropertyKey, PropertyDescriptor | undefined])[]>;

export function canaryState(): CanaryState {
  return new Map(
    Object.entries(watched).map(([name, object]) => [
      name,
      Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)] as const),
    ]),
  );
}

/** The names of what changed. */
export function changedCanaries(before: CanaryState): string[] {
  const now = canaryState();
  return [...before].flatMap(([name, members]) => {
    const current = now.get(name) ?? [];
    const isSame =
      current.length === members.length &&
      current.every(([key, descriptor], index) => {
        const [oldKey, old] = members[index] ?? [];
        return key === oldKey && isSameDescriptor(old, descriptor);
      });
    return isSame ? [] : [name];
  });
}

function isSameDescriptor(a: PropertyDescriptor | undefined, b: PropertyDescriptor | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    Object.is(a.value, b.value) &&
    a.get === b.get &&
    a.set === b.set &&
    isDeepStrictEqual([a.writable, a.enumerable, a.configurable], [b.writable, b.enumerable, b.configurable])
  );
}
