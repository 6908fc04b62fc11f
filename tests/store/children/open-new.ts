// Opens many new files, one after the other, each at about the same time as others do.
import { join } from 'node:path';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import { asChild } from './child.ts';

export interface OpenNewTask {
  readonly folder: string;
  readonly files: number;
}

await asChild(async ({ folder, files }: OpenNewTask, start) => {
  await start();
  const failures: string[] = [];
  for (let index = 0; index < files; index++) {
    try {
      await (await openSqlite(join(folder, `store${index}.db`))).close();
    } catch (error) {
      failures.push(String(error));
    }
  }
  return failures;
});
