// An expression in the course of time: its value at many commits, and the first commit at which it is true.
import { setImmediate } from 'node:timers/promises';
import { InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { WorkspaceContext } from '../context.ts';
import type { LanguageName } from '../language-name.ts';
import { LimitError } from '../errors.ts';
import type { WorkspaceRow } from '../rows.ts';
import type { Commit } from '../../history/door.ts';
import { Past } from './past.ts';

/** Which commits an expression is evaluated at, by their sequence numbers, both included. */
export interface WatchOptions {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Evaluations at most; default: 100, 1,000 at most. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A commit by its place in the history. */
export interface CommitPlace {
  readonly hash: string;
  readonly sequence: number;
  readonly time: Date;
}

/** What an expression was at a commit: a value, or why it has none. */
export type WatchedValue = CommitPlace &
  ({ readonly value: unknown; readonly error?: undefined } | { readonly error: string; readonly value?: undefined });

/** The values of an expression, oldest first. */
export interface Watched {
  readonly values: readonly WatchedValue[];
  /** There are more commits between the first and the last one. */
  readonly isSampled: boolean;
}

/** The first commit at which an expression is true, if there is one, and how often it was evaluated. */
export interface Found {
  readonly found: CommitPlace | undefined;
  readonly evaluated: number;
  /** If it had a value at none of the commits, such as one with a misspelt name: why it has none at the latest. */
  readonly error?: string;
}

/** Looked at before giving up on an expression that is not true now. */
const probes = 32;

export async function watchExpression(
  context: WorkspaceContext,
  row: WorkspaceRow,
  code: string,
  options: WatchOptions,
): Promise<Watched> {
  refuseUnknownOptions('watch', options, { from: true, to: true, limit: true, signal: true });
  const limit = wholeNumberOption('watch', 'limit', options.limit ?? 100, 1, 1000);
  refuseNoCode('watch', code);
  const head = await context.history.head(row.id);
  const to = Math.min(wholeNumberOption('watch', 'to', options.to ?? head.sequence, 0, Infinity), head.sequence);
  const from = wholeNumberOption('watch', 'from', options.from ?? 0, 0, Infinity);
  const commits = await commitsBetween(context, row.id, from, to, limit);
  const values: WatchedValue[] = [];
  for (const commit of commits) {
    // Others are not kept waiting for all of it.
    await setImmediate();
    options.signal?.throwIfAborted();
    const value = await valueAt(context, row, commit, code);
    refuseSyntax('watch', value, row.language);
    values.push(value);
  }
  const [first, last] = [commits[0]?.sequence ?? 0, commits.at(-1)?.sequence ?? -1];
  return { values, isSampled: last - first + 1 > commits.length };
}

export async function findFirst(
  context: WorkspaceContext,
  row: WorkspaceRow,
  code: string,
  { signal }: Pick<WatchOptions, 'signal'>,
): Promise<Found> {
  refuseNoCode('find', code);
  let evaluated = 0;
  const errors: string[] = [];
  const isTrueAt = async (commit: Commit): Promise<boolean> => {
    evaluated++;
    await setImmediate();
    signal?.throwIfAborted();
    const valued = await valueAt(context, row, commit, code);
    refuseSyntax('find', valued, row.language);
    const { value, error } = valued;
    if (error !== undefined) errors.push(error);
    return error === undefined && isTrue(value, row.language);
  };
  const head = await context.history.head(row.id);
  const known = await commitsBetween(context, row.id, 0, head.sequence, probes);
  // From the newest back: an expression that becomes true once is true now.
  let index = known.length - 1;
  while (index >= 0 && !(await isTrueAt(known[index] as Commit))) index--;
  let first = known[index];
  if (first === undefined) {
    const [latest] = errors;
    return {
      found: undefined,
      evaluated,
      ...(latest !== undefined && errors.length === evaluated ? { error: latest } : {}),
    };
  }
  // False at `low` (or before the history begins), true at `first`.
  while (index > 0 && (await isTrueAt(known[index - 1] as Commit))) first = known[--index] as Commit;
  let low = known[index - 1]?.sequence ?? -1;
  while (low + 1 < first.sequence) {
    const middle = await commitAt(context, row.id, Math.floor((low + first.sequence) / 2));
    if (middle === undefined || middle.sequence <= low) {
      // Retention dropped what was there.
      low = Math.floor((low + first.sequence) / 2);
      continue;
    }
    if (await isTrueAt(middle)) first = middle;
    else low = middle.sequence;
  }
  return { found: placeOf(first), evaluated };
}

/** What is no code is so at every commit, so it is said once. Python finds out when it runs. */
function refuseSyntax(what: string, { error }: WatchedValue, language: LanguageName): void {
  if (language === 'python' && error !== undefined && /^(?:Syntax|Indentation|Tab)Error\b/.test(error))
    throw new InvalidOptionError(`${what}: the expression is not Python: ${error}`, { code: error });
}

function refuseNoCode(what: string, code: unknown): asserts code is string {
  if (typeof code !== 'string' || code.trim() === '')
    throw new InvalidOptionError(`${what} needs an expression, such as "total < 0".`, { code });
}

/** Commits in a range, oldest first; if there are more than `limit`, so many of them, evenly. */
async function commitsBetween(
  context: WorkspaceContext,
  chain: string,
  from: number,
  to: number,
  limit: number,
): Promise<readonly Commit[]> {
  const count = to - from + 1;
  if (count <= 0) return [];
  if (count <= limit) {
    const { commits } = await context.history.list(chain, { limit: count, before: to + 1 });
    return commits.filter(({ sequence }) => sequence >= from).toReversed();
  }
  const found = new Map<number, Commit>();
  for (let index = 0; index < limit; index++) {
    const wanted = limit === 1 ? to : from + Math.round((index * (to - from)) / (limit - 1));
    const commit = await commitAt(context, chain, wanted);
    if (commit !== undefined && commit.sequence >= from) found.set(commit.sequence, commit);
  }
  return [...found.values()];
}

/** The newest commit up to a sequence number. */
async function commitAt({ history }: WorkspaceContext, chain: string, sequence: number): Promise<Commit | undefined> {
  return (await history.list(chain, { limit: 1, before: sequence + 1 })).commits[0];
}

async function valueAt(
  context: WorkspaceContext,
  row: WorkspaceRow,
  commit: Commit,
  code: string,
): Promise<WatchedValue> {
  const place = placeOf(commit);
  const past = await Past.open(context, row, commit.hash);
  try {
    return { ...place, value: await past.run(code) };
  } catch (error) {
    // What the code itself threw, and what stopped it; a store that cannot be read is no value of an expression.
    if (error instanceof LimitError || (error instanceof Error && error.constructor === Error))
      return { ...place, error: `${error.name}: ${error.message}` };
    throw error;
  }
}

function placeOf({ hash, sequence, time }: Commit): CommitPlace {
  return { hash, sequence, time: new Date(time) };
}

/** In Python empty collections are false. */
function isTrue(value: unknown, language: LanguageName): boolean {
  if (language !== 'python' || typeof value !== 'object' || value === null) return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map || value instanceof Set) return value.size > 0;
  return Object.getPrototypeOf(value) !== Object.prototype || Object.keys(value).length > 0;
}
