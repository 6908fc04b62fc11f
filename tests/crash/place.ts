// Where a crash run keeps its store: a file of the embedded engine, or a schema of a PostgreSQL server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';

/** What another process needs to open the same store. */
export type PlaceDescription = {
  readonly engine: 'sqlite';
  readonly file: string;
  readonly durability: 'full' | 'relaxed';
};

export function openPlace(place: PlaceDescription): Promise<Store> {
  return openSqlite(place.file, { durability: place.durability });
}

export interface CrashPlace {
  readonly description: PlaceDescription;
  /** Resolves when nothing that dead processes asked for can still happen. */
  settled(): Promise<void>;
  /** Crashes the server and starts it again; undefined where there is none, or not of our own. */
  readonly crashServer: (() => Promise<void>) | undefined;
  dispose(): Promise<void>;
}

export function sqlitePlace(): CrashPlace {
  const folder = mkdtempSync(join(tmpdir(), 'statek-crash-'));
  return {
    description: { engine: 'sqlite', file: join(folder, 'statek.db'), durability: 'full' },
    settled: () => Promise.resolve(),
    crashServer: undefined,
    dispose: () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}
