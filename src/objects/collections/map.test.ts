// Maps behave as JavaScript's do, whatever is done to them in whatever order, also in the middle of an iteration.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CountedParts, frozen, nameOf, randomNumbers } from './fixtures/counted-parts.ts';
import { indexKey, readChunk } from './map-chunks.ts';
import { mapIterate, mapNext, type MapCursor } from './map-iterate.ts';
import {
  mapCreate,
  emptyMap,
  mapClear,
  mapDelete,
  mapDestroy,
  mapGet,
  mapHas,
  mapSet,
  mapSize,
  type MapRoot,
} from './map.ts';
import { CollectionDamagedError } from './parts.ts';
import { setAdd } from './set.ts';
import { inlineCapacity, partCapacity, partMinimum, totalWeight } from './weight.ts';

/** Fails unless the stored parts are exactly the linked chunks and one index part for each of their keys. */
function verify(parts: CountedParts, root: MapRoot): void {
  frozen(root);
  if ('entries' in root) {
    if (totalWeight(root.entries) <= inlineCapacity && parts.stored.size === 0) return;
    throw new Error('A map in its record is too large for it, or has left parts behind.');
  }
  let [size, chunks, sequence] = [0, 0, -1];
  let previous: number | null = null;
  let smallBefore = false;
  for (let number: number | null = root.first; number !== null;) {
    const chunk = readChunk(parts, number);
    if (chunk.previous !== previous) throw new Error(`Chunk ${number} is not linked to the one before it.`);
    for (const [own, text] of chunk.entries) {
      if (own <= sequence || own >= root.next) throw new Error(`Entry ${own} is out of order.`);
      if (parts.stored.get(nameOf(indexKey(text))) !== number) throw new Error(`The index of ${text} is wrong.`);
      sequence = own;
    }
    const weight = totalWeight(chunk.entries);
    if (chunk.entries.length > 1 && weight > partCapacity) throw new Error(`Chunk ${number} weighs ${weight}.`);
    if (smallBefore && weight < partMinimum)
      throw new Error(`Two small chunks are side by side: ${previous}, ${number}.`);
    smallBefore = weight < partMinimum;
    size += chunk.entries.length;
    chunks++;
    [previous, number] = [number, chunk.next];
  }
  expect(root).toMatchObject({ size, last: previous });
  expect(parts.stored.size).toBe(size + chunks);
}

const letters = (length: number): string => 'x'.repeat(length);

/** Our map and JavaScript's, changed together. Keys are numbers; their texts are made of them in several ways. */
class Pair {
  readonly parts = new CountedParts();
  readonly model = new Map<number, unknown>();
  root: MapRoot = emptyMap;

  text(key: number): string {
    if (key % 50 === 7) return `${letters(300)}${key}`;
    if (key % 50 === 8) return `${String.fromCharCode(0xd800 + (key % 1024))}${key}`;
    return `n${key}`;
  }

  set(key: number, value: unknown): void {
    this.model.set(key, frozen(value));
    this.root = mapSet(this.parts, this.root, this.text(key), key, value);
  }

  delete(key: number): void {
    this.model.delete(key);
    this.root = mapDelete(this.parts, this.root, this.text(key));
  }

  clear(): void {
    this.model.clear();
    this.root = mapClear(this.parts, this.root);
  }

  get entries(): unknown[] {
    return [...mapIterate(this.parts, () => this.root)].map(({ key, value }) => [key, value]);
  }

  check(): void {
    verify(this.parts, this.root);
    if (mapSize(this.root) !== this.model.size) throw new Error('The size is wrong.');
  }
}

function filled(size: number): Pair {
  const pair = new Pair();
  for (let key = 0; key < size; key++) pair.model.set(key, key);
  pair.root = mapCreate(
    pair.parts,
    [...pair.model].map(([key, value]) => [pair.text(key), key, value] as const),
  );
  return pair;
}

function first<Item>(items: Iterable<Item>, count: number): Item[] {
  const taken: Item[] = [];
  for (const item of items) if (taken.push(item) === count) break;
  return taken;
}

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

  test.each([
    ['in order', (index: number) => index],
    ['backwards', (index: number) => 9999 - index],
    ['all over the place', (index: number) => (index * 7919) % 10_000],
  ])('deleted one by one %s leave nothing, and few chunks on the way', (_, pick) => {
    const pair = filled(10_000);
    for (let index = 0; index < 10_000; index++) {
      pair.delete(pick(index));
      if (index % 500 === 0) pair.check();
    }
    expect(pair.root).toMatchObject({ entries: [] });
    expect(pair.parts.stored.size).toBe(0);
  });

  test('thinned out in an iteration do not load the same chunks again and again', () => {
    const pair = filled(20_000);
    pair.parts.reset();
    let met = 0;
    for (const { key } of mapIterate(pair.parts, () => pair.root)) {
      met++;
      if ((key as number) % 20 !== 0) pair.delete(key as number);
    }
    expect(met).toBe(20_000);
    pair.check();
    expect(mapSize(pair.root)).toBe(1000);
    expect(pair.parts.reads.length / met).toBeLessThan(12);
    // A quarter full at least, on the average of two neighbours.
    expect(pair.parts.stored.size - 1000).toBeLessThan(70);
    pair.parts.reset();
    expect(
      first(
        mapIterate(pair.parts, () => pair.root),
        10,
      ),
    ).toHaveLength(10);
    expect(pair.parts.loaded).toBeLessThanOrEqual(3);
  });

  test('write one chunk for a key that is there, and the key, its chunk and the record for a new one', () => {
    const { parts, root } = filled(200_000);
    parts.reset();
    expect(mapSet(parts, root, 'n100000', 100_000, 'changed')).toBe(root);
    expect(parts.writes).toHaveLength(1);
    expect(parts.loaded).toBe(2);
    parts.reset();
    expect(mapSet(parts, root, 'n100000', 100_000, 'changed')).toBe(root);
    expect(parts.writes).toHaveLength(0);
    const added = mapSet(parts, root, 'new', 'new', 1);
    expect(parts.writes.length).toBeLessThanOrEqual(3);
    parts.reset();
    const fewer = mapDelete(parts, added, 'n5000');
    expect([parts.writes.length, parts.removals.length]).toStrictEqual([1, 1]);
    expect(mapDelete(parts, fewer, 'n5000')).toBe(fewer);
    parts.reset();
    expect(
      first(
        mapIterate(parts, () => fewer),
        10,
      ).map(({ key }) => key),
    ).toStrictEqual([...Array(10).keys()]);
    expect(parts.loaded).toBe(1);
    parts.reset();
    expect(mapHas(parts, fewer, 'not there')).toBe(false);
    expect(parts.loaded).toBe(1);
  });

  test('a set writes nothing for a member that is there', () => {
    const parts = new CountedParts();
    let root = emptyMap;
    for (let member = 0; member < 1000; member++) root = setAdd(parts, root, `n${member}`, member);
    verify(parts, root);
    parts.reset();
    expect(setAdd(parts, root, 'n500', 500)).toBe(root);
    expect(parts.writes).toHaveLength(0);
  });

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
    verify(parts, root);
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
