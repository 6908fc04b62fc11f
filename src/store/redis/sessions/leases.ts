// Claims and renewals. Times come from the server's clock, and tokens from it too, so that they grow for ever.
import type { EngineClaim, EngineClaimed, KnownCollection } from '../../engine/engine.ts';
import { sessionIdOf } from '../../engine/session-id.ts';
import { MissingOwners } from '../../engine/sessions/missing-owners.ts';
import type { StoredHolder, StoredLease } from '../../engine/stored.ts';
import { unlessDamaged } from '../../engine/unless-damaged.ts';
import { keyFromBytes } from '../../key.ts';
import { within, type Bounds } from '../../range.ts';
import type { Collections } from '../collections.ts';
import type { Connections } from '../connections.ts';
import type { SeenHistory } from '../history.ts';
import { sessionChannel, type StoreKeys } from '../keys.ts';
import type { Settings } from '../options.ts';
import { decodeEntry, keyArgument } from '../reading/entry.ts';
import { claimScript, expireScript, hashScript, holdersScript, renewScript } from '../scripts.ts';
import { UsedCollections } from '../writing/group.ts';

export class Leases {
  readonly #missing = new MissingOwners();
  readonly #connections: Connections;
  readonly #history: SeenHistory;
  readonly #keys: StoreKeys;
  readonly #collections: Collections;
  readonly #settings: Settings;

  constructor(
    connections: Connections,
    history: SeenHistory,
    keys: StoreKeys,
    collections: Collections,
    settings: Settings,
  ) {
    this.#connections = connections;
    this.#history = history;
    this.#keys = keys;
    this.#collections = collections;
    this.#settings = settings;
  }

  /** A damaged item is passed over, and stays leased for a while; the next attempt finds others. */
  async claim(collection: KnownCollection, claim: EngineClaim): Promise<EngineClaimed[]> {
    for (;;) {
      const { claims, damaged } = await this.#claim(collection, claim);
      if (claims.length > 0 || damaged === 0) return claims;
    }
  }

  /** If the answer is lost, the claim is retried; items of the lost one become free when their leases expire. */
  async #claim(
    { id, definition }: KnownCollection,
    { bounds, owner, limit, leaseMilliseconds }: EngineClaim,
  ): Promise<{ readonly claims: EngineClaimed[]; readonly damaged: number }> {
    const used = new UsedCollections(this.#collections);
    used.position(id);
    const words = [
      String(this.#settings.clockOffset()),
      keyArgument(bounds.lower),
      keyArgument(bounds.upper),
      owner,
      String(limit),
      String(leaseMilliseconds),
      ...used.words(),
    ];
    const { rest } = await this.#connections.useWithRetry((session) =>
      session.runDurably(claimScript, this.#history, this.#with(used), words),
    );
    const claims: EngineClaimed[] = [];
    let damaged = 0;
    for (let at = 0; at < rest.length; at += 5) {
      const [bytes, stored, token, expiry, takenOver] = rest.slice(at, at + 5) as [
        Buffer,
        Buffer,
        Buffer,
        Buffer,
        number,
      ];
      const key = keyFromBytes(bytes);
      const entry = unlessDamaged(() => decodeEntry(definition, key, stored));
      if (entry === undefined) {
        damaged++;
        continue;
      }
      claims.push({
        entry,
        lease: { collection: id, key, owner, token: Number(token), expiresAt: Number(expiry) },
        takenOver: takenOver === 1,
      });
    }
    return { claims, damaged };
  }

  async renew(leases: readonly StoredLease[], leaseMilliseconds: number): Promise<readonly (number | undefined)[]> {
    if (leases.length === 0) return [];
    const used = new UsedCollections(this.#collections);
    const items = leases.flatMap(({ collection, key, token }) => [
      used.position(collection),
      keyArgument(key),
      String(token),
    ]);
    const words = [String(this.#settings.clockOffset()), String(leaseMilliseconds), ...used.words(), ...items];
    const { rest } = await this.#connections.useWithRetry((session) =>
      session.run(renewScript, this.#history, this.#with(used), words),
    );
    return rest.map((expiry) => (expiry === null ? undefined : Number(expiry)));
  }

  async holders({ id }: KnownCollection, bounds: Bounds): Promise<StoredHolder[]> {
    const { meta, log } = this.#keys;
    const keys = [meta, log, this.#collections.get(id).keys.leases];
    const { rest } = await this.#connections.useWithRetry((session) =>
      session.run(holdersScript, this.#history, keys, [String(this.#settings.clockOffset())]),
    );
    const [time, ...texts] = rest as readonly Buffer[];
    const now = Number(time);
    const leases: StoredHolder[] = [];
    for (const [bytes, text] of pairsOf(texts)) {
      const key = keyFromBytes(bytes);
      const [, token, expiry, owner = ''] = /^(\d+) (\d+) ([^]*)$/.exec(text.toString()) ?? [];
      const expiresAt = Number(expiry);
      if (within(key, bounds))
        leases.push({ collection: id, key, owner, token: Number(token), expiresAt, isExpired: expiresAt <= now });
    }
    return leases.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Owners whose sessions ended without being closed: a session listens to a channel of its own while it lives. */
  async deadOwners({ id }: KnownCollection): Promise<readonly string[]> {
    const owners = (await this.#hash(this.#collections.get(id).keys.owners)).map(([owner]) => owner.toString());
    const sessions = owners.flatMap((owner) => {
      const sessionId = sessionIdOf(owner);
      return sessionId === undefined ? [] : [{ owner, channel: sessionChannel(this.#settings, sessionId) }];
    });
    if (sessions.length === 0) return this.#missing.longMissing(id, []);
    const channels = sessions.map(({ channel }) => channel);
    const counts = await this.#connections.useWithRetry((session) =>
      session.command<readonly unknown[]>(['PUBSUB', 'NUMSUB', ...channels]),
    );
    const missing = sessions.filter((_, index) => Number(counts[2 * index + 1]) === 0);
    return this.#missing.longMissing(
      id,
      missing.map(({ owner }) => owner),
    );
  }

  async expire({ id }: KnownCollection, owners: readonly string[]): Promise<void> {
    const used = new UsedCollections(this.#collections);
    used.position(id);
    await this.#connections.useWithRetry((session) =>
      session.run(expireScript, this.#history, this.#with(used), [...used.words(), ...owners]),
    );
  }

  async #hash(key: string): Promise<readonly (readonly [Buffer, Buffer])[]> {
    const { meta, log } = this.#keys;
    const { rest } = await this.#connections.useWithRetry((session) =>
      session.run(hashScript, this.#history, [meta, log, key], []),
    );
    return pairsOf(rest as readonly Buffer[]);
  }

  #with({ keys }: UsedCollections): readonly string[] {
    return [this.#keys.meta, this.#keys.log, ...keys];
  }
}

/** The fields of a hash and their values. */
function pairsOf(texts: readonly Buffer[]): readonly (readonly [Buffer, Buffer])[] {
  return texts.flatMap((text, index) => (index % 2 === 0 ? [[text, texts[index + 1] as Buffer] as const] : []));
}
