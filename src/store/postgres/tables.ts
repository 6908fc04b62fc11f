// The known collections with their statements.
import { sameShape, type Collection } from '../collection.ts';
import type { KnownCollection } from '../engine/engine.ts';
import type { CollectionId } from '../engine/stored.ts';
import type { Connections, Row, Session } from './connections.ts';
import { lockScript } from './writing/lock.ts';
import { createCollection } from './schema.ts';
import { collectionStatements, type CollectionStatements, type StoreStatements } from './statements.ts';

export interface Table {
  readonly known: KnownCollection;
  readonly statements: CollectionStatements;
}

export class Tables {
  readonly #connections: Connections;
  readonly #statements: StoreStatements;
  readonly #schema: string;
  readonly #tables = new Map<CollectionId, Table>();

  constructor(connections: Connections, statements: StoreStatements, schema: string) {
    this.#connections = connections;
    this.#statements = statements;
    this.#schema = schema;
  }

  /** A declared collection. */
  get(id: CollectionId): Table {
    return this.#tables.get(id) as Table;
  }

  async list(): Promise<readonly KnownCollection[]> {
    return this.#connections.useWithRetry((session) => this.#list(session));
  }

  /** Creates missing collections. A user without permission to create tables can still declare existing ones. */
  async declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    let known = await this.list();
    if (collections.some(({ name }) => !has(known, name))) known = await this.#create(collections);
    return collections.map((definition) => {
      const found = known.find((candidate) => candidate.definition.name === definition.name) as KnownCollection;
      return sameShape(found.definition, definition) ? { ...found, definition } : found;
    });
  }

  async #create(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    return this.#connections.useWithRetry(async (session) => {
      await session.script(`begin isolation level read committed read write; ${lockScript(this.#schema, 'layout')}`);
      const known = await this.#list(session);
      const created = new Set<string>();
      for (const definition of collections) {
        const { name, holds, keeps, leased } = definition;
        // A name passed twice is created in its first shape; the caller then rejects a different second one.
        if (has(known, name) || created.has(name)) continue;
        created.add(name);
        await session.script(createCollection(this.#schema, definition));
        await session.run(this.#statements.addCollection, [name, holds, keeps, leased]);
      }
      const all = await this.#list(session);
      await session.script('commit');
      return all;
    });
  }

  async #list(session: Session): Promise<readonly KnownCollection[]> {
    const known = (await session.run(this.#statements.collections)).map(knownFrom);
    for (const one of known) {
      if (!this.#tables.has(one.id))
        this.#tables.set(one.id, { known: one, statements: collectionStatements(this.#schema, one) });
    }
    return known;
  }
}

function has(known: readonly KnownCollection[], name: string): boolean {
  return known.some(({ definition }) => definition.name === name);
}

export function knownFrom([id, name, holds, keeps, leased]: Row): KnownCollection {
  return { id: id as number, definition: { name, holds, keeps, leased } as Collection };
}
