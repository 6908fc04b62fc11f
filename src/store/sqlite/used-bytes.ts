// How much of a store's file is in use: pages that were freed are used again before the file grows.
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export class UsedBytes {
  readonly #database: DatabaseSync;
  readonly #statements: readonly [StatementSync, StatementSync, StatementSync];

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { readOnly: true });
    const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
      this.#database.prepare(`SELECT ${name} AS value FROM pragma_${name}`),
    ) as [StatementSync, StatementSync, StatementSync];
    this.#statements = [pages, free, size];
  }

  read(): number {
    const [pages, free, size] = this.#statements.map((statement) => (statement.get() as { value: number }).value) as [
      number,
      number,
      number,
    ];
    return (pages - free) * size;
  }

  close(): void {
    this.#database.close();
  }
}
