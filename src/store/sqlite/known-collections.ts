// Reads and writes the list of collections.
import { crc32 } from 'node:zlib';
import type { Collection } from '../collection.ts';
import type { KnownCollection } from '../engine/engine.ts';
import { StoreCorruptError } from '../errors.ts';
import type { CollectionId } from '../engine/stored.ts';
import type { StoreStatements } from './statements.ts';

type CollectionRow = {
  readonly id: CollectionId;
  readonly name: string;
  readonly holds: 'records' | 'bytes';
  readonly keeps: 'latest' | 'versions';
  readonly leased: number;
  readonly checksum: number;
};

export function knownCollections(statements: StoreStatements): KnownCollection[] {
  return (statements('collections').all() as CollectionRow[]).map((row) => {
    const { id, name, holds, keeps, leased } = row;
    const definition = { name, holds, keeps, leased: leased === 1 } as Collection;
    if (definitionChecksum(id, definition) !== row.checksum) {
      throw new StoreCorruptError(
        `The definition of the collection '${name}' is damaged: its checksum is wrong. Restore the store from a backup.`,
        { collection: name },
      );
    }
    return { id, definition };
  });
}

export function addCollection(statements: StoreStatements, id: CollectionId, definition: Collection): void {
  const { name, holds, keeps, leased } = definition;
  statements('addCollection').run(id, name, holds, keeps, leased ? 1 : 0, definitionChecksum(id, definition));
}

function definitionChecksum(id: CollectionId, { name, holds, keeps, leased }: Collection): number {
  return crc32(`${id} ${name} ${holds} ${keeps} ${leased}`);
}
