// Claims and renewals. Times come from the server's clock, tokens from a sequence, and items that others are claiming at
// the moment are skipped instead of waited for.
import type { EngineClaim, EngineClaimed, KnownCollection } from '../../engine/engine.ts';
import { keyBytes, keyFromBytes } from '../../key.ts';
import type { StoredLease } from '../../engine/stored.ts';
import { bigintArray, keysArray } from '../reading/binary.ts';
import type { Bounds } from '../../range.ts';
import { answers, type Connections, type Row } from '../connections.ts';
import { readableText } from '../reading/readable.ts';
import { entryFrom } from '../reading/row.ts';
import type { Tables } from '../tables.ts';

const ownerWithSession = ' #[0-9a-f]{16}$';
// A live process that lost its connection is back within this time.
const graceMilliseconds = 200;

export class Leases {
  /** Owners whose locks are missing, and since when. */
  #missing = new Map<string, number>();
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

  /** If the answer is lost, the claim is retried; items of the lost one become free when their leases expire. */
  async claim(
    { id, definition }: KnownCollection,
    { bounds, owner, limit, leaseMilliseconds }: EngineClaim,
  ): Promise<EngineClaimed[]> {
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
    const claims = rows.map(([bytes, revision, checksum, stored, token, until, ranOut]) => {
      const key = keyFromBytes(bytes as Buffer);
      const lease = { collection: id, key, owner, token: token as number, expiresAt: until as number };
      const entry = entryFrom(definition.name, key, [revision, checksum, stored]);
      return { entry, lease, takenOver: ranOut === true };
    });
    return claims.toSorted((a, b) => (a.entry.key < b.entry.key ? -1 : 1));
  }

  async holders({ id }: KnownCollection, { lower, upper }: Bounds): Promise<StoredLease[]> {
    const rows = await this.#connections.useWithRetry((session) =>
      session.run(this.#tables.get(id).statements.holders, [keyBytes(lower), keyBytes(upper)]),
    );
    return rows.map(([key, owner, token, until]) => ({
      collection: id,
      key: keyFromBytes(key as Buffer),
      owner: owner as string,
      token: token as number,
      expiresAt: until as number,
    }));
  }

  /** Owners whose sessions ended without being closed. */
  async deadOwners({ id }: KnownCollection): Promise<readonly string[]> {
    const rows = await this.#connections.useWithRetry((session) =>
      session.run(this.#tables.get(id).statements.dead, [ownerWithSession]),
    );
    const now = performance.now();
    const missing = new Map(
      rows.map(([owner]) => [`${id} ${owner as string}`, this.#missing.get(`${id} ${owner as string}`) ?? now]),
    );
    for (const [name, since] of this.#missing) if (!name.startsWith(`${id} `)) missing.set(name, since);
    this.#missing = missing;
    return rows
      .map(([owner]) => owner as string)
      .filter((owner) => now - (missing.get(`${id} ${owner}`) ?? now) >= graceMilliseconds);
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
