// Values of programs and applications as JSON and as text. JSON cannot express all of them: dates become ISO strings, maps
// lists of pairs, and functions and handles a description.
import { nodeOf } from '../../objects/node.ts';
import { render } from '../../workspace/wire/render.ts';
import { CutMembers, GuestFunction, GuestInstance, GuestText } from '../../workspace/wire/decode.ts';
import { harmless } from './style.ts';

const maxDepth = 20;

export function jsonValue(value: unknown, depth = 0, seen: readonly object[] = []): unknown {
  if (value === undefined || value === null) return null;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return String(value);
    case 'object':
      return seen.includes(value) || depth > maxDepth ? '[circular]' : jsonObject(value, depth + 1, [...seen, value]);
    default:
      return render(value);
  }
}

function jsonObject(value: object, depth: number, seen: readonly object[]): unknown {
  const inner = (member: unknown): unknown => jsonValue(member, depth, seen);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof GuestInstance) return record({ '[class]': value.className, ...value.fields }, inner);
  if (value instanceof GuestFunction || value instanceof GuestText || value instanceof CutMembers) return render(value);
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof Map)
    return [...(value as Map<unknown, unknown>)].map(([key, member]) => [inner(key), inner(member)]);
  if (value instanceof Set) return [...(value as Set<unknown>)].map(inner);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (ArrayBuffer.isView(value)) return render(value);
  const node = nodeOf(value);
  if (node !== undefined) return record({ '[class]': node.type, ...value }, inner);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? record(value, inner) : render(value);
}

function record(value: object, inner: (member: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]));
}

/** As text, safe to print on a terminal. */
export function shownValue(value: unknown, maxLength = 2000): string {
  return harmless(render(value, { expand: 4, maxLength }));
}
