// A process that keeps a file store open until it is killed.
import { recordCollection } from '../../../src/store/collection.ts';
import { openFile } from '../../../src/store/file/open.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';

const things = recordCollection<unknown>('things', { keeps: 'versions' });
const store = await openFile(process.argv[2] ?? '');
await store.declare(things);
await mustCommit(store, { writes: [{ kind: 'put', collection: things, key: ['held'], value: true }] });
process.stdout.write('open');
setInterval(() => undefined, 1000);
