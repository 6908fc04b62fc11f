// One collection in memory: its entries in key order, superseded versions, and leases.
import type { EngineScan, KnownCollection } from '../engine/engine.ts';
import type { StoredEntry, StoredValue } from '../engine/stored.ts';
import type { EncodedKey } from '../key.ts';
import type { Bounds } from '../range.ts';
import type { Revision } from '../store.ts';
import { SortedKeys } from './sorted-keys.ts';

interface Version {
  readonly revision: Revision;
  /** The revision that replaced it. */
  readonly until: Revision;
  readonly value: StoredValue;
}

export interface MemoryLease {
  readonly owner: string;
  readonly token: number;
  readonly expiresAt: number;
}

export class MemoryTable {
  readonly known: KnownCollection;
  readonly leases = new Map<EncodedKey, MemoryLease>();
  readonly #entries = new Map<EncodedKey, StoredEntry>();
  readonly #past = new Map<EncodedKey, Version[]>();
  /** Every key that has an entry or a kept version. */
  readonly #keys = new SortedKeys<EncodedKey>();
  #bytes = 0;

  constructor(known: KnownCollection) {
    this.known = known;
  }

  /** About how much its entries and kept versions take. */
  get bytes(): number {
    return this.#bytes;
  }

  revisionOf(key: EncodedKey): Revision {
    return this.#entries.get(key)?.revision ?? 0;
  }

  get(key: EncodedKey, at?: Revision): StoredEntry | undefined {
    const entry = this.#entries.get(key);
    if (at === undefined || (entry !== undefined && entry.revision <= at)) return entry;
    const version = this.#past.get(key)?.find(({ revision, until }) => revision <= at && at < until);
    return version && { key, value: version.value, revision: version.revision };
  }

  *entries({ lower, upper }: Bounds, reverse = false, at?: Revision): Generator<StoredEntry, void, undefined> {
    for (const key of this.#keys.between(lower, upper, reverse)) {
      const entry = this.get(key, at);
      if (entry !== undefined) yield entry;
    }
  }

  scan({ bounds, reverse, limit, maxBytes, at }: EngineScan): { entries: StoredEntry[]; more: boolean } {
    const entries: StoredEntry[] = [];
    let bytes = 0;
    for (const entry of this.entries(bounds, reverse, at)) {
      if (entries.length === limit || bytes >= maxBytes) return { entries, more: true };
      entries.push(entry);
      bytes += entry.value.length;
    }
    return { entries, more: false };
  }

  /** null removes the key, and its lease with it. */
  apply(key: EncodedKey, revision: Revision, value: StoredValue | null): void {
    if (value === null) this.leases.delete(key);
    const previous = this.#entries.get(key);
    if (previous !== undefined) {
      if (this.known.definition.keeps === 'versions')
        this.#keep(key, { revision: previous.revision, until: revision, value: previous.value });
      this.#bytes -= sizeOf(key, previous.value);
    }
    if (value === null) this.#entries.delete(key);
    else this.#set({ key, value, revision });
    this.#list(key);
  }

  /** Puts back an entry that was saved, instead of an earlier one that was. */
  restore(entry: StoredEntry): void {
    this.drop(entry.key);
    this.#set(entry);
    this.#keys.add(entry.key);
  }

  /** Puts back a superseded version that was saved. */
  restoreVersion({ key, revision, value }: StoredEntry, until: Revision): void {
    this.#keep(key, { revision, until, value });
    this.#keys.add(key);
  }

  /** Takes back an entry that was put back; keeps no version of it. */
  drop(key: EncodedKey): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#bytes -= sizeOf(key, entry.value);
    this.#entries.delete(key);
    this.#list(key);
  }

  /** Forgets the versions of every key that were replaced by `horizon` or before. */
  forgetBefore(horizon: Revision): void {
    for (const key of [...this.#past.keys()]) this.forget(key, horizon);
  }

  /** Every superseded version that is kept. */
  *versions(): Generator<{ readonly entry: StoredEntry; readonly until: Revision }, void, undefined> {
    for (const [key, past] of this.#past)
      for (const { revision, until, value } of past) yield { entry: { key, revision, value }, until };
  }

  /** Forgets the versions of a key that were replaced by `horizon` or before. */
  forget(key: EncodedKey, horizon: Revision): void {
    const past = this.#past.get(key);
    if (past === undefined) return;
    const kept = past.filter(({ until }) => until > horizon);
    for (const { until, value } of past) if (until <= horizon) this.#bytes -= sizeOf(key, value);
    if (kept.length > 0) this.#past.set(key, kept);
    else this.#past.delete(key);
    this.#list(key);
  }

  #set(entry: StoredEntry): void {
    this.#entries.set(entry.key, entry);
    this.#bytes += sizeOf(entry.key, entry.value);
  }

  #keep(key: EncodedKey, version: Version): void {
    const past = this.#past.get(key);
    if (past === undefined) this.#past.set(key, [version]);
    else past.push(version);
    this.#bytes += sizeOf(key, version.value);
  }

  #list(key: EncodedKey): void {
    if (this.#entries.has(key) || this.#past.has(key)) this.#keys.add(key);
    else this.#keys.delete(key);
  }
}

function sizeOf(key: EncodedKey, value: StoredValue): number {
  return key.length + value.length;
}
