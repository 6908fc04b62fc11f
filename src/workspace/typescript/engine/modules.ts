// What `import` in guest code finds: the modules the application registered, and nothing else.
import type { Modules } from './engine.ts';
import type { EngineExports, Pointer } from './exports.ts';
import { throwInGuest } from './guest-error.ts';
import type { Instance } from './instance.ts';
import type { Values } from './values.ts';

/** Pointers to text the engine frees; 0 with a pending exception if there is no such module. */
export function resolveModule(
  exports: EngineExports,
  values: Values,
  modules: Modules | undefined,
  from: Pointer,
  specifier: Pointer,
): Pointer {
  const wanted = values.readCText(specifier);
  const name = modules?.resolve(values.readCText(from), wanted);
  if (name !== undefined) return values.giveText(name).pointer;
  throwInGuest(exports, values, 'ReferenceError', `there is no module '${wanted}'`);
  return 0;
}

export function loadModule(
  instance: Instance,
  values: Values,
  modules: Modules | undefined,
  name: Pointer,
  lengthOut: Pointer,
): Pointer {
  const wanted = values.readCText(name);
  const source = modules?.load(wanted);
  if (source === undefined) {
    throwInGuest(instance.exports, values, 'ReferenceError', `there is no module '${wanted}'`);
    return 0;
  }
  const { pointer, length } = values.giveText(source);
  instance.setWord(lengthOut, length);
  return pointer;
}
