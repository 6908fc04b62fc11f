// Readers of options that several commands share.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from './errors.ts';

/** A whole number within bounds. */
export function wholeNumber(least: number, most: number): (option: string, text: string) => number {
  return (option, text) => {
    const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most))
      throw new UsageError(`${option} is '${text}'; it must be a whole number from ${least} to ${most}.`);
    return number;
  };
}

/** JSON, or `@file` with JSON in it. */
export function jsonOrFile(option: string, text: string, folder: string): unknown {
  const isFile = text.startsWith('@');
  const source = isFile ? readText(resolve(folder, text.slice(1))) : text;
  try {
    return JSON.parse(source) as unknown;
  } catch (error) {
    throw new UsageError(
      `${option} is not JSON${isFile ? ` (${text.slice(1)})` : ''}: ${(error as Error).message}. Quote it for the shell, as in ${option} '{"name":"Ann"}', or give @file.json.`,
    );
  }
}

/** JSON if it is JSON; anything else is the text itself. */
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
    throw new UsageError(`${option} must be a JSON object of names and values, as in '{"name":"Ann"}'.`);
  return value as Readonly<Record<string, unknown>>;
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}.`, { path }, error);
  }
}
