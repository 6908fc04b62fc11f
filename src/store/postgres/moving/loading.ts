// Fills an empty schema in one transaction: either all of it is there, or nothing. Other commits wait for it.
import { randomUUID } from 'node:crypto';
import type { Collection } from '../../collection.ts';
import { notEmpty } from '../../engine/empty.ts';
import type { KnownCollection } from '../../engine/engine.ts';
import type { LogRow } from '../../engine/log.ts';
import type { Loading, SnapshotItem, SnapshotState } from '../../engine/snapshot.ts';
import type { CollectionId } from '../../engine/stored.ts';
import type { EncodedKey } from '../../key.ts';
import type { Revision } from '../../store.ts';
import type { Connections, HeldSession, Session } from '../connections.ts';
import { keysArray } from '../reading/binary.ts';
import { logParameters, rowParameters, type NewRow } from '../reading/row.ts';
import { createCollection } from '../schema.ts';
import { collectionStatements, type CollectionStatements, type StoreStatements } from '../statements.ts';
import { channelName, lockScript } from '../writing/lock.ts';
import { knownFrom } from '../tables.ts';

/** What one collection gets in one go. */
interface Batch {
  readonly entries: NewRow[];
  readonly versions: NewRow[];
  readonly removed: EncodedKey[];
}

export class PostgresLoading implements Loading {
  readonly #held: HeldSession;
  readonly #statements: StoreStatements;
  readonly #schema: string;
  readonly #loaded: (revision: Revision) => Promise<void>;
  readonly #tables = new Map<CollectionId, { known: KnownCollection; statements: CollectionStatements }>();
  #isReleased = false;

  /** @param loaded called when the contents are there. */
  static async open(
    connections: Connections,
    statements: StoreStatements,
    schema: string,
    loaded: (revision: Revision) => Promise<void>,
  ): Promise<PostgresLoading> {
    const held = await connections.hold();
    try {
      await held.run(async (session) => {
        await session.script(
          // Statements add revisions to the head that a commit begins with; here they are given as they are.
          `begin isolation level read committed read write; ${lockScript(schema, 'layout')}; ${lockScript(schema, 'commit')}; set local statek.base = '0'`,
        );
        const [row] = await session.run(statements.revision);
        const revision = row?.[0] as number;
        if (revision > 0) throw notEmpty(revision);
      });
      return new PostgresLoading(held, statements, schema, loaded);
    } catch (error) {
      held.release(true);
      throw error;
    }
  }

  private constructor(
    held: HeldSession,
    statements: StoreStatements,
    schema: string,
    loaded: (revision: Revision) => Promise<void>,
  ) {
    this.#held = held;
    this.#statements = statements;
    this.#schema = schema;
    this.#loaded = loaded;
  }

  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    return this.#held.run(async (session) => {
      const existing = (await session.run(this.#statements.collections)).map(knownFrom);
      const names = new Set(existing.map(({ definition }) => definition.name));
      for (const definition of collections) {
        const { name, holds, keeps, leased } = definition;
        if (names.has(name)) continue;
        await session.script(createCollection(this.#schema, definition));
        await session.run(this.#statements.addCollection, [name, holds, keeps, leased]);
      }
      const known = (await session.run(this.#statements.collections)).map(knownFrom);
      for (const one of known)
        this.#tables.set(one.id, { known: one, statements: collectionStatements(this.#schema, one) });
      return collections.map(({ name }) => known.find(({ definition }) => definition.name === name) as KnownCollection);
    });
  }

  add(items: readonly SnapshotItem[]): Promise<void> {
    const batches = new Map<CollectionId, Batch>();
    const log: LogRow[] = [];
    const batchOf = (id: CollectionId): Batch => {
      const batch = batches.get(id) ?? { entries: [], versions: [], removed: [] };
      batches.set(id, batch);
      return batch;
    };
    for (const item of items) {
      if (item.kind === 'logged') log.push(item.row);
      else if (item.kind === 'entry') batchOf(item.collection).entries.push({ ...item.entry, until: 0 });
      else if (item.kind === 'version') batchOf(item.collection).versions.push(item.version);
      else batchOf(item.collection).removed.push(item.key);
    }
    return this.#held.run(async (session) => {
      if (log.length > 0) await session.change(this.#statements.loadLog, [...logParameters(log, 0), randomUUID()]);
      for (const [id, batch] of batches) await this.#put(session, id, batch);
    });
  }

  async finish({ revision, horizon, token }: SnapshotState): Promise<void> {
    await this.#held.run(async (session) => {
      for (const { known, statements } of this.#tables.values())
        if (known.definition.keeps === 'versions') await session.change(statements.loadPrune, [horizon]);
      await session.change(this.#statements.pruneLog, [horizon, revision]);
      await session.run(this.#statements.loadState, [revision, horizon, token, channelName(this.#schema)]);
      await session.script('commit');
    });
    this.#release(false);
    await this.#loaded(revision);
  }

  abandon(): Promise<void> {
    this.#release(true);
    return Promise.resolve();
  }

  async #put(session: Session, id: CollectionId, { entries, versions, removed }: Batch): Promise<void> {
    const statements = this.#tables.get(id)?.statements as CollectionStatements;
    if (removed.length > 0) await session.change(statements.loadRemove, [keysArray(removed)]);
    if (entries.length > 0) await session.change(statements.load, rowParameters(entries, 0));
    if (versions.length > 0) await session.change(statements.putPast, rowParameters(versions, 0));
  }

  #release(broken: boolean): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#held.release(broken);
  }
}
