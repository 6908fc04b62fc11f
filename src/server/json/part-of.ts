// A part of a value, found by its path, as JSON: how clients look at large values branch by branch.
import { RequestError } from '../http/problem.ts';
import { jsonOf } from './values.ts';

/** Which part of a value, and which of its members. */
export interface PartQuery {
  /** Names and indexes as a JSON list, such as `["rooms",0,"name"]`; default: the value itself. */
  readonly path?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface Part {
  readonly value: unknown;
  /** How many members it has in all, if it has members. */
  readonly total?: number;
}

export function partOf(whole: unknown, { path, offset, limit }: PartQuery): Part {
  let value = whole;
  for (const name of namesIn(path)) value = memberOf(value, name);
  if (Array.isArray(value)) return { value: jsonOf(value.slice(offset, offset + limit)), total: value.length };
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return { value: jsonOf(value) ?? null };
  const entries = Object.entries(value);
  return { value: jsonOf(Object.fromEntries(entries.slice(offset, offset + limit))), total: entries.length };
}

/** The names of a path that is given as text. */
export function namesIn(path: string | undefined): readonly (string | number)[] {
  if (path === undefined || path === '') return [];
  try {
    const names: unknown = JSON.parse(path);
    if (Array.isArray(names) && names.every((name) => typeof name === 'string' || Number.isInteger(name)))
      return names as (string | number)[];
  } catch {
    // Refused below.
  }
  throw new RequestError(400, 'INVALID_REQUEST', '\'path\' must be a JSON list of names, such as ["rooms",0].');
}

function memberOf(value: unknown, name: string | number): unknown {
  if (value instanceof Map) return value.get(name);
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, name))
    return (value as Record<string | number, unknown>)[name];
  throw new RequestError(404, 'NOT_FOUND', `There is nothing at '${String(name)}'.`);
}
