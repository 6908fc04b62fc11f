// Shows the store keeping its word: a child process books meetings, is killed with -9 in the middle, and everything it
// was told is there after reopening. Runs in a few seconds, with no service and no key.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openStore, scanAll } from '../../src/index.ts';
import { diary, meetings, type Booking } from './calendar.ts';

const rounds = 3;
const colour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
const paint = (code: number, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
const say = (text = ''): void => void process.stdout.write(`${text}\n`);

const folder = mkdtempSync(join(tmpdir(), 'statek-'));
const acknowledged: Booking[] = [];

say(paint(1, 'Statek: nothing acknowledged is ever lost'));
say(`A process books meetings in an embedded store (${paint(2, folder)}) and is killed with -9 again and again.\n`);

for (let round = 1; round <= rounds; round++) {
  const booked = await bookUntilKilled(round);
  acknowledged.push(...booked);
  say(`${paint(31, 'killed')}   round ${round}: it had been told that ${booked.length} bookings are durable`);
}

const failures = await inspect();
rmSync(folder, { recursive: true, force: true });
process.exitCode = failures === 0 ? 0 : 1;

/** Starts the child, reads its acknowledgements, and kills it at a random moment. */
async function bookUntilKilled(round: number): Promise<Booking[]> {
  const booked: Booking[] = [];
  const killAfter = 200 + Math.floor(Math.random() * 800);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'booker-child.ts'), folder, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    booked.push(JSON.parse(line) as Booking);
    if (booked.length >= killAfter) child.kill('SIGKILL');
  }
  return booked;
}

/** Reopens the store and compares it with every acknowledgement. */
async function inspect(): Promise<number> {
  const started = performance.now();
  const store = await openStore(folder);
  await store.declare(meetings, diary);
  say(
    `\n${paint(32, 'reopened')} in ${(performance.now() - started).toFixed(0)} ms, at revision ${await store.revision()}`,
  );

  const found = new Set<string>();
  for await (const { key } of scanAll(store, meetings, {})) found.add(String(key[0]));
  const noted = new Set<string>();
  for await (const { key } of scanAll(store, diary, {})) noted.add(String(key[0]));
  const lost = acknowledged.filter(({ id }) => !found.has(id)).length;
  const torn = [...found].filter((id) => !noted.has(id)).length + [...noted].filter((id) => !found.has(id)).length;
  const { problems } = await store.verify();

  say(`  acknowledged  ${acknowledged.length}`);
  say(`  in the store  ${found.size}   ${paint(2, '(a few more: durable, but killed before it could be told)')}`);
  say(`  lost          ${lost}`);
  say(`  half there    ${torn}   ${paint(2, '(each booking writes two entries, or none)')}`);
  say(`  damaged       ${problems.length}`);

  const [first] = acknowledged;
  if (first !== undefined) {
    const [entry] = await store.read(meetings, [[first.id]]);
    say(
      `\nThe first one, as it was written: ${JSON.stringify(entry?.value)} ${paint(2, `(revision ${entry?.revision})`)}`,
    );
  }
  await store.close();
  say(
    lost + torn + problems.length === 0
      ? paint(32, '\nNothing lost, nothing half there.')
      : paint(31, '\nSomething is wrong.'),
  );
  return lost + torn + problems.length;
}
