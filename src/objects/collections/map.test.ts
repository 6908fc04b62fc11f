// Maps behave as JavaScript's do, whatever is done to them in whatever order, also in the middle of an iteration.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CountedParts, randomNumbers } from './fixtures/counted-parts.ts';
import { filled, first, letters, verifyMap, type Pair } from './fixtures/map-checks.ts';
import { mapIterate, mapNext, type MapCursor } from './map-iterate.ts';
import { mapCreate, mapDestroy, mapGet, mapHas, mapSet } from './map.ts';
import { CollectionDamagedError } from './parts.ts';

const anyValue = fc.oneof(
  { weight: 6, arbitrary: fc.nat() },
  fc.nat(600).map(letters),
  fc.constantFrom(4000, 9000).map((length) => ({ text: letters(length) })),
);
type Action = ['set', number, unknown] | ['delete', number, number] | ['clear'];
const anyAction = fc.oneof<[fc.WeightedArbitrary<Action>, fc.WeightedArbitrary<Action>, fc.WeightedArbitrary<Action>]>(
  { weight: 30, arbitrary: fc.tuple(fc.constant('set'), fc.nat(400), anyValue) },
  { weight: 20, arbitrary: fc.tuple(fc.constant('delete'), fc.nat(400), fc.nat(60)) },
  { weight: 1, arbitrary: fc.constant(['clear']) },
);

function apply(pair: Pair, action: Action): void {
  if (action[0] === 'set') pair.set(action[1], action[2]);
  else if (action[0] === 'clear') pair.clear();
  else for (let key = action[1]; key < action[1] + action[2]; key++) pair.delete(key);
}

describe('maps', () => {
  test('behave as JavaScript maps do', () => {
    fc.assert(
      fc.property(fc.nat(400), fc.array(anyAction, { maxLength: 60 }), (size, actions) => {
        const pair = filled(size);
        pair.check();
        for (const action of actions) {
          apply(pair, action);
          pair.check();
        }
        expect(pair.entries).toStrictEqual([...pair.model]);
        for (let key = 0; key < 400; key += 7) {
          const text = pair.text(key);
          expect(mapGet(pair.parts, pair.root, text)).toBe(pair.model.get(key));
          expect(mapHas(pair.parts, pair.root, text)).toBe(pair.model.has(key));
        }
        mapDestroy(pair.parts, pair.root);
        expect(pair.parts.stored.size).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test('iterate as JavaScript maps do while they change', () => {
    fc.assert(
      fc.property(fc.nat(400), fc.array(fc.array(anyAction, { maxLength: 4 }), { maxLength: 80 }), (size, script) => {
        const pair = filled(size);
        const ours = mapIterate(pair.parts, () => pair.root);
        const theirs = pair.model.entries();
        for (let step = 0; ; step++) {
          const [one, other] = [ours.next(), theirs.next()];
          const met = one.done === true ? undefined : [one.value.key, one.value.value];
          expect(met).toStrictEqual(other.value);
          if (other.done === true) return;
          for (const action of script[step] ?? []) apply(pair, action);
        }
      }),
      { numRuns: 100 },
    );
  });

  test.each([1, 2, 3])(
    'stay as JavaScript maps are over 20,000 random operations, with iterations (seed %i)',
    (seed) => {
      const random = randomNumbers(seed);
      const pair = filled(0);
      let [ours, theirs] = [mapIterate(pair.parts, () => pair.root), pair.model.entries()];
      for (let step = 0; step < 20_000; step++) {
        const key = random(4000);
        const growing = step % 9000 < 5000;
        if (random(10) < (growing ? 6 : 2)) pair.set(key, random(40) === 0 ? letters(random(5000)) : random(50));
        else if (random(400) === 0) for (let near = key; near < key + 500; near++) pair.delete(near);
        else pair.delete(random(2) === 0 ? key : (first(pair.model.keys(), 3).at(-1) ?? key));
        if (random(6000) === 0) pair.clear();
        if (mapGet(pair.parts, pair.root, pair.text(key)) !== pair.model.get(key))
          throw new Error(`Key ${key} is wrong.`);
        if (step % 400 === 0) pair.check();
        if (random(4) > 0) continue;
        const [one, other] = [ours.next(), theirs.next()];
        if (one.done !== other.done || (one.done !== true && one.value.key !== other.value?.[0])) {
          throw new Error(`Step ${step}: the iterations part.`);
        }
        if (one.done === true) [ours, theirs] = [mapIterate(pair.parts, () => pair.root), pair.model.entries()];
      }
      pair.check();
      expect(pair.entries).toStrictEqual([...pair.model]);
    },
  );

  test('made of repeated keys keep the first place and the last value', () => {
    const parts = new CountedParts();
    const root = mapCreate(parts, [
      ['a', 'A', 1],
      ['b', 'B', 2],
      ['a', 'other', 3],
    ]);
    expect([...mapIterate(parts, () => root)].map(({ key, value }) => [key, value])).toStrictEqual([
      ['A', 3],
      ['B', 2],
    ]);
  });

  test('tell keys apart that differ in lone surrogates or far behind', () => {
    const texts = ['\ud800', '\ud801', '\udc00', `${letters(500)}a`, `${letters(500)}b`, '', '\0'];
    const parts = new CountedParts();
    let root = filled(0).root;
    for (let key = 0; key < 100; key++) root = mapSet(parts, root, `n${key}`, key, key);
    for (const text of texts) root = mapSet(parts, root, text, text, `value of ${text}`);
    verifyMap(parts, root);
    expect(texts.map((text) => mapGet(parts, root, text))).toStrictEqual(texts.map((text) => `value of ${text}`));
    const keys = [...parts.stored.keys()].map((name) => JSON.parse(name) as (string | number)[]);
    expect(keys.every(([, text]) => typeof text === 'number' || (text ?? '').length <= 200)).toBe(true);
  });

  test('go on from a cursor kept as JSON, after they were cleared and filled again', () => {
    const pair = filled(500);
    const begun = mapNext(pair.parts, pair.root);
    const cursor = JSON.parse(JSON.stringify(begun?.cursor)) as MapCursor;
    expect(mapNext(pair.parts, pair.root, cursor)).toMatchObject({ key: 1, value: 1 });
    pair.clear();
    expect(mapNext(pair.parts, pair.root, cursor)).toBeUndefined();
    for (let key = 300; key < 600; key++) pair.set(key, key);
    expect(mapNext(pair.parts, pair.root, cursor)).toMatchObject({ key: 300 });
  });

  test('tell when a part is missing or is not what it should be', () => {
    const pair = filled(1000);
    const chunks = [...pair.parts.stored.keys()].filter((name) => name.startsWith('["c"'));
    const [own, other] = chunks.map((name) => pair.parts.stored.get(name));
    for (const wrong of [undefined, 5, { entries: [] }, other]) {
      pair.parts.stored.set(chunks[0] as string, wrong);
      expect(() => mapGet(pair.parts, pair.root, 'n0')).toThrow(CollectionDamagedError);
    }
    pair.parts.stored.set(chunks[0] as string, own);
    expect(mapGet(pair.parts, pair.root, 'n0')).toBe(0);
  });
});
