// Collecting under kill -9: every object is whole or gone, everything reachable is there, and the next run goes on.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { collectObjects } from '../../src/objects/collecting/collect.ts';
import { ObjectIndex } from '../../src/objects/queries/object-index.ts';
import type { Objects } from '../../src/objects/objects.ts';
import { extentRows, nodeRows } from '../../src/objects/rows.ts';
import { scanAll } from '../../src/store/scan-all.ts';
import type { Store } from '../../src/store/store.ts';
import { Random } from '../crash/random.ts';
import { change, classes, Hub, type Item } from './collect-support.ts';
import { openObjects, openTestStore, storeFolder } from './support/open.ts';

const rounds = 2;
const seed = Number(process.env['STATEK_SEED'] ?? randomInt(2 ** 31 - 100));
const program = fileURLToPath(new URL('./collect-crash-child.ts', import.meta.url));

/** Runs the child for a moment, kills it, and answers how many objects it said it had removed. */
async function runAndKill(folder: string, childSeed: number, milliseconds: number): Promise<number> {
  const child = spawn(process.execPath, [program, folder, String(childSeed)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const closed = once(child, 'close');
  let removed = 0;
  const reader = createInterface({ input: child.stdout }).on('line', (line) => (removed += Number(line) || 0));
  await Promise.race([once(reader, 'line'), closed]);
  // The moment of a kill is a matter of time and of no event.
  await Promise.race([setTimeout(milliseconds), closed]);
  child.kill('SIGKILL');
  await closed;
  expect(complaints.replaceAll(/.*ExperimentalWarning.*\n.*\n/g, '')).toBe('');
  return removed;
}

/** Reads all that can be reached through the classes' own ways; what is not whole throws. */
function walk(item: Item): number {
  let count = 1;
  expect((item['list'] as number[]).every((element, index) => element === index)).toBe(true);
  for (const [key, value] of item['map'] as Map<number, { index: number }>) expect(value.index).toBe(key);
  const index = item['index'];
  expect(index).toBeInstanceOf(ObjectIndex);
  for (const below of index as ObjectIndex<Item>) count += walk(below);
  return count;
}

function walkAll(objects: Objects): Promise<number[]> {
  return change(objects, () => Object.values(new Hub()).map((item) => walk(item as Item)));
}

async function instancesWithoutExtent(store: Store): Promise<string[]> {
  const missing: string[] = [];
  for await (const { key, value } of scanAll(store, nodeRows, {})) {
    if (!('class' in value)) continue;
    const [extent] = await store.read(extentRows, [[key[0] as string, value.class, key[1] as string]]);
    if (extent === undefined) missing.push(String(key[1]));
  }
  return missing;
}

test(`the graph is whole after each of ${rounds} kills, seed ${seed}`, async () => {
  const random = new Random(seed);
  const folder = storeFolder();
  for (let round = 0; round < rounds; round++) {
    await runAndKill(folder, seed + round, 20 + random.fraction() * 400);
    const store = await openTestStore(folder);
    const objects = await openObjects(classes, store);
    // 1 + 2 + 4 objects in each slot, or it is not whole.
    for (const count of await walkAll(objects)) expect(count).toBe(7);
    expect(await instancesWithoutExtent(store)).toEqual([]);
    const whole = { danglingReferences: { count: 0 }, problems: { count: 0 }, deferred: 0 };
    const report = await collectObjects(objects, { graceMilliseconds: 0 });
    expect(report).toMatchObject(whole);
    expect(await collectObjects(objects, { graceMilliseconds: 0 })).toMatchObject({
      ...whole,
      live: report.live,
      removed: 0,
    });
    await walkAll(objects);
    objects.close();
  }
});
