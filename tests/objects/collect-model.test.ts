// Random graphs, cycles and all, against reachability computed from plain data: exactly the unreachable objects go.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectObjects } from '../../src/objects/collecting/collect.ts';
import { exists, idOf, newIndex, pin, unpin } from '../../src/objects/graph.ts';
import type { Objects } from '../../src/objects/objects.ts';
import { tags } from '../../src/objects/queries/tags.ts';
import { weak } from '../../src/objects/weak-reference.ts';
import { change, classes, countNodes, Hub, Item, rowsNaming } from './collect-support.ts';
import { openObjects, openTestStore, storeFolder } from './support/open.ts';

const spaces = ['default', 'other'] as const;

/** How one object refers to another; those in capitals are too large for one record. */
const kinds = [
  'field',
  'weak',
  'list',
  'LIST',
  'value',
  'VALUE',
  'key',
  'KEY',
  'member',
  'MEMBER',
  'object',
  'OBJECT',
  'nested',
  'index',
] as const;
type Kind = (typeof kinds)[number];

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly kind: Kind;
  /** Taken away before the second collection. */
  readonly isCut: boolean;
}

interface Plan {
  readonly spaces: readonly number[];
  readonly edges: readonly Edge[];
  readonly tagged: readonly number[];
  readonly pinned: readonly number[];
  readonly told: readonly number[];
}

const anyPlan: fc.Arbitrary<Plan> = fc.integer({ min: 1, max: 14 }).chain((count) => {
  const node = fc.nat(count - 1);
  return fc.record({
    spaces: fc.array(fc.constantFrom(0, 0, 0, 1), { minLength: count, maxLength: count }),
    // The hub of a space refers to objects like any other: -1.
    edges: fc.array(
      fc.record({
        from: fc.integer({ min: -1, max: count - 1 }),
        to: node,
        kind: fc.constantFrom(...kinds),
        isCut: fc.boolean(),
      }),
      { maxLength: count * 2 },
    ),
    tagged: fc.array(node, { maxLength: 2 }),
    pinned: fc.array(node, { maxLength: 2 }),
    told: fc.array(node, { maxLength: 1 }),
  });
});

const filler = (): number[] => Array.from({ length: 130 }, (_, index) => index);

function valueFor(objects: Objects, kind: Kind, target: Item): unknown {
  const isLarge = kind === kind.toUpperCase();
  const around = isLarge ? filler() : [];
  switch (kind.toLowerCase()) {
    case 'field':
      return target;
    case 'weak':
      return weak(target);
    case 'list':
      return [...around, target, ...around];
    case 'value':
      return new Map<unknown, unknown>([...around.map((key) => [key, 'ref'] as const), ['target', target]]);
    case 'key':
      return new Map<unknown, unknown>([...around.map((key) => [key, 'ref'] as const), [target, 'value']]);
    case 'member':
      return new Set<unknown>([...around, target]);
    case 'object':
      return Object.fromEntries([...around.map((key) => [`key${key}`, 'ref']), ['target', target]]);
    case 'nested':
      return { list: [new Map([['set', new Set([target])]])] };
    default: {
      const index = newIndex(objects);
      index.add([1, 'key'], target);
      return index;
    }
  }
}

/** Which objects must be there, from the plan alone. */
function reachable(plan: Plan, edges: readonly Edge[], roots: readonly number[]): Set<number> {
  const found = new Set<number>();
  const open = [...roots];
  // The hub lives in the default space.
  const isStrong = ({ from, to, kind }: Edge): boolean =>
    kind !== 'weak' && (from === -1 ? 0 : plan.spaces[from]) === plan.spaces[to];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    for (const edge of edges) if (edge.from === at && isStrong(edge)) open.push(edge.to);
  }
  found.delete(-1);
  return found;
}

async function check(objects: Objects, plan: Plan): Promise<void> {
  const ids = await change(objects, () => {
    const items = plan.spaces.map((space) => objects.spaces.use(spaces[space] as string, () => new Item()));
    const hub = new Hub();
    for (const [name, { from, to, kind }] of plan.edges.entries()) {
      const holder = from === -1 ? hub : (items[from] as Item);
      const space = from === -1 ? 'default' : (spaces[plan.spaces[from] as number] as string);
      objects.spaces.use(space, () => (holder[`edge${name}`] = valueFor(objects, kind, items[to] as Item)));
    }
    for (const number of plan.tagged) tags(items[number] as Item).add('tag', 'other tag');
    for (const number of plan.pinned) pin(items[number] as Item);
    return items.map(idOf);
  });
  const told = plan.told.map((number) => ids[number] as string);
  const verify = async (expected: Set<number>, roots: readonly string[]): Promise<void> => {
    const before = await countNodes(objects.store);
    const report = await collectObjects(objects, { graceMilliseconds: 0, roots });
    const there = await change(objects, () => ids.flatMap((id, number) => (exists(id) ? [number] : [])));
    expect(new Set(there)).toEqual(expected);
    expect(report).toMatchObject({
      condemned: 0,
      deferred: 0,
      problems: { count: 0 },
      danglingReferences: { count: 0 },
    });
    expect(report.live + report.removed).toBe(before);
    expect(await countNodes(objects.store)).toBe(report.live);
    for (const id of ids.filter((_, number) => !expected.has(number)))
      expect(await rowsNaming(objects.store, id.slice(id.indexOf('/') + 1))).toEqual([]);
    expect(await collectObjects(objects, { graceMilliseconds: 0, roots })).toMatchObject({
      live: report.live,
      removed: 0,
    });
  };
  const first = reachable(plan, plan.edges, [-1, ...plan.tagged, ...plan.pinned, ...plan.told]);
  await verify(first, told);
  // What was reachable is whole: its collections still lead to what they did.
  const kept = plan.edges.filter(({ isCut }) => !isCut);
  await change(objects, () => {
    for (const [name, { from, isCut }] of plan.edges.entries()) {
      if (!isCut || (from !== -1 && !first.has(from))) continue;
      const holder = from === -1 ? new Hub() : (objects.find(ids[from] as string) as Item);
      delete holder[`edge${name}`];
    }
    for (const number of new Set(plan.pinned)) unpin(objects.find(ids[number] as string) as Item);
    for (const number of plan.tagged.slice(1))
      tags(objects.find(ids[number] as string) as Item).remove('tag', 'other tag');
  });
  const stillTagged = plan.tagged.filter((number) => !plan.tagged.slice(1).includes(number));
  const second = reachable(
    plan,
    kept.filter(({ from }) => from === -1 || first.has(from)),
    [-1, ...stillTagged],
  );
  await verify(second, []);
}

test.each<[string, number, () => string]>([
  ['in memory', 120, () => 'memory:'],
  ['on sqlite', 6, storeFolder],
])('exactly what is unreachable goes %s', async (_name, numRuns, location) => {
  let checked = 0;
  const property = fc.asyncProperty(anyPlan, async (plan) => {
    const objects = await openObjects(classes, await openTestStore(location()));
    objects.spaces.open('other', false);
    await check(objects, plan);
    objects.close();
    checked++;
  });
  await fc.assert(property, { numRuns });
  expect(checked).toBe(numRuns);
});
