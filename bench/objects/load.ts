// Fills the two stores: durable objects, and beside them plain rows of the same contents.
import type { Statek } from '../../src/index.ts';
import { tags } from '../../src/objects/queries/tags.ts';
import { Directory, Person, rareEvery } from './people.ts';
import type { HandRows } from './hand-rows.ts';

export interface Sizes {
  readonly people: number;
  readonly list: number;
  readonly map: number;
}

const batch = 2000;

/** Seconds it took. */
export async function loadObjects(kit: Statek, { people, list, map }: Sizes): Promise<number> {
  const started = performance.now();
  const directory = await kit.transaction(() => {
    const made = new Directory();
    made.byNumber = kit.index<Person>();
    return made;
  });
  for (let start = 0; start < people; start += batch) {
    if (start % (batch * 25) === 0) progress(`objects: ${start} of ${people}`, started);
    await kit.transaction(() => {
      for (let number = start; number < Math.min(start + batch, people); number++) {
        const person = new Person(number);
        directory.byNumber?.add(number, person);
        if (number % rareEvery === 0) tags(person).add('rare');
      }
    });
  }
  progress(`objects: a list of ${list} elements`, started);
  for (let start = 0; start < list; start += 100_000) {
    const elements = Array.from({ length: Math.min(100_000, list - start) }, (_, offset) => start + offset);
    await kit.transaction(() => {
      if (start === 0) directory.list = elements;
      else directory.list.splice(start, 0, ...elements);
    });
  }
  progress(`objects: a map of ${map} entries`, started);
  await kit.transaction(() => {
    directory.map = new Map(Array.from({ length: map }, (_, number) => [`key ${number}`, number]));
  });
  return (performance.now() - started) / 1000;
}

export function loadRows(rows: HandRows, { people, list, map }: Sizes): number {
  const started = performance.now();
  for (let start = 0; start < people; start += batch) {
    if (start % (batch * 100) === 0) progress(`rows by hand: ${start} of ${people}`, started);
    rows.addPeople(start, Math.min(start + batch, people));
  }
  rows.addList(list);
  rows.addMap(map);
  return (performance.now() - started) / 1000;
}

/** Prints progress, because loading takes minutes. */
export function progress(text: string, started: number): void {
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);
}
