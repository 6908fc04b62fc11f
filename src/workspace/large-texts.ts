// What calls are given and return may be large, and the rows that tell of them change several times. A large text is
// therefore kept once, in a row of its own, and other rows only name it.
import { createHash } from 'node:crypto';
import { recordCollection } from '../store/collection.ts';
import type { Store, Write } from '../store/store.ts';

/** Texts by who needs them (a workspace or a job) and their hash. */
export const largeTextRows = recordCollection<string>('large_texts');

/** Longer texts are kept in a row of their own. */
const longest = 8 * 1024;
/** Messages begin with a bracket, so this cannot be mistaken for one. */
const mark = '@';

export interface OffloadedText {
  /** The text, or what stands for it. */
  readonly text: string;
  readonly writes: readonly Write[];
}

export function offloadText(owner: string, text: string): OffloadedText {
  if (text.length <= longest || !isWhole(text)) return { text, writes: [] };
  const hash = createHash('sha256').update(text).digest('base64url');
  return {
    text: `${mark}${hash}:${text.length}`,
    writes: [{ kind: 'put', collection: largeTextRows, key: [owner, hash], value: text }],
  };
}

/** It is not kept elsewhere. */
export function isWhole(text: string): boolean {
  return !text.startsWith(mark);
}

/** The whole of a text that may have been kept elsewhere. */
export async function loadText(store: Store, owner: string, text: string): Promise<string> {
  if (isWhole(text)) return text;
  const [entry] = await store.read(largeTextRows, [[owner, hashIn(text)]]);
  if (entry === undefined) throw new Error(`The text ${text} of '${owner}' is not in the store.`);
  return entry.value;
}

/** How long it is, in characters. */
export function lengthOfText(text: string): number {
  return isWhole(text) ? text.length : Number(text.slice(text.indexOf(':') + 1));
}

function hashIn(text: string): string {
  return text.slice(1, text.indexOf(':'));
}
