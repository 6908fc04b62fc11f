// The collections a file holds.
import type { Collection } from '../collection.ts';
import type { KnownCollection } from '../engine.ts';
import type { StoreStatements } from './statements.ts';

interface CollectionRow {
  readonly id: number;
  readonly name: string;
  readonly holds: 'records' | 'bytes';
  readonly keeps: 'latest' | 'versions';
  readonly leased: number;
}

export function knownCollections(statements: StoreStatements): KnownCollection[] {
  return (statements('collections').all() as unknown as CollectionRow[]).map(({ id, name, holds, keeps, leased }) => ({
    id,
    definition: { name, holds, keeps, leased: leased === 1 } as Collection,
  }));
}
