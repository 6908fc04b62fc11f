// Parsers of option values, shared by commands.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from './errors.ts';
import { fileReason } from '../output/file-errors.ts';

/** Parses an integer from `min` to `max`. */
export function wholeNumber(min: number, max: number): (option: string, text: string) => number {
  return (option, text) => {
    const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new UsageError(`${option}: '${text}' is not a whole number from ${min} to ${max}.`);
    return number;
  };
}

/** Parses JSON, given as text or as `@file`. */
export function jsonOrFile(option: string, text: string, folder: string): unknown {
  const isFile = text.startsWith('@');
  const source = isFile ? readText(resolve(folder, text.slice(1))) : text;
  try {
    return JSON.parse(source) as unknown;
  } catch (error) {
    throw new UsageError(
      `${option} is not JSON${isFile ? ` (${text.slice(1)})` : ''}: ${(error as Error).message}. Quote it for the shell, as in ${option} '{"name":"Ann"}', or pass @file.json.`,
    );
  }
}

/** Parses JSON; anything else is a string. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function jsonObject(option: string, text: string, folder: string): Readonly<Record<string, unknown>> {
  const value = jsonOrFile(option, text, folder);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${option} must be a JSON object, as in '{"name":"Ann"}'.`);
  return value as Readonly<Record<string, unknown>>;
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read ${path}: ${fileReason(error) ?? (error as Error).message}.`, { path }, error);
  }
}
