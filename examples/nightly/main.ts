// Jobs at night: schedules fire each time once, whichever processes run. Time is simulated, so a week passes in a second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Statek } from 'statek';
import { scriptedModel, SimulatedClock } from 'statek/testing';
import { code, exampleModels } from '../models.ts';

const hour = 60 * 60 * 1000;
// Friday. On Sunday, 29 March 2026, Berlin changes to summer time: the hour from 2 to 3 does not exist there.
const clock = new SimulatedClock(Date.UTC(2026, 2, 27, 12));

const bookkeeper = new Agent({
  role: 'bookkeeper',
  systemPrompt: 'You close the books of the region in the variable `region`: exit(a sentence that says so).',
  metadata: { MODEL: 'bookkeeper' },
});
const tidier = new Agent({
  role: 'tidier',
  language: 'python',
  systemPrompt: 'You tidy up, which takes two and a half hours: sleep(9000), then exit().',
  metadata: { MODEL: 'tidier' },
});
const models = exampleModels({
  bookkeeper: scriptedModel([code('ts', 'exit(`the books of the ${region} are closed`)')], { by: 'turn' }),
  tidier: scriptedModel([code('python', 'sleep(9000)', 'exit()')], { by: 'turn' }),
});

const folder = mkdtempSync(join(tmpdir(), 'statek-'));
/** What every process of the application does when it starts. A schedule that is there already stays as it is. */
async function open(): Promise<Statek> {
  const kit = await Statek.open({ store: folder, clock, agents: [bookkeeper, tidier], models });
  await kit.schedule('close-books', {
    cron: '30 2 * * *',
    timeZone: 'Europe/Berlin',
    missed: 'all', // every day has to be closed, also those that nobody was there for
    submit: { role: bookkeeper, vars: { region: 'north' } },
  });
  // It takes longer than the time between two: the next one is left out.
  await kit.schedule('tidy', { every: 2 * hour, overlap: 'skip', missed: 'skip', submit: { role: tidier } });
  return kit;
}

/** Lets hours pass with a process that works. */
async function hoursPass(kit: Statek, count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) {
    clock.advance(hour);
    await kit.runUntilIdle();
  }
}

let kit = await open();
await hoursPass(kit, 24);
await kit.close();
console.log('Friday and Saturday pass; then the machine is off until Tuesday.');
clock.advance(60 * hour);
kit = await open();
await kit.runUntilIdle();
await hoursPass(kit, 4);

for (const job of await kit.jobs({ role: 'bookkeeper', order: 'oldest' }))
  console.log(`  ${job.id} ran on ${job.created.toISOString().slice(0, 10)}: ${String(await job.result())}`);
for await (const { name, next, fired, skipped } of kit.schedules())
  console.log(`${name}: fired ${fired}, skipped ${skipped}, next at ${next?.toISOString()}`);

// A person may want one now; it has its own id, and the schedule goes on.
const schedule = await kit.findSchedule('close-books');
const job = await kit.job(await schedule.runNow());
console.log('now:', await job.result());
await kit.close();
rmSync(folder, { recursive: true, force: true });
