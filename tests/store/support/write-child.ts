// A process that opens a store, writes one entry and says how it went: `written`, or the code of the error.
import { StatekError } from '../../../src/base/error.ts';
import { recordCollection } from '../../../src/store/collection.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';

const [file = '', name = ''] = process.argv.slice(2);
const things = recordCollection<string>('things');
try {
  const store = await openSqlite(file);
  try {
    await store.declare(things);
    await mustCommit(store, { writes: [{ kind: 'put', collection: things, key: [name], value: name }] });
    process.stdout.write('written');
  } finally {
    await store.close();
  }
} catch (error) {
  process.stdout.write(error instanceof StatekError ? error.code : String(error));
}
