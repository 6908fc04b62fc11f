// What calls are given and return may be large, and the rows that tell of them change several times. A large text is
// therefore kept once, in a row of its own, and other rows only name it.
import { createHash } from 'node:crypto';
import { recordCollection, type Store, type Write } from '../store/door.ts';
import type { WireMessage } from './wire/wire.ts';

/** Texts by who needs them (a workspace or a job) and their hash. */
export const largeTextRows = recordCollection<WireMessage>('large_texts');

/** What stands in a row for a message that is kept elsewhere. */
type MessageName = string & { readonly messageName: true };
/** A message as rows have it: itself, or what stands for it. */
export type StoredMessage = WireMessage | MessageName;

/** Longer texts are kept in a row of their own. */
const longest = 8 * 1024;
/** Messages begin with a bracket, so this cannot be mistaken for one. */
const mark = '@';

export interface OffloadedText {
  /** The text, or what stands for it. */
  readonly text: StoredMessage;
  readonly writes: readonly Write[];
}

export function offloadText(owner: string, text: StoredMessage): OffloadedText {
  if (text.length <= longest || !isWhole(text)) return { text, writes: [] };
  const hash = createHash('sha256').update(text).digest('base64url');
  return {
    text: `${mark}${hash}:${text.length}` as MessageName,
    writes: [{ kind: 'put', collection: largeTextRows, key: [owner, hash], value: text }],
  };
}

/** It is not kept elsewhere. */
export function isWhole(text: StoredMessage): text is WireMessage {
  return !text.startsWith(mark);
}

/** The whole of a text that may have been kept elsewhere. */
export async function loadText(store: Store, owner: string, text: StoredMessage): Promise<WireMessage> {
  if (isWhole(text)) return text;
  const [entry] = await store.read(largeTextRows, [[owner, hashIn(text)]]);
  if (entry === undefined) throw new Error(`The text ${text} of '${owner}' is not in the store.`);
  return entry.value;
}

/** How long it is, in characters. */
export function lengthOfText(text: StoredMessage): number {
  return isWhole(text) ? text.length : Number(text.slice(text.indexOf(':') + 1));
}

function hashIn(text: MessageName): string {
  return text.slice(1, text.indexOf(':'));
}
