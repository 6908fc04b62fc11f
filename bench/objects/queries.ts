// Looking for objects: by id, by a range of an index, by tag; and the same by hand. In transactions that begin anew each
// time, so that nothing but the cache of committed rows is warm. Nothing waits here, so CPU time is what is measured.
import type { Statek } from '../../src/index.ts';
import { cpuMilliseconds, percentile } from '../support/measurement.ts';
import type { HandRows } from './hand-rows.ts';
import { scattered, Person, type Directory } from './people.ts';

export interface QueryFigures {
  readonly range: { readonly cold: number; readonly warm: number; readonly hand: number };
  readonly tag: { readonly cold: number; readonly warm: number; readonly hand: number };
  /** Microseconds to read a field of one of a hundred objects, with the rows in the cache and without. */
  readonly field: { readonly cold: number; readonly warm: number; readonly hand: number };
}

const width = 100;

export async function measureQueries(
  kit: Statek,
  hand: HandRows,
  directory: Directory,
  people: number,
  rounds: number,
): Promise<QueryFigures> {
  const starts = scattered(rounds, people - width);
  const range = async (start: number): Promise<number> =>
    cpuMilliseconds(() =>
      kit.transaction(() => {
        let found = 0;
        for (const person of directory.byNumber?.select(start, start + width) ?? []) if (person.name !== '') found++;
        if (found !== width) throw new Error(`The range has ${found} of ${width} people.`);
      }),
    );
  const tagged = async (): Promise<number> =>
    cpuMilliseconds(() =>
      kit.transaction(() => {
        let found = 0;
        for (const person of kit.find(Person, 'rare')) if (person.name !== '') found++;
        if (found === 0) throw new Error('Nobody has the tag.');
      }),
    );
  const tagCold = await tagged();
  const figures = { range: [] as number[], again: [] as number[], hand: [] as number[] };
  for (const start of starts) {
    figures.range.push(await range(start));
    figures.again.push(await range(start));
    figures.hand.push(await cpuMilliseconds(() => hand.range(start, start + width)));
  }
  const tags = { warm: [] as number[], hand: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    tags.warm.push(await tagged());
    tags.hand.push(await cpuMilliseconds(() => hand.tagged('rare')));
  }
  return {
    range: { cold: middle(figures.range), warm: middle(figures.again), hand: middle(figures.hand) },
    tag: { cold: tagCold, warm: middle(tags.warm), hand: middle(tags.hand) },
    field: await measureFields(kit, hand, directory, people, rounds),
  };
}

async function measureFields(
  kit: Statek,
  hand: HandRows,
  directory: Directory,
  people: number,
  rounds: number,
): Promise<QueryFigures['field']> {
  const samples = { cold: [] as number[], warm: [] as number[], hand: [] as number[] };
  for (const start of scattered(rounds, people - width).map((number) => (number + 7919) % (people - width))) {
    // The objects are had by their ids, without their rows being read.
    const found = await kit.transaction(() => [...(directory.byNumber?.select(start, start + width) ?? [])]);
    const read = (): Promise<number> =>
      cpuMilliseconds(() =>
        kit.transaction(() => {
          for (const person of found) if (person.age < 18) throw new Error('Nobody is that young.');
        }),
      );
    samples.cold.push(await read());
    samples.warm.push(await read());
    samples.hand.push(
      await cpuMilliseconds(() => {
        for (let number = start; number < start + width; number++) hand.person(number);
      }),
    );
  }
  const each = (times: readonly number[]): number => (middle(times) / width) * 1000;
  return { cold: each(samples.cold), warm: each(samples.warm), hand: each(samples.hand) };
}

function middle(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}
