// The entries of one prefix in a store: reading, changing and listing them. An entry that has expired is treated as if it had been
// removed at that moment, whether its row is still there or not.
import type { Clock } from '../../base/clock.ts';
import {
  readUndamaged,
  type Check,
  type CommitResult,
  type Entry,
  type Range,
  type Revision,
  type Store,
  type Transaction,
  type Write,
} from '../../store/door.ts';
import { StateArgumentError, StateConflictError } from '../foundation/errors.ts';
import { Lanes } from './lanes.ts';
import type { KeyMatcher } from './pattern.ts';
import { RecentRows } from './recent-rows.ts';
import {
  entryRows,
  expiredForMilliseconds,
  expiryRows,
  isAlive,
  lookupOf,
  type EntryRow,
  type StateEntry,
  type StateLookup,
} from './rows.ts';
import type { Sealing } from './sealing.ts';

/** What is to become of a key. */
export type Wish =
  | {
      readonly kind: 'put';
      readonly value: unknown;
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly expires: number | null;
    }
  | { readonly kind: 'remove' }
  | { readonly kind: 'keep' };

/** One page of a list of keys. */
export interface KeyPage {
  readonly keys: readonly string[];
  /** For the next call; undefined on the last page. */
  readonly cursor: string | undefined;
}

/** A value is the last that was saved, so a change that loses against others is decided again, and in the end given up. */
const maxTries = 1000;

const minScan = 100;
const maxScan = 1000;
const sweepLimit = 200;

export class Entries {
  readonly #store: () => Promise<Store>;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #sealing: Sealing;
  readonly #lanes = new Lanes();
  readonly #recent = new RecentRows();

  constructor(parts: { store: () => Promise<Store>; prefix: string; clock: Clock; sealing: Sealing }) {
    this.#store = parts.store;
    this.#prefix = parts.prefix;
    this.#clock = parts.clock;
    this.#sealing = parts.sealing;
  }

  /** What is under these keys at one moment, in their order. */
  async lookup(keys: readonly string[]): Promise<readonly StateLookup[]> {
    const store = await this.#store();
    const stored = await store.read(
      entryRows,
      keys.map((key) => this.#keyOf(key)),
    );
    const now = this.#clock.now();
    return keys.map((key, index) => this.#lookupOf(key, stored[index], now));
  }

  /**
   * Changes keys together: `decide` gets what is there and says what is to become of it; it runs again if another process
   * committed first. Returns the revision, or undefined if nothing was to be changed.
   */
  change(
    keys: readonly string[],
    decide: (found: readonly (StateEntry | undefined)[]) => readonly Wish[] | Promise<readonly Wish[]>,
  ): Promise<Revision | undefined> {
    return this.#lanes.run(keys, async () => {
      const store = await this.#store();
      const recent = keys.map((key) => this.#recent.get(key));
      if (recent.every((row) => row !== undefined)) {
        // They may be out of date. A commit finds that out; a decision that commits nothing, or fails, is taken again on what is there.
        const unsure: typeof decide = async (found) => {
          try {
            return await decide(found);
          } catch {
            return keys.map(() => ({ kind: 'keep' }));
          }
        };
        const { revision } = await this.#attempt(store, keys, recent, unsure);
        if (revision !== undefined) return revision;
      }
      for (let tried = 1; ; tried++) {
        const stored = await store.read(
          entryRows,
          keys.map((key) => this.#keyOf(key)),
        );
        const { isCommitted, revision } = await this.#attempt(store, keys, stored, decide);
        if (isCommitted) return revision;
        if (tried === maxTries)
          throw new StateConflictError(
            `${keys.map((key) => `'${key}'`).join(', ')} could not be changed: other processes committed first, ${maxTries} times. Try again.`,
            { keys },
          );
        if (tried > 3) await pause(Math.random() * Math.min(tried, 50));
      }
    });
  }

  /** Decides upon rows and commits, provided that they are still the same. */
  async #attempt(
    store: Store,
    keys: readonly string[],
    stored: readonly (Entry<EntryRow> | undefined)[],
    decide: (found: readonly (StateEntry | undefined)[]) => readonly Wish[] | Promise<readonly Wish[]>,
  ): Promise<{ readonly isCommitted: boolean; readonly revision?: Revision }> {
    // Until the commit is known to have succeeded, nothing is known of these keys.
    for (const key of keys) this.#recent.delete(key);
    const now = this.#clock.now();
    const found = keys.map((key, index) => {
      const lookup = this.#lookupOf(key, stored[index], now);
      return lookup.status === 'found' ? lookup.entry : undefined;
    });
    const wishes = await decide(found);
    const { expired, wanted } = this.#transactions(keys, stored, wishes, now);
    if (wanted === undefined && expired === undefined) return { isCommitted: true };
    const results = await store.commit([expired, wanted].filter((one) => one !== undefined));
    const last = results.at(-1) as CommitResult;
    if (last.status !== 'committed') return { isCommitted: false };
    if (wanted === undefined) return { isCommitted: true };
    for (const write of wanted.writes ?? [])
      if (write.kind === 'put' && write.collection === entryRows)
        this.#recent.set(write.key[1] as string, {
          key: write.key,
          value: write.value as EntryRow,
          revision: last.revision,
        });
    return { isCommitted: true, revision: last.revision };
  }

  /** One page of the keys that match, in order. */
  async page(matcher: KeyMatcher, limit: number, after: string | undefined): Promise<KeyPage> {
    const store = await this.#store();
    const keys: string[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await store.scan(entryRows, this.#rangeOf(matcher, after), {
        limit: Math.min(maxScan, Math.max(minScan, limit + 2)),
        cursor,
      });
      const now = this.#clock.now();
      for (const { key: stored, value } of page.entries) {
        const key = stored[1] as string;
        if (key === after || !isAlive(value, now) || !matcher.matches(key)) continue;
        if (keys.length === limit) return { keys, cursor: cursorOf(keys.at(-1) as string) };
        keys.push(key);
      }
      cursor = page.cursor;
      if (cursor === undefined) return { keys, cursor: undefined };
    }
  }

  /** Removes what has expired; returns when the next entry expires, undefined if none does. */
  async sweep(): Promise<number | undefined> {
    const store = await this.#store();
    for (;;) {
      const { entries } = await store.scan(expiryRows, { prefix: [this.#prefix] }, { limit: sweepLimit });
      const now = this.#clock.now();
      const due = entries.filter(({ key }) => (key[1] as number) <= now);
      if (due.length === 0) return entries[0]?.key[1] as number | undefined;
      const keys = due.map(({ key }) => key[2] as string);
      // One that is damaged stays to be looked at, and keeps no other from expiring.
      const stored = await readUndamaged(
        store,
        entryRows,
        keys.map((key) => this.#keyOf(key)),
        () => undefined,
      );
      await store.commit(due.map((one, index) => this.#expiry(one, keys[index] as string, stored[index], now)));
    }
  }

  /** The values of changed keys before and after a revision. */
  async changesAt(
    revision: Revision,
    keys: readonly string[],
  ): Promise<readonly { key: string; old: unknown; new: unknown }[]> {
    const store = await this.#store();
    const stored = keys.map((key) => this.#keyOf(key));
    const [before, after] = await Promise.all([
      store.read(entryRows, stored, { at: revision - 1 }),
      store.read(entryRows, stored, { at: revision }),
    ]);
    // Expiry is a change of its own: until it was committed, a value counts as there.
    const valueOf = (key: string, entry: Entry<EntryRow> | undefined): unknown => {
      const lookup = this.#lookupOf(key, entry, Number.NEGATIVE_INFINITY);
      return lookup.status === 'found' ? lookup.entry.value : undefined;
    };
    return keys.flatMap((key, index) => {
      const [old, next] = [valueOf(key, before[index]), valueOf(key, after[index])];
      return old === undefined && next === undefined ? [] : [{ key, old, new: next }];
    });
  }

  #lookupOf(key: string, stored: Entry<EntryRow> | undefined, now: number): StateLookup {
    return lookupOf(stored, { prefix: this.#prefix, key, now, sealing: this.#sealing });
  }

  #keyOf(key: string): readonly [string, string] {
    if (typeof key !== 'string') throw new StateArgumentError(`A key must be a text, not ${typeof key}.`);
    return [this.#prefix, key];
  }

  #rangeOf({ start }: KeyMatcher, from: string | undefined): Range {
    // The first half of a surrogate pair has other bytes than the pair.
    const startsWith = /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start;
    const range: Range = startsWith === '' ? { prefix: [this.#prefix] } : { prefix: [this.#prefix], startsWith };
    return from === undefined ? range : { ...range, from: [this.#prefix, from] };
  }

  /** Expired rows are removed in a transaction of their own, so that followers see that they were. */
  #transactions(
    keys: readonly string[],
    stored: readonly (Entry<EntryRow> | undefined)[],
    wishes: readonly Wish[],
    now: number,
  ): { expired: Transaction | undefined; wanted: Transaction | undefined } {
    const removals: Transaction[] = [];
    const checks: Check[] = [];
    const writes: Write[] = [];
    for (const [index, key] of keys.entries()) {
      const wish = wishes[index] as Wish;
      const entry = stored[index];
      const rowKey = this.#keyOf(key);
      const isExpired = entry !== undefined && !isAlive(entry.value, now);
      if (isExpired && wish.kind !== 'keep') removals.push(this.#removal(rowKey, entry));
      // What was decided upon stays as it was until the commit, also where nothing changes.
      const isGone = entry === undefined || isExpired;
      if (isExpired && wish.kind === 'keep')
        checks.push({ kind: 'revision', collection: entryRows, key: rowKey, revision: entry.revision });
      else if (isGone) checks.push({ kind: 'absent', collection: entryRows, key: rowKey });
      else checks.push({ kind: 'revision', collection: entryRows, key: rowKey, revision: entry.revision });
      if (wish.kind === 'put') {
        const created = isGone ? now : (entry.value as { created: number }).created;
        writes.push(...this.#put(key, wish, { created, updated: now }, isGone ? undefined : expiryOf(entry.value)));
      } else if (wish.kind === 'remove' && !isGone) writes.push(...(this.#removal(rowKey, entry).writes ?? []));
    }
    return {
      expired: removals.length === 0 ? undefined : merged(removals),
      wanted: writes.length === 0 ? undefined : { checks, writes },
    };
  }

  #put(
    key: string,
    { value, metadata, expires }: Extract<Wish, { kind: 'put' }>,
    times: { created: number; updated: number },
    previousExpiry: number | null | undefined,
  ): Write[] {
    const sealed = this.#sealing.seal([this.#prefix, key], { value, metadata });
    const row: EntryRow = { ...times, expires, ...sealed };
    const writes: Write[] = [{ kind: 'put', collection: entryRows, key: this.#keyOf(key), value: row }];
    if (previousExpiry !== undefined && previousExpiry !== null && previousExpiry !== expires)
      writes.push({ kind: 'remove', collection: expiryRows, key: [this.#prefix, previousExpiry, key] });
    if (expires !== null && expires !== previousExpiry)
      writes.push({ kind: 'put', collection: expiryRows, key: [this.#prefix, expires, key], value: true });
    return writes;
  }

  #removal(rowKey: readonly [string, string], { value, revision }: Entry<EntryRow>): Transaction {
    const expires = expiryOf(value);
    const writes: Write[] = [{ kind: 'remove', collection: entryRows, key: rowKey }];
    if (expires !== null) writes.push({ kind: 'remove', collection: expiryRows, key: [rowKey[0], expires, rowKey[1]] });
    return { checks: [{ kind: 'revision', collection: entryRows, key: rowKey, revision }], writes };
  }

  /** What becomes of an expiry that is due. If its entry has changed meanwhile, only the row of the expiry goes. */
  #expiry(due: Entry<true>, key: string, entry: Entry<EntryRow> | undefined, now: number): Transaction {
    const rowKey = this.#keyOf(key);
    const checks: Check[] = [{ kind: 'revision', collection: expiryRows, key: due.key, revision: due.revision }];
    const writes: Write[] = [{ kind: 'remove', collection: expiryRows, key: due.key }];
    if (entry === undefined || expiryOf(entry.value) !== due.key[1]) return { checks, writes };
    checks.push({ kind: 'revision', collection: entryRows, key: rowKey, revision: entry.revision });
    if ('expired' in entry.value) writes.push({ kind: 'remove', collection: entryRows, key: rowKey });
    else {
      const expired = entry.value.expires as number;
      const until = expired + expiredForMilliseconds;
      if (until <= now) writes.push({ kind: 'remove', collection: entryRows, key: rowKey });
      else
        writes.push(
          { kind: 'put', collection: entryRows, key: rowKey, value: { expired } satisfies EntryRow },
          { kind: 'put', collection: expiryRows, key: [this.#prefix, until, key], value: true },
        );
    }
    return { checks, writes };
  }
}

/** When something is to be done about a row. */
function expiryOf(row: EntryRow): number | null {
  return 'expired' in row ? row.expired + expiredForMilliseconds : row.expires;
}

function merged(transactions: readonly Transaction[]): Transaction {
  return {
    checks: transactions.flatMap(({ checks = [] }) => checks),
    writes: transactions.flatMap(({ writes = [] }) => writes),
  };
}

function cursorOf(key: string): string {
  return Buffer.from(JSON.stringify(key), 'utf8').toString('base64url');
}

/** The key a cursor stands for. */
export function keyOfCursor(cursor: string): string {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof key === 'string' && cursorOf(key) === cursor) return key;
  } catch {
    // It is refused below.
  }
  throw new StateArgumentError('The cursor is not one of listKeys. Pass the cursor of the previous page.', { cursor });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
