// Collections exposed as live ones: they behave like arrays, maps and sets, and writes go through to the application.
import { expect, it } from 'vitest';
import { expose } from '../../src/index.ts';
import { errorOf, openWorkspace, valueOf } from './support/kits.ts';

interface Event {
  title: string;
  hours: number;
}

function calendar(): { events: Event[]; rooms: Map<string, number>; tags: Set<string>; count(): number } {
  const events = expose<Event[]>(
    [
      { title: 'a', hours: 1 },
      { title: 'b', hours: 2 },
      { title: 'c', hours: 3 },
    ],
    { live: true },
  );
  const rooms = expose(
    new Map([
      ['blue', 4],
      ['red', 8],
    ]),
    { live: true },
  );
  const tags = expose(new Set(['work', 'home']), { live: true });
  return { events, rooms, tags, count: () => events.length };
}

it('is an array in every way that matters', async () => {
  const application = calendar();
  const workspace = await openWorkspace({ vars: { calendar: application } });
  expect(await valueOf(workspace, 'Array.isArray(calendar.events)')).toBe(true);
  expect(await valueOf(workspace, 'calendar.events.filter((e) => e.hours > 1).map((e) => e.title)')).toEqual([
    'b',
    'c',
  ]);
  expect(await valueOf(workspace, 'calendar.events.push({ title: "d", hours: 4 })')).toBe(4);
  expect(application.events[3]).toEqual({ title: 'd', hours: 4 });
  expect(await valueOf(workspace, '[calendar.events.length, calendar.events.at(-1).title, calendar.count()]')).toEqual([
    4,
    'd',
    4,
  ]);
  await workspace.run('calendar.events[0] = { title: "first", hours: 0 }');
  expect(application.events[0]).toEqual({ title: 'first', hours: 0 });
  expect(await valueOf(workspace, '[...calendar.events].map((e) => e.title).join()')).toBe('first,b,c,d');
  expect(await valueOf(workspace, 'let sum = 0; for (const e of calendar.events) sum += e.hours; sum')).toBe(9);
  expect(await valueOf(workspace, 'calendar.events.splice(1, 2).map((e) => e.title)')).toEqual(['b', 'c']);
  expect(application.events.map(({ title }) => title)).toEqual(['first', 'd']);
  expect(
    await valueOf(
      workspace,
      '[calendar.events.pop().title, calendar.events.length, calendar.events.find((e) => e.title === "first").hours]',
    ),
  ).toEqual(['d', 1, 0]);
  expect(
    await valueOf(
      workspace,
      'const { length, [0]: head } = calendar.events; [length, head.title, 0 in calendar.events, 5 in calendar.events]',
    ),
  ).toEqual([1, 'first', true, false]);
  await workspace.run('calendar.events.length = 0');
  expect(application.events).toEqual([]);
  expect((await errorOf(workspace, 'calendar.events[5] = 1')).message).toMatch(/no holes/);
});

it('is a map and a set', async () => {
  const application = calendar();
  const workspace = await openWorkspace({ vars: { calendar: application } });
  expect(
    await valueOf(
      workspace,
      '[calendar.rooms.get("blue"), calendar.rooms.has("red"), calendar.rooms.size, calendar.rooms instanceof Map]',
    ),
  ).toEqual([4, true, 2, true]);
  await workspace.run('calendar.rooms.set("green", 2).delete("red")');
  expect([...application.rooms]).toEqual([
    ['blue', 4],
    ['green', 2],
  ]);
  expect(
    await valueOf(workspace, '[[...calendar.rooms], [...calendar.rooms.keys()], [...calendar.rooms.values()]]'),
  ).toEqual([
    [
      ['blue', 4],
      ['green', 2],
    ],
    ['blue', 'green'],
    [4, 2],
  ]);
  await workspace.run('calendar.tags.add("new"); calendar.tags.delete("home")');
  expect([...application.tags]).toEqual(['work', 'new']);
  expect(
    await valueOf(
      workspace,
      'let seen = []; calendar.tags.forEach((tag) => seen.push(tag)); [seen, [...calendar.tags.union(new Set(["x"]))]]',
    ),
  ).toEqual([
    ['work', 'new'],
    ['work', 'new', 'x'],
  ]);
  await workspace.run('calendar.tags.clear()');
  expect(application.tags.size).toBe(0);
});

it('reads long collections page by page', async () => {
  const numbers = expose(
    Array.from({ length: 2500 }, (_, index) => index),
    { live: true },
  );
  const workspace = await openWorkspace({ vars: { numbers } });
  expect(await valueOf(workspace, 'let sum = 0; for (const n of numbers) sum += n; sum')).toBe((2500 * 2499) / 2);
  expect(await valueOf(workspace, 'numbers.values().take(3).toArray()')).toEqual([0, 1, 2]);
});

it('can be looked at only, if the application says so', async () => {
  const fixed = expose([1, 2, 3], { live: true, readonly: true });
  const workspace = await openWorkspace({ vars: { fixed } });
  expect(await valueOf(workspace, 'fixed.map((n) => n * 2)')).toEqual([2, 4, 6]);
  expect((await errorOf(workspace, 'fixed.push(4)')).message).toMatch(/read-only/);
  expect(fixed).toEqual([1, 2, 3]);
});

it('is a copy unless it is exposed as live', async () => {
  const list = [1, 2];
  const workspace = await openWorkspace({ vars: { holder: { list, size: () => list.length } } });
  expect(await valueOf(workspace, 'holder.list.push(3); [holder.list.length, holder.size()]')).toEqual([2, 2]);
});

it('is the same handle wherever it is met', async () => {
  const application = calendar();
  const workspace = await openWorkspace({ vars: { calendar: application } });
  expect(await valueOf(workspace, 'calendar.events === calendar.events')).toBe(true);
});
