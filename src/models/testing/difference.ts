// Finds the first difference between two JSON values, for messages.
import type { JsonValue } from '../json.ts';

export interface Difference {
  readonly path: string;
  readonly expected: JsonValue | undefined;
  readonly actual: JsonValue | undefined;
}

/** The first difference, in the order of the expected value; undefined if they are equal. */
export function firstDifference(
  expected: JsonValue | undefined,
  actual: JsonValue | undefined,
  path: string,
): Difference | undefined {
  if (isContainer(expected) && isContainer(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    for (const name of names) {
      const inner = Array.isArray(expected) ? `${path}[${name}]` : `${path}.${name}`;
      const difference = firstDifference(member(expected, name), member(actual, name), inner);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return Object.is(expected, actual) ? undefined : { path, expected, actual };
}

export function describeDifference({ path, expected, actual }: Difference): string {
  return `at ${path}\n  recorded: ${show(expected)}\n  asked:    ${show(actual)}`;
}

function show(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

function isContainer(value: JsonValue | undefined): value is JsonValue[] | { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null;
}

function member(value: JsonValue[] | { [name: string]: JsonValue }, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? (value as { [name: string]: JsonValue })[name] : undefined;
}
