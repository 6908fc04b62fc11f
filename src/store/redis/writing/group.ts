// Encodes a group of transactions for the commit script, and decodes what it answers.
import { changedConflict, futureConflict, keyConflict, leaseConflict, prunedConflict } from '../../engine/conflict.ts';
import type { LoggedChange } from '../../engine/log.ts';
import type { Outcome, PlainCheck, PlainLeaseCheck, PlainTransaction } from '../../engine/plan.ts';
import type { CollectionId } from '../../engine/stored.ts';
import { StoreArgumentError } from '../../errors.ts';
import type { EncodedKey } from '../../key.ts';
import type { Conflict, Revision } from '../../store.ts';
import type { Collections } from '../collections.ts';
import type { Argument } from '../connections.ts';
import { keyList } from '../keys.ts';
import { encodeEntry, encodeRow, keyArgument } from '../reading/entry.ts';

/** The server's limits are 1,048,576 arguments and 1 GB for a command. */
const maxArguments = 1_000_000;
const maxBytes = 512 * 1024 * 1024;

/** The collections a script uses, and how it refers to each of them. */
export class UsedCollections {
  readonly #collections: Collections;
  readonly #positions = new Map<CollectionId, string>();
  readonly keys: string[] = [];
  readonly #words: string[] = [];

  constructor(collections: Collections) {
    this.#collections = collections;
  }

  position(id: CollectionId): string {
    let position = this.#positions.get(id);
    if (position === undefined) {
      const { keys } = this.#collections.get(id);
      this.#positions.set(id, (position = String(this.#positions.size + 1)));
      this.keys.push(...keyList(keys));
      this.#words.push(String(id), keys.kind);
    }
    return position;
  }

  /** What the script reads before it uses any of them. */
  words(): readonly string[] {
    return [String(this.#positions.size), ...this.#words];
  }
}

interface EncodedGroup {
  readonly keys: readonly string[];
  readonly words: readonly Argument[];
}

export function encodeGroup(transactions: readonly PlainTransaction[], collections: Collections): EncodedGroup {
  const used = new UsedCollections(collections);
  const words: Argument[] = [];
  let bytes = 0;
  for (const transaction of transactions) {
    const { checks, leases, writes } = transaction;
    const start = words.length;
    words.push('', String(checks.length), String(leases.length), String(writes.length), rowOf(transaction));
    for (const check of checks) pushCheck(words, used, check);
    for (const { collection, key, token, release } of leases)
      words.push(used.position(collection), keyArgument(key), String(token), release ? '1' : '0');
    for (const { collection, key, value } of writes) {
      const position = used.position(collection);
      if (value === null) words.push('d', position, keyArgument(key));
      else words.push('p', position, keyArgument(key), encodeEntry(key, value));
      bytes += value?.length ?? 0;
    }
    words[start] = String(words.length - start);
  }
  if (words.length > maxArguments || bytes > maxBytes)
    throw new StoreArgumentError(
      `A commit of ${transactions.length} transactions is too large for Redis: ${words.length} parts of at most ${maxArguments}, ${bytes} bytes of at most ${maxBytes}. Split it.`,
      { parts: words.length, bytes },
    );
  return { keys: used.keys, words: [...used.words(), ...words] };
}

function pushCheck(words: Argument[], used: UsedCollections, check: PlainCheck): void {
  const position = used.position(check.collection);
  if (check.kind === 'unchanged') {
    const { lower, upper } = check.bounds;
    words.push('r', position, keyArgument(lower), keyArgument(upper), String(check.since));
  } else {
    words.push('k', position, keyArgument(check.key), check.kind === 'absent' ? '0' : String(check.revision));
  }
}

/** The log row of a transaction, should it commit; empty if it changes nothing. */
function rowOf({ writes, leases }: PlainTransaction): Argument {
  const changes = writes.map(({ collection, key, value }): LoggedChange => ({
    kind: value === null ? 'remove' : 'put',
    collection,
    key,
  }));
  // A removed key cannot be claimed again, so its release is not logged.
  const isRemoved = (collection: CollectionId, key: EncodedKey): boolean =>
    writes.some((write) => write.value === null && write.collection === collection && write.key === key);
  for (const { collection, key, release } of leases)
    if (release && !isRemoved(collection, key)) changes.push({ kind: 'released', collection, key });
  return changes.length === 0 ? '' : encodeRow(changes);
}

/**
 * The outcome of each transaction. `words` is what the script returned, or undefined if all of them were committed with
 * a revision each; `last` is the latest revision of the group.
 */
export function decodeOutcomes(
  transactions: readonly PlainTransaction[],
  words: string | undefined,
  last: Revision,
  collections: Collections,
): readonly Outcome[] {
  const list = words?.split(' ') ?? transactions.map(() => 'c');
  let revision = last - list.filter((word) => word === 'c').length;
  return list.map((word, index): Outcome => {
    if (word === 'c') return { status: 'committed', revision: ++revision };
    if (word === 'n') return { status: 'committed', revision };
    return { status: 'conflict', conflict: conflictFrom(transactions[index] as PlainTransaction, word, collections) };
  });
}

function conflictFrom({ checks, leases }: PlainTransaction, word: string, collections: Collections): Conflict {
  const [, number = '', kind = '', found = ''] = /^x(\d+):([pfc]?)(\d*)$/.exec(word) ?? [];
  const index = Number(number);
  const nameOf = (id: CollectionId): string => collections.get(id).known.definition.name;
  const check = checks[index];
  if (check === undefined) {
    const { collection, key, token } = leases[index - checks.length] as PlainLeaseCheck;
    return leaseConflict(nameOf(collection), key, token, 'is no longer held');
  }
  const name = nameOf(check.collection);
  if (check.kind !== 'unchanged') {
    const expected = check.kind === 'absent' ? 0 : check.revision;
    return keyConflict(check.kind, name, check.key, { expected, found: Number(found) });
  }
  if (kind === 'p') return prunedConflict(name, check.since, Number(found));
  return kind === 'f' ? futureConflict(name, check.since, Number(found)) : changedConflict(name, check.since);
}
