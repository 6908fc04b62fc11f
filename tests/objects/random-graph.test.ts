// Random changes of a graph, in turns and transactions that are kept, thrown away or undone in part, with reopening in
// between: it is always what plain objects would be. STATEK_ROUNDS=1000 makes it longer; STATEK_SEED repeats one.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { transaction } from '../../src/objects/graph.ts';
import { transact } from '../../src/objects/transactions/transact.ts';
import { Random } from '../crash/random.ts';
import {
  copyModel,
  describeGraph,
  describeModel,
  emptyModel,
  graphClasses,
  randomChange,
  Root,
  type Model,
} from './support/graph-model.ts';
import { openObjects, reopen } from './support/open.ts';
import { memoryPlace, openAt, placeFor, serverPlaces, type Place } from './support/places.ts';

const seed = Number(process.env['STATEK_SEED'] ?? randomInt(2 ** 31 - 1));
const rounds = Number(process.env['STATEK_ROUNDS'] ?? 4);

function refuseOthers(error: unknown): void {
  if (!(error instanceof RangeError)) throw error;
}

/** A transaction inside another that throws. */
function undone(action: () => void): void {
  try {
    void transaction(() => {
      action();
      throw new RangeError('undone');
    });
  } catch (error) {
    refuseOthers(error);
  }
}

/** Some changes, some of them in transactions inside that are undone. */
function changeSome(random: Random, graph: Root, given: Model): Model {
  let model = given;
  for (let count = random.between(1, 6); count > 0; count--) {
    const change = randomChange(random);
    if (!random.chance(0.15)) change(graph, model);
    else {
      const before = copyModel(model);
      const more = randomChange(random);
      undone(() => {
        change(graph, model);
        more(graph, model);
      });
      model = before;
    }
  }
  return model;
}

test(`a random graph is what plain objects would be, seed ${seed}`, { timeout: 3_600_000 }, async () => {
  const random = new Random(seed);
  for (let round = 0; round < rounds; round++) {
    let objects = await openObjects(graphClasses);
    let model = emptyModel();
    for (let step = 0; step < 40; step++) {
      const before = copyModel(model);
      const way = random.between(0, 4);
      if (way === 0) {
        // A turn, without a transaction.
        const change = randomChange(random);
        change(new Root(), model);
        if (random.chance(0.5)) await objects.plainWrites.flush();
      } else if (way === 1) {
        await transaction(() => {
          changeSome(random, new Root(), copyModel(model));
          throw new RangeError('thrown away');
        }).catch(refuseOthers);
        model = before;
      } else {
        model = await transaction(() => changeSome(random, new Root(), copyModel(before)));
      }
      expect(describeGraph(new Root())).toBe(describeModel(model));
      if (random.chance(0.1)) objects = await reopen(objects, graphClasses);
    }
    await objects.plainWrites.flush();
    objects.close();
  }
});

const twoProcesses: readonly Place[] = [memoryPlace, ...serverPlaces];

test.each(twoProcesses)(`two processes change one graph in turn, seed ${seed}, on $name`, async (place) => {
  const random = new Random(seed + 1);
  const open = await placeFor(place);
  const both = [await openAt(open, graphClasses), await openAt(open, graphClasses)];
  let model = emptyModel();
  for (let step = 0; step < (place === memoryPlace ? 25 : 8); step++) {
    const objects = random.pick(both);
    const stepSeed = random.seed();
    const before = model;
    // On PostgreSQL the function runs again for what was not loaded: with the same choices, on a fresh copy.
    model = await transact(objects, () => changeSome(new Random(stepSeed), new Root(), copyModel(before)));
    const text = await transact(random.pick(both), () => describeGraph(new Root()));
    expect(text).toBe(describeModel(model));
  }
});
