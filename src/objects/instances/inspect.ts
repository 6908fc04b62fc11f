// Makes durable objects and collections print like ordinary ones.
import { inspect, type InspectOptions } from 'node:util';
import { ObjectGoneError } from '../errors.ts';
import { idText, nodeOf } from '../node.ts';

/** The objects being printed. Stand-ins are new each time, so `inspect` itself would not detect cycles. */
const shownNow = new Set<object>();

export function inspectNode(value: object, depth: number | null, options: InspectOptions): unknown {
  const node = nodeOf(value);
  if (node === undefined) return value;
  const { type } = node;
  if (shownNow.has(value)) return '[Circular]';
  if (depth !== null && depth < 0) return `[${type === 'array' ? 'Array' : type === 'object' ? 'Object' : type}]`;
  shownNow.add(value);
  try {
    const inner = { ...options, depth: options.depth === null || options.depth === undefined ? null : depth };
    if (Array.isArray(value)) return inspect([...(value as unknown[])], inner);
    if (value instanceof Map) return inspect(new Map(value), inner);
    if (value instanceof Set) return inspect(new Set(value), inner);
    // A plain stand-in with the same class name.
    const shown = Object.create(standIn(type), Object.getOwnPropertyDescriptors(value)) as object;
    return inspect(shown, inner);
  } catch (error) {
    if (!(error instanceof ObjectGoneError)) throw error;
    return `[gone: ${type} ${idText(node.space, node.id)}]`;
  } finally {
    shownNow.delete(value);
  }
}

function standIn(type: string): object | null {
  if (type === 'object') return Object.prototype;
  // Only the name of the class is shown.
  function Shown(): void {}
  Object.defineProperty(Shown, 'name', { value: type });
  return Shown.prototype as object;
}
