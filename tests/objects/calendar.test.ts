// A program that moves a meeting is killed with -9 at random, also while it waits between looking and changing: what its
// variables say and what the calendar says is the same at every one of its commits, and nothing is lost or done twice.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Statek } from '../../src/index.ts';
import { Random } from '../crash/random.ts';
import { Calendar, calendarClasses, firstStart, planning } from './calendar.ts';
import { storeFolder } from './support/open.ts';

interface Message {
  readonly kind: 'begun' | 'moved' | 'done';
  readonly moves?: number;
  readonly status?: string;
  readonly value?: unknown;
}

const moves = 10;

it('keeps a program and the objects it works on together, however often its processes are killed', async () => {
  const folder = storeFolder();
  const random = new Random(20_261_116);
  let kills = 0;
  const heard: number[] = [];
  let end: Message | undefined;
  for (; end === undefined; kills++) {
    const messages = await runAndKill(folder, random);
    for (const { moves: moved } of messages) if (moved !== undefined) heard.push(moved);
    end = messages.find(({ kind }) => kind === 'done');
  }
  expect([end.status, end.value]).toEqual(['done', planning]);
  // What was heard of once is there for ever.
  expect(heard).toEqual(heard.toSorted((a, b) => a - b));
  expect(kills).toBeGreaterThanOrEqual(3);
  await compare(folder);
}, 300_000);

/** Runs a process, and kills it a little after one of its messages, or when it is done. */
async function runAndKill(folder: string, random: Random): Promise<Message[]> {
  const child = fork(join(import.meta.dirname, 'calendar-child.ts'), [folder, String(moves)], {
    // Compiled modules are kept there, which makes starting much cheaper.
    env: { NODE_COMPILE_CACHE: join(folder, 'cache'), ...process.env },
  });
  const messages: Message[] = [];
  const fatal = random.between(1, 5);
  const delay = random.fraction() * 30;
  child.on('message', (message: Message) => {
    messages.push(message);
    if (message.kind === 'done') child.kill('SIGKILL');
    else if (messages.length === fatal) setTimeout(() => child.kill('SIGKILL'), delay);
  });
  await new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null) throw new Error(`The process ended by itself, with code ${child.exitCode}.`);
  return messages;
}

async function compare(folder: string): Promise<void> {
  const kit = await Statek.open({ store: folder, classes: calendarClasses });
  try {
    const workspace = await kit.workspace('assistant');
    const found = await kit.transaction(() => {
      const { meetings } = new Calendar();
      const [meeting] = meetings;
      const starts = meetings.map(({ start }) => start.getTime());
      return { moves: meeting?.moves, start: meeting?.start, places: [...(meeting?.places ?? [])], starts };
    });
    expect(found.moves).toBe(moves);
    expect(new Set(found.starts).size).toBe(found.starts.length);
    const variables = await workspace.locals({ items: 1000 });
    expect(variables).toMatchObject({ moves, placed: found.start });
    const lines = found.places.map((place, index) => `move ${index + 1} to ${place}`);
    expect(await workspace.console()).toEqual(lines);
    // The same at every moment of the program's past, objects as they were then.
    const commits = await workspace.commits({ limit: 1000 });
    let latest = moves;
    for (const { hash, sequence } of commits) {
      if (sequence < 3) continue;
      const past = await workspace.at(hash);
      const [own, theirs, placed, start, places, refused, told] = (await past.run(
        '[moves, meeting.moves, placed, meeting.start, meeting.places.length, refused, meeting.refused ?? 0]',
      )) as [number, number, Date, Date, number, number, number];
      expect([theirs, places, start, told]).toEqual([own, own, placed, refused]);
      expect(own === latest || own === latest - 1).toBe(true);
      latest = own;
    }
    const oldest = await workspace.at(commits.find(({ sequence }) => sequence === 3)?.hash ?? '');
    expect(await oldest.run('meeting.start')).toEqual(firstStart);
  } finally {
    await kit.close();
  }
}
