// One collection in memory: its entries in key order, superseded versions, and leases.
import type { EngineScan, KnownCollection } from '../engine/engine.ts';
import type { StoredEntry, StoredValue } from '../engine/stored.ts';
import type { EncodedKey } from '../key.ts';
import type { Mutation } from '../engine/plan.ts';
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

  constructor(known: KnownCollection) {
    this.known = known;
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

  apply({ key, versions, dropLease }: Mutation): void {
    if (dropLease) this.leases.delete(key);
    for (const { revision, value } of versions) {
      const previous = this.#entries.get(key);
      if (previous !== undefined && this.known.definition.keeps === 'versions') {
        const past = this.#past.get(key) ?? [];
        past.push({ revision: previous.revision, until: revision, value: previous.value });
        this.#past.set(key, past);
      }
      if (value === null) this.#entries.delete(key);
      else this.#entries.set(key, { key, value, revision });
    }
    this.#list(key);
  }

  /** Forgets the versions of a key that were replaced by `horizon` or before. */
  forget(key: EncodedKey, horizon: Revision): void {
    const kept = this.#past.get(key)?.filter(({ until }) => until > horizon) ?? [];
    if (kept.length > 0) this.#past.set(key, kept);
    else this.#past.delete(key);
    this.#list(key);
  }

  #list(key: EncodedKey): void {
    if (this.#entries.has(key) || this.#past.has(key)) this.#keys.add(key);
    else this.#keys.delete(key);
  }
}
