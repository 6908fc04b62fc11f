// A thousand agents on four processes, one of which is killed every second:
//   npm run example cluster [-- --python --agents 1000 --processes 4 --every 1000 --postgres postgres://…]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Statek } from 'statek';
import { courierWith } from './courier.ts';
import { findPlace, openPlace, removePlace } from './place.ts';
import { Processes } from './processes.ts';
import { show } from './screen.ts';

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000' },
    processes: { type: 'string', default: '4' },
    every: { type: 'string', default: '1000' },
    python: { type: 'boolean', default: false },
    postgres: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/test' },
  },
});
const [agents, count, every] = [values.agents, values.processes, values.every].map(Number) as [number, number, number];
const language = values.python ? 'python' : 'typescript';
const folder = mkdtempSync(join(tmpdir(), 'statek-'));
const book = join(folder, 'deliveries');
writeFileSync(book, '');

const place = await findPlace(values.postgres);
const store = await openPlace(place);
const { courier, models } = courierWith(book, language);
// This process submits and looks; it does not work.
const kit = await Statek.open({ store, agents: [courier], models });
await kit.submitAll(
  courier,
  Array.from({ length: agents }, (_, parcel) => ({ id: `parcel-${parcel}`, vars: { parcel }, message: 'Deliver it.' })),
);
console.log(
  `${agents} agents on ${count} processes, ${'folder' in place ? 'SQLite' : 'PostgreSQL'}; one is killed every ${every} ms`,
);

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());
const processes = await Processes.start(count, place, book, language);
const began = performance.now();
let last = { time: began, steps: 0 };
for (;;) {
  const [ready, done] = await Promise.all([kit.countJobs({ status: 'READY' }), kit.countJobs({ status: 'DONE' })]);
  const now = performance.now();
  // Not before a part of the work was done: on a slow machine processes would be killed for ever before they have done any.
  const steps = agents - ready + done;
  const isTime = now - last.time >= every && steps >= last.steps + agents / 20;
  const killed = isTime && done < agents ? processes.kill() : undefined;
  if (killed !== undefined) last = { time: now, steps };
  const started = agents - ready;
  show({ seconds: (now - began) / 1000, jobs: agents, started, done, processes: processes.states(), killed });
  if (done === agents || interruption.signal.aborted) break;
  await pause(100);
}
const kills = processes.states().reduce((sum, one) => sum + one.kills, 0);
await processes.stop();

// Nothing lost, nothing twice: each job has its result, and each delivery one key, however often a process died over it.
const keys = readFileSync(book, 'utf8').split('\n').filter(Boolean);
const completed = await kit.countJobs({ outcome: 'completed' });
console.log(`\n${completed} of ${agents} completed; processes killed: ${kills}`);
console.log(
  `${new Set(keys).size} deliveries, ${keys.length - new Set(keys).size} of them asked for again, under the same key`,
);
const jobs = await kit.jobs({ outcome: 'completed', limit: 1000 });
const visits = await Promise.all(jobs.map((job) => job.result()));
console.log(`every program has been in both towns: ${visits.every((towns) => towns === 2)}`);
await kit.close();
await store.close();
await removePlace(place);
rmSync(folder, { recursive: true, force: true });
