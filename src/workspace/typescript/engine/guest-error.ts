// Turns what a guest threw into data, and host refusals into guest errors. Properties are read from descriptors along the
// prototype chain, so no getter and no proxy runs: describing an error must not give the guest another turn.
import type { GuestError } from './engine.ts';
import { hiddenProperty, tag } from './exports.ts';
import type { Box, EngineExports } from './exports.ts';
import type { Values } from './values.ts';

const maxChainLength = 16;
/** Characters of a name, message or stack. A program can throw many errors, and all of these texts are the host's to keep. */
const maxTextLength = 16 * 1024;

/** Describes a thrown value; the box stays the caller's. `stackGetter` is the engine's own, kept since before guest code could replace it. */
export function describeThrown(exports: EngineExports, values: Values, thrown: Box, stackGetter?: Box): GuestError {
  if (values.tag(thrown) !== tag.object) {
    const { type, value } = values.toData(thrown, maxTextLength);
    return { name: '', message: value === undefined ? type : String(value), stack: '' };
  }
  const read = (name: string): string => readTextProperty(exports, values, thrown, name) ?? '';
  const stack = stackGetter === undefined ? '' : readStack(exports, values, thrown, stackGetter);
  return { name: read('name'), message: read('message'), stack };
}

function readStack(exports: EngineExports, values: Values, error: Box, stackGetter: Box): string {
  if (exports.qjs_is_error(error) === 0) return '';
  const box = values.own(exports.qjs_call(stackGetter, error, 0, 0));
  if (values.isException(box)) values.dropException();
  const { type, value } = values.toData(box, maxTextLength);
  values.free(box);
  return type === 'string' ? (value as string) : '';
}

function readTextProperty(exports: EngineExports, values: Values, start: Box, name: string): string | undefined {
  const key = values.fromData(name);
  let found: string | undefined;
  let object = start;
  for (let hops = 0; hops < maxChainLength && values.tag(object) === tag.object; hops++) {
    if (exports.qjs_is_proxy(object) !== 0) break;
    const descriptor = exports.qjs_get_own_property_descriptor(object, key);
    if (descriptor !== 0) {
      found = readDescriptor(exports, values, values.own(descriptor));
      break;
    }
    const next = values.own(exports.qjs_get_prototype_of(object));
    if (object !== start) values.free(object);
    object = next;
  }
  if (object !== start) values.free(object);
  values.free(key);
  return found;
}

/** The text in a descriptor's own `value`; an accessor has none and is left alone. Frees the descriptor. */
function readDescriptor(exports: EngineExports, values: Values, descriptor: Box): string | undefined {
  if (values.isException(descriptor)) {
    values.free(descriptor);
    values.dropException();
    return undefined;
  }
  const text = values.withText('value', (name) => {
    if (exports.qjs_has_own_property(descriptor, name) !== 1) return undefined;
    const box = values.own(exports.qjs_get_prop_string(descriptor, name));
    const { type, value } = values.toData(box, maxTextLength);
    values.free(box);
    return type === 'string' ? (value as string) : undefined;
  });
  values.free(descriptor);
  return text;
}

/** Makes an error of that name and message the pending exception. */
export function throwInGuest(exports: EngineExports, values: Values, name: string, message: string): void {
  const error = values.own(exports.qjs_new_error());
  if (!values.isException(error)) {
    for (const [property, text] of Object.entries({ name, message })) {
      const box = values.fromData(text);
      if (values.isException(box)) values.dropException();
      else values.withText(property, (pointer) => exports.qjs_define_prop_string(error, pointer, box, hiddenProperty));
      values.free(box);
    }
    values.free(values.own(exports.qjs_throw(error)));
  }
  values.free(error);
}
