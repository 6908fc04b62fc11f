// Claims and renewals. Times come from the server's clock, tokens from a sequence, and items that others are claiming at
// the moment are skipped instead of waited for.
import type { EngineClaim, EngineClaimed, KnownCollection } from '../../engine/engine.ts';
import { keyBytes, keyFromBytes } from '../../key.ts';
import { MissingOwners } from '../../engine/sessions/missing-owners.ts';
import type { StoredHolder, StoredLease } from '../../engine/stored.ts';
import { unlessDamaged } from '../../engine/unless-damaged.ts';
import { bigintArray, keysArray } from '../reading/binary.ts';
import type { Bounds } from '../../range.ts';
import { answers, type Connections, type Row } from '../connections.ts';
import { readableText } from '../reading/readable.ts';
import { entryFrom } from '../reading/row.ts';
import type { Tables } from '../tables.ts';

const ownerWithSession = ' #[0-9a-f]{16}$';

export class Leases {
  /** Owners whose locks are missing. */
  readonly #missing = new MissingOwners();
  readonly #connections: Connections;
  readonly #tables: Tables;
  readonly #clockOffset: () => number;
  readonly #begin: string;

  constructor(connections: Connections, tables: Tables, clockOffset: () => number, synchronousCommit: string) {
    this.#connections = connections;
    this.#tables = tables;
    this.#clockOffset = clockOffset;
    // Claims are always durable: if a crash of the server undid one, its token could be issued twice.
    this.#begin = `begin isolation level read committed read write; set local synchronous_commit = ${synchronousCommit}`;
  }

  /** A damaged item is passed over, and stays leased for a while; the next attempt finds others. */
  async claim(collection: KnownCollection, claim: EngineClaim): Promise<EngineClaimed[]> {
    for (;;) {
      const all = await this.#claim(collection, claim);
      const claims = all.filter((one) => one !== undefined);
      if (claims.length > 0 || all.length === 0) return claims.toSorted((a, b) => (a.entry.key < b.entry.key ? -1 : 1));
    }
  }

  /** If the answer is lost, the claim is retried; items of the lost one become free when their leases expire. */
  async #claim(
    { id, definition }: KnownCollection,
    { bounds, owner, limit, leaseMilliseconds }: EngineClaim,
  ): Promise<(EngineClaimed | undefined)[]> {
    const { statements } = this.#tables.get(id);
    const { lower, upper } = bounds;
    const values = [keyBytes(lower), keyBytes(upper), limit, readableText(owner), leaseMilliseconds];
    const [, rows] = await this.#connections.useWithRetry((session) =>
      session.together(() =>
        answers<[unknown, readonly Row[], unknown]>([
          session.script(this.#begin),
          session.run(statements.claim, [...values, this.#clockOffset()]),
          session.script('commit'),
        ]),
      ),
    );
    return rows.map(([bytes, revision, checksum, stored, token, until, ranOut]) => {
      const key = keyFromBytes(bytes as Buffer);
      const lease = { collection: id, key, owner, token: token as number, expiresAt: until as number };
      const entry = unlessDamaged(() => entryFrom(definition.name, key, [revision, checksum, stored]));
      return entry && { entry, lease, takenOver: ranOut === true };
    });
  }

  async holders({ id }: KnownCollection, { lower, upper }: Bounds): Promise<StoredHolder[]> {
    const rows = await this.#connections.useWithRetry((session) =>
      session.run(this.#tables.get(id).statements.holders, [keyBytes(lower), keyBytes(upper), this.#clockOffset()]),
    );
    return rows.map(([key, owner, token, until, isExpired]) => ({
      collection: id,
      key: keyFromBytes(key as Buffer),
      owner: owner as string,
      token: token as number,
      expiresAt: until as number,
      isExpired: isExpired === true,
    }));
  }

  /** Owners whose sessions ended without being closed. */
  async deadOwners({ id }: KnownCollection): Promise<readonly string[]> {
    const rows = await this.#connections.useWithRetry((session) =>
      session.run(this.#tables.get(id).statements.dead, [ownerWithSession]),
    );
    return this.#missing.longMissing(
      id,
      rows.map(([owner]) => owner as string),
    );
  }

  async expire({ id }: KnownCollection, owners: readonly string[]): Promise<void> {
    await this.#connections.useWithRetry((session) => session.change(this.#tables.get(id).statements.expire, [owners]));
  }

  async renew(leases: readonly StoredLease[], leaseMilliseconds: number): Promise<readonly (number | undefined)[]> {
    const groups = [...Map.groupBy(leases, ({ collection }) => collection)].toSorted(([a], [b]) => a - b);
    const renewed = new Map<string, number>();
    for (const [id, members] of groups) {
      const values = [
        keysArray(members.map(({ key }) => key)),
        bigintArray(members.map(({ token }) => token)),
        leaseMilliseconds,
        this.#clockOffset(),
      ];
      const rows = await this.#connections.useWithRetry((session) =>
        session.run(this.#tables.get(id).statements.renew, values),
      );
      for (const [key, token, until] of rows)
        renewed.set(`${id} ${token as number} ${keyFromBytes(key as Buffer)}`, until as number);
    }
    return leases.map(({ collection, token, key }) => renewed.get(`${collection} ${token} ${key}`));
  }
}
