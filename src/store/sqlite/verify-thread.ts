// Reads and checks a whole file on its own thread, because that may take long.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { toErrorMessage, type ErrorMessage } from '../errors.ts';
import type { VerifyReport } from '../store.ts';
import { openReader, type DatabaseSettings } from './database.ts';
import { storeFailure } from './failure.ts';
import { knownCollections } from './known-collections.ts';
import { entryFromRow, logFromRow, stateFromRow, type EntryRow } from './row.ts';
import { collectionSql, prepareLazily, storeSql, type StoreStatements } from './statements.ts';

export type VerifyAnswer = { readonly report: VerifyReport } | { readonly error: ErrorMessage };

function verifyFile(settings: DatabaseSettings): VerifyReport {
  const database = openReader(settings);
  try {
    // One snapshot, even if others write meanwhile.
    database.exec('BEGIN');
    return new Verification(database, settings.file).run();
  } finally {
    database.close();
  }
}

class Verification {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #store: StoreStatements;
  readonly #problems: string[] = [];
  #entries = 0;
  #bytes = 0;
  /** Infinity until the log was read. */
  #head = Infinity;

  constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.#file = file;
    this.#store = prepareLazily(database, storeSql);
  }

  run(): VerifyReport {
    this.#attempt(() => this.#checkStructure());
    this.#attempt(() => this.#checkLog());
    this.#attempt(() => this.#checkCollections());
    return { entries: this.#entries, bytes: this.#bytes, problems: this.#problems };
  }

  #checkStructure(): void {
    for (const row of this.#database.prepare('PRAGMA integrity_check').iterate()) {
      if (row['integrity_check'] !== 'ok') this.#problems.push(String(row['integrity_check']));
    }
  }

  #checkLog(): void {
    const { horizon, head } = stateFromRow(this.#store('state').get());
    this.#head = head;
    let expected = horizon + 1;
    for (const row of this.#store('readLog').iterate(horizon, -1)) {
      const revision = Number(row['revision']);
      if (revision !== expected) this.#problems.push(`The change log has no revision ${expected}.`);
      expected = revision + 1;
      this.#attempt(() => logFromRow(row));
    }
  }

  #checkCollections(): void {
    for (const known of knownCollections(this.#store)) {
      const { name, keeps } = known.definition;
      const statements = prepareLazily(this.#database, collectionSql(name));
      for (const all of keeps === 'versions' ? (['all', 'allPast'] as const) : (['all'] as const)) {
        this.#attempt(() => {
          for (const row of statements(all).iterate()) {
            this.#entries++;
            this.#attempt(() => {
              const { key, value, revision } = entryFromRow(known, row as EntryRow);
              this.#bytes += key.length + value.length;
              if (revision > this.#head)
                this.#problems.push(`An entry of ${name} has revision ${revision}; the log ends with ${this.#head}.`);
            });
          }
        });
      }
    }
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      const failure = storeFailure(error, this.#file);
      this.#problems.push(failure instanceof Error ? failure.message : String(failure));
    }
  }
}

function answer(settings: DatabaseSettings): VerifyAnswer {
  try {
    return { report: verifyFile(settings) };
  } catch (error) {
    return { error: toErrorMessage(storeFailure(error, settings.file)) };
  }
}

parentPort?.postMessage(answer(workerData as DatabaseSettings));
