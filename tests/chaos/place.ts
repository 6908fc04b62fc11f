// Where a chaos run keeps its store: a folder, a schema of a PostgreSQL database (`postgres://…#schema`), or
// a Redis server (`redis://…`).
import { openStore, type Store } from '../../src/index.ts';
import type { Clock } from '../../src/store.ts';
import { openPostgres } from '../../src/postgres.ts';

export function openStoreAt(place: string, clock?: Clock): Promise<Store> {
  const [url = '', schema] = place.split('#');
  return schema === undefined ? openStore(url, { clock }) : openPostgres(url, { schema });
}
