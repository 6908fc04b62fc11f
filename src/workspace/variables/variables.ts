// Variables the application gives to a program: data is copied in, objects and functions are bound by the variable's name.
import { InvalidOptionError } from '../../base/options.ts';
import { isDurableClass, nodeOf, Query } from '../../objects/door.ts';
import { crossesByHandle } from '../bridge/exposure.ts';
import type { Loaded } from '../slices/loaded.ts';
import { encodeWire, handleMessage } from '../wire/encode.ts';
import type { WireMessage } from '../wire/wire.ts';

export interface GivenVariables {
  /** What must be given again in every process. */
  readonly objects: ReadonlyMap<string, object>;
  /** The variables that hold objects: those above, and durable ones. */
  readonly names: ReadonlySet<string>;
  /** Definitions for the program; for an existing one only of objects it does not know yet. */
  messages(loaded: Loaded, isNew: boolean): readonly { name: string; message: WireMessage }[];
}

export function isVariableName(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
}

export function variablesOf(variables: Readonly<Record<string, unknown>>, workspace: string): GivenVariables {
  const objects = new Map<string, object>();
  const names = new Set<string>();
  for (const [name, value] of Object.entries(variables)) {
    if (!isVariableName(name))
      throw new InvalidOptionError(`'${name}' cannot be a variable of workspace '${workspace}'.`, { name });
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') {
      // What is durable is found again without being given.
      const isFound = nodeOf(value) !== undefined || isDurableClass(value) || value instanceof Query;
      if (isFound || crossesByHandle(value)) names.add(name);
      if (crossesByHandle(value) && !isFound) objects.set(name, value);
    }
  }
  return {
    objects,
    names,
    messages: ({ row, handles }, isNew) =>
      Object.entries(variables)
        .filter(([name]) => isNew || (names.has(name) && !row.bindings.includes(name)))
        .map(([name, value]) => {
          const object = objects.get(name);
          const message =
            object === undefined
              ? encodeWire(value, { maxBytes: row.limits.valueBytes, handleFor: (target) => handles.tokenFor(target) })
              : handleMessage(handles.tokenFor(object));
          return { name, message };
        }),
  };
}
