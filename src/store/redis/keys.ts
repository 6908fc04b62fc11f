// The names of a store's keys and channels. All keys share one hash tag, so that a cluster keeps them in one slot and a
// script can use them together.
import type { KnownCollection } from '../engine/engine.ts';
import type { ThreadSettings } from './options.ts';

export interface StoreKeys {
  /** HASH: application, format, incarnation, head, mark, horizon, token. */
  readonly meta: string;
  /** STREAM: one entry per revision, whose id is the revision. */
  readonly log: string;
  /** HASH: name → number and shape. */
  readonly collections: string;
  /** ZSET: batches that must not be committed any more, by the time they were refused. */
  readonly fences: string;
}

export function storeKeys(keyPrefix: string): StoreKeys {
  const key = (name: string): string => `{${keyPrefix}}:${name}`;
  return { meta: key('meta'), log: key('log'), collections: key('collections'), fences: key('fences') };
}

/** `l`: keeps the latest values. `v`: keeps versions. `w`: work, with leases. */
export type CollectionKind = 'l' | 'v' | 'w';

export interface CollectionKeys {
  readonly kind: CollectionKind;
  /** HASH: key → revision, checksum and value. */
  readonly values: string;
  /** ZSET: the keys in order. */
  readonly order: string;
  /** Of collections that keep versions: HASH and ZSET as above, by key and the revision that replaced the entry. */
  readonly past: string;
  readonly pastOrder: string;
  /** Of work collections. HASH: key → token, expiry and owner. */
  readonly leases: string;
  /** ZSET: the keys without a lease, in order. */
  readonly free: string;
  /** ZSET: the keys with a lease, by its expiry. */
  readonly expiry: string;
  /** HASH: owner → number of leases. */
  readonly owners: string;
}

export function collectionKeys(keyPrefix: string, { definition }: KnownCollection): CollectionKeys {
  const { name, keeps, leased } = definition;
  const key = (part: string): string => `{${keyPrefix}}:${name}:${part}`;
  return {
    kind: leased ? 'w' : keeps === 'versions' ? 'v' : 'l',
    values: key('values'),
    order: key('keys'),
    past: key('past'),
    pastOrder: key('past-keys'),
    leases: key('leases'),
    free: key('free'),
    expiry: key('expiry'),
    owners: key('owners'),
  };
}

/** The keys a script needs of a collection, in the order in which it expects them. */
export function keyList({ kind, ...keys }: CollectionKeys): readonly string[] {
  const common = [keys.values, keys.order];
  if (kind === 'v') return [...common, keys.past, keys.pastOrder];
  return kind === 'w' ? [...common, keys.leases, keys.free, keys.expiry, keys.owners] : common;
}

// Channels are the same in all databases of a server, so their names include the number of the database.
const channel = ({ db, keyPrefix }: ThreadSettings, name: string): string => `{${keyPrefix}}:${db}:${name}`;

/** Commits are announced here. */
export function wakeChannel(settings: ThreadSettings): string {
  return channel(settings, 'wake');
}

/** The session listens here as long as it lives. */
export function sessionChannel(settings: ThreadSettings, sessionId: string): string {
  return channel(settings, `session:${sessionId}`);
}

/** Volatile messages of a channel. */
export function volatileChannel(settings: ThreadSettings, name: string): string {
  return channel(settings, `volatile:${name}`);
}
