// Converts values to JSON for clients: data as JSON, everything else as the text that models see.
import { crossesByHandle, render } from '../../workspace/door.ts';

const maxDepth = 20;

export function jsonOf(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'undefined':
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      break;
    default:
      return render(value);
  }
  if (value === null) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (depth > maxDepth) return '…';
  // Objects of the application are shown as guest code sees them.
  if (crossesByHandle(value)) return render(value);
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, depth + 1) ?? null);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return render(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonOf(member, depth + 1)]));
}
