// The process that is killed. Its input says which store to open and what to do with it; it says `!` when the load
// starts and `.` at every answer, and ends only if the load does.
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { everyCollection } from './collections.ts';
import { JournalWriter } from './journal.ts';
import { Load } from './load.ts';
import { loadApplicationName, openPlace, type PlaceDescription } from './place.ts';
import { Random } from './random.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

export interface ChildTask {
  readonly place: PlaceDescription;
  readonly name: string;
  readonly seed: number;
  readonly journal: string;
  readonly calls: number | undefined;
  readonly pruneUpTo: number | undefined;
}

async function main(task: ChildTask): Promise<void> {
  const random = new Random(task.seed);
  // A mark for every answer, so that whoever kills this process knows how far it has come.
  const journal = new JournalWriter(task.journal, () => process.stdout.write('.'));
  const store = await openPlace(task.place, loadApplicationName);
  await store.declare(...everyCollection);
  const { place } = task;
  const load = new Load(store, journal, random, {
    name: task.name,
    loops: random.between(1, 16),
    calls: task.calls,
    pruneUpTo: task.pruneUpTo,
    disturb: place.engine === 'sqlite' ? checkpoints(place.file, place.durability, random) : undefined,
  });
  process.stdout.write('!');
  await load.run();
  await store.close();
}

// The engine moves its log into the file rarely; here it is to happen often, because a crash may fall into it.
function checkpoints(file: string, durability: 'full' | 'relaxed', random: Random): () => void {
  const database = new DatabaseSync(file, { timeout: 0 });
  database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
  process.once('beforeExit', () => database.close());
  return () => {
    try {
      database.exec(`PRAGMA wal_checkpoint(${random.pick(['PASSIVE', 'RESTART', 'TRUNCATE'])})`);
    } catch {
      // Busy: another connection is at it.
    }
  };
}

const input = await text(process.stdin);
// Nothing, if whoever started it went away.
if (input !== '') await main(JSON.parse(input) as ChildTask);
