// The same graph as plain rows, the way a program would keep it with `node:sqlite` by hand, just as durable.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { personOf, rareEvery } from './people.ts';

export class HandRows {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    for (const setting of [
      'journal_mode = WAL',
      'synchronous = FULL',
      'cache_size = -65536',
      'wal_autocheckpoint = 16384',
    ])
      this.#database.exec(`PRAGMA ${setting}`);
    this.#database.exec(`
      CREATE TABLE IF NOT EXISTS people (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT, email TEXT, city TEXT, age INTEGER, score INTEGER);
      CREATE TABLE IF NOT EXISTS tags (tag TEXT, id TEXT, PRIMARY KEY (tag, id)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS list (position INTEGER PRIMARY KEY, value INTEGER);
      CREATE TABLE IF NOT EXISTS map (key TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;
    `);
  }

  addPeople(from: number, to: number): void {
    this.transaction(() => {
      for (let number = from; number < to; number++) {
        const { name, email, city, age } = personOf(number);
        this.run(
          'INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?)',
          number,
          idOf(number),
          name,
          email,
          city,
          age,
          number,
        );
        if (number % rareEvery === 0) this.run('INSERT INTO tags VALUES (?, ?)', 'rare', idOf(number));
      }
    });
  }

  addList(size: number): void {
    this.transaction(() => {
      for (let position = 0; position < size; position++)
        this.run('INSERT INTO list VALUES (?, ?)', position, position);
    });
  }

  addMap(size: number): void {
    this.transaction(() => {
      for (let number = 0; number < size; number++) this.run('INSERT INTO map VALUES (?, ?)', `key ${number}`, number);
    });
  }

  person(number: number): Record<string, unknown> | undefined {
    return this.#prepared('SELECT * FROM people WHERE id = ?').get(idOf(number));
  }

  range(from: number, to: number): Record<string, unknown>[] {
    return this.#prepared('SELECT * FROM people WHERE number >= ? AND number < ?').all(from, to);
  }

  tagged(tag: string): Record<string, unknown>[] {
    return this.#prepared('SELECT p.* FROM tags t JOIN people p ON p.id = t.id WHERE t.tag = ?').all(tag);
  }

  setScore(number: number, score: number): void {
    this.run('UPDATE people SET score = ? WHERE id = ?', score, idOf(number));
  }

  setElement(position: number, value: number): void {
    this.run('UPDATE list SET value = ? WHERE position = ?', value, position);
  }

  setEntry(key: string, value: number): void {
    this.run('UPDATE map SET value = ? WHERE key = ?', value, key);
  }

  entry(key: string): unknown {
    return this.#prepared('SELECT value FROM map WHERE key = ?').get(key)?.['value'];
  }

  transaction(action: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    action();
    this.#database.exec('COMMIT');
  }

  run(sql: string, ...parameters: (string | number)[]): void {
    this.#prepared(sql).run(...parameters);
  }

  close(): void {
    this.#database.close();
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

function idOf(number: number): string {
  return `person-${String(number).padStart(12, '0')}`;
}
