// Finds where the engine keeps the state of `Math.random`. No exported function tells, so it is found by its behaviour: the one
// word of the context that a call to `Math.random` changes and a call to `Math.abs` does not.
import type { Instance } from './instance.ts';
import { Values } from './values.ts';

const contextBytes = 1024;

/** The offset of the state from the start of the context; the same for every instance of a build. Uses the instance up. */
export function findRandomState(instance: Instance): number {
  const values = new Values(instance);
  const { exports } = instance;
  const context = exports.qjs_get_context_ptr();
  const changedBy = (source: string): Set<number> => {
    const before = Buffer.from(instance.bytes.subarray(context, context + contextBytes));
    values.withText('', (name) =>
      values.withText(source, (code, length) => values.free(values.own(exports.qjs_eval(code, length, name, 0)))),
    );
    const after = instance.bytes.subarray(context, context + contextBytes);
    const offsets = new Set<number>();
    for (let offset = 0; offset < contextBytes; offset += 8) {
      if (before.readBigUInt64LE(offset) !== after.readBigUInt64LE(offset)) offsets.add(offset);
    }
    return offsets;
  };
  const usual = new Set([...changedBy('Math.abs(1)'), ...changedBy('Math.abs(1)')]);
  const first = changedBy('Math.random()');
  const found = [...changedBy('Math.random()')].filter((offset) => first.has(offset) && !usual.has(offset));
  const [offset] = found;
  if (offset === undefined || found.length > 1)
    throw new Error(`the state of Math.random may be in ${found.length} places`);
  return offset;
}
