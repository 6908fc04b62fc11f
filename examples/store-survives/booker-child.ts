// The process that will be killed: books meetings without end, and says of each that it is durable once it is.
import { mustCommit, openStore } from '../../src/index.ts';
import { diary, meetings, type Booking } from './calendar.ts';

const [folder = '', round = ''] = process.argv.slice(2);
const store = await openStore(folder);
await store.declare(meetings, diary);

await Promise.all(Array.from({ length: 8 }, (_, worker) => book(worker)));

async function book(worker: number): Promise<never> {
  for (let number = 1; ; number++) {
    const id = `${round}-${worker}-${number}`;
    const hour = 8 + (number % 10);
    const revision = await mustCommit(store, {
      checks: [{ kind: 'absent', collection: meetings, key: [id] }],
      writes: [
        { kind: 'put', collection: meetings, key: [id], value: { title: `Meeting ${id}`, hour } },
        { kind: 'put', collection: diary, key: [id], value: { line: `${hour}:00 Meeting ${id}` } },
      ],
    });
    const booking: Booking = { id, revision };
    process.stdout.write(`${JSON.stringify(booking)}\n`);
  }
}
