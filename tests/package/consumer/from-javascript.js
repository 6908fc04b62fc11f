// Uses the installed package from JavaScript: every entry point must load and do what it says, threads included.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustCommit, openStore, recordCollection, StatekError } from 'statek';
import { openPostgres } from 'statek/postgres';
import { ManualClock, storeConformance } from 'statek/testing';

if (typeof openPostgres !== 'function' || storeConformance.length === 0) throw new Error('An entry point is empty.');
if (new ManualClock(5).now() !== 5) throw new Error('The clock does not stand still.');

const folder = mkdtempSync(join(tmpdir(), 'statek-consumer-'));
for (const location of ['memory:', folder]) {
  const store = await openStore(location);
  const meetings = recordCollection('meetings');
  await store.declare(meetings);
  await mustCommit(store, {
    writes: [{ kind: 'put', collection: meetings, key: ['monday', 9], value: { title: 'Planning' } }],
  });
  const [entry] = await store.read(meetings, [['monday', 9]]);
  if (entry?.value.title !== 'Planning' || entry.revision !== 1) throw new Error(`${location} did not keep it`);
  const { problems } = await store.verify();
  if (problems.length > 0) throw new Error(problems.join(' '));
  await store.close();
  const error = await store.revision().catch((reason) => reason);
  if (!(error instanceof StatekError) || error.code !== 'STORE_CLOSED') throw new Error('A closed store answered.');
}
rmSync(folder, { recursive: true });
console.log('JavaScript: works');
