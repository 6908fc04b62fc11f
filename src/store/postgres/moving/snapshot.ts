// A snapshot of the tables: one transaction that sees nothing of what others commit after it began. The server keeps superseded rows
// for it as long as it runs.
import type { Collection } from '../../collection.ts';
import type { KnownCollection } from '../../engine/engine.ts';
import type { LogRow } from '../../engine/log.ts';
import type { Snapshot, SnapshotState, StoredVersion } from '../../engine/snapshot.ts';
import type { CollectionId, StoredEntry } from '../../engine/stored.ts';
import type { RowDecoder } from '../../engine/unless-damaged.ts';
import { keyBytes, keyFromBytes, type EncodedKey } from '../../key.ts';
import type { Revision } from '../../store.ts';
import type { Connections, HeldSession, Row } from '../connections.ts';
import { bigintArray, keysArray } from '../reading/binary.ts';
import { entryFrom, logFrom } from '../reading/row.ts';
import { knownFrom } from '../tables.ts';
import {
  collectionStatements,
  type CollectionStatements,
  type Statement,
  type StoreStatements,
} from '../statements.ts';

const logRows = 1000;

interface Table {
  readonly definition: Collection;
  readonly statements: CollectionStatements;
}

export class PostgresSnapshot implements Snapshot {
  readonly state: SnapshotState;
  readonly collections: readonly KnownCollection[];
  readonly #held: HeldSession;
  readonly #decoder: RowDecoder;
  readonly #statements: StoreStatements;
  readonly #tables: ReadonlyMap<CollectionId, Table>;
  #isClosed = false;

  static async open(
    connections: Connections,
    statements: StoreStatements,
    schema: string,
    decoder: RowDecoder,
  ): Promise<PostgresSnapshot> {
    const held = await connections.hold();
    try {
      return await held.run(async (session) => {
        await session.script('begin isolation level repeatable read read only');
        const [row] = await session.run(statements.snapshotState);
        const [revision, horizon, token] = row as readonly [number, number, number];
        const collections = (await session.run(statements.collections)).map(knownFrom);
        return new PostgresSnapshot(held, statements, schema, decoder, { revision, horizon, token }, collections);
      });
    } catch (error) {
      held.release(true);
      throw error;
    }
  }

  private constructor(
    held: HeldSession,
    statements: StoreStatements,
    schema: string,
    decoder: RowDecoder,
    state: SnapshotState,
    collections: readonly KnownCollection[],
  ) {
    this.#held = held;
    this.#decoder = decoder;
    this.#statements = statements;
    this.state = state;
    this.collections = collections;
    this.#tables = new Map(
      collections.map((known) => [
        known.id,
        { definition: known.definition, statements: collectionStatements(schema, known) },
      ]),
    );
  }

  async count(): Promise<number> {
    const counts = [this.#statements.countLog];
    for (const { definition, statements } of this.#tables.values()) {
      counts.push(statements.count);
      if (definition.keeps === 'versions') counts.push(statements.countPast);
    }
    let sum = 0;
    for (const statement of counts) sum += Number((await this.#run(statement, []))[0]?.[0]);
    return sum;
  }

  async log(after: Revision): Promise<readonly LogRow[]> {
    const rows = await this.#run(this.#statements.readLog, [after, logRows]);
    return rows.filter((row) => row[2] !== null).map(([, , ...row]) => logFrom(row));
  }

  async entries(collection: CollectionId, after: EncodedKey | undefined): Promise<readonly StoredEntry[]> {
    const { definition, statements } = this.#table(collection);
    return this.#page(statements.page, [keyBytes(after ?? ''), 0], (row) => entryOf(definition, row));
  }

  async versions(
    collection: CollectionId,
    after: { readonly key: EncodedKey; readonly until: Revision } | undefined,
  ): Promise<readonly StoredVersion[]> {
    const { definition, statements } = this.#table(collection);
    const start = [keyBytes(after?.key ?? ''), after?.until ?? 0] as const;
    return this.#page(statements.pagePast, start, (row) => versionOf(definition, row));
  }

  async read(collection: CollectionId, keys: readonly EncodedKey[]): Promise<readonly StoredEntry[]> {
    const { definition, statements } = this.#table(collection);
    const rows = await this.#run(statements.readStored, [keysArray(keys)]);
    return rows.flatMap((row) => this.#decoder.decode(() => entryOf(definition, row)));
  }

  async readVersions(
    collection: CollectionId,
    replaced: readonly { readonly key: EncodedKey; readonly until: Revision }[],
  ): Promise<readonly StoredVersion[]> {
    const { definition, statements } = this.#table(collection);
    const wanted = [keysArray(replaced.map(({ key }) => key)), bigintArray(replaced.map(({ until }) => until))];
    const rows = await this.#run(statements.readPast, wanted);
    return rows.flatMap((row) => this.#decoder.decode(() => versionOf(definition, row)));
  }

  damaged(): Promise<readonly string[]> {
    return Promise.resolve(this.#decoder.damaged());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      await this.#held.run((session) => session.script('rollback'));
      this.#held.release(false);
    } catch {
      this.#held.release(true);
    }
  }

  /** Empty only at the end. */
  async #page<Found>(
    statement: Statement,
    start: readonly [unknown, unknown],
    decode: (row: Row) => Found,
  ): Promise<readonly Found[]> {
    for (let position = start; ;) {
      const rows = await this.#run(statement, position);
      const found = rows.flatMap((row) => this.#decoder.decode(() => decode(row)));
      const last = rows.at(-1);
      if (found.length > 0 || last === undefined) return found;
      position = [last[0], last[1]];
    }
  }

  #run(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#held.run((session) => session.run(statement, values));
  }

  #table(id: CollectionId): Table {
    return this.#tables.get(id) as Table;
  }
}

function entryOf({ name }: Collection, [key, , revision, checksum, stored]: Row): StoredEntry {
  return entryFrom(name, keyFromBytes(key as Buffer), [revision, checksum, stored]);
}

function versionOf(definition: Collection, row: Row): StoredVersion {
  return { ...entryOf(definition, row), until: row[1] as Revision };
}
