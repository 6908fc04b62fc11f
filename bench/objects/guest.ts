// What guest code pays for durable objects, beside the same things done with an ordinary object of the application.
import type { Statek } from '../../src/index.ts';
import { cpuMilliseconds, percentile } from '../support/measurement.ts';
import { Person, personOf } from './people.ts';

class PlainPerson {
  name: string;
  age: number;

  constructor(number: number) {
    ({ name: this.name, age: this.age } = personOf(number));
  }

  add(points: number): number {
    return this.age + points;
  }
}

export interface GuestFigures {
  readonly field: Compared;
  readonly write: Compared;
  readonly call: Compared;
  readonly make: Compared;
}

interface Compared {
  readonly durable: number;
  readonly plain: number;
}

/** Microseconds of CPU time each, commits of the steps included. Rounds of both kinds take turns. */
export async function measureGuest(kit: Statek, person: Person, count: number): Promise<GuestFigures> {
  const vars = { person, plain: new PlainPerson(1), Person, makePlain: (number: number) => new PlainPerson(number) };
  const workspace = await kit.workspace('objects', { vars });
  const time = async (body: string, times: number): Promise<number> => {
    const source = `(() => { let sum = 0; for (let i = 0; i < ${times}; i++) { ${body} } return sum; })()`;
    let error: string | undefined;
    const taken = await cpuMilliseconds(async () => {
      error = (await workspace.run(source)).error?.message;
    });
    if (error !== undefined) throw new Error(error);
    return taken;
  };
  const compare = async (durable: string, plain: string, times: number): Promise<Compared> => {
    const samples = { empty: [] as number[], durable: [] as number[], plain: [] as number[] };
    for (let round = 0; round < 5; round++) {
      samples.empty.push(await time('sum += i;', times));
      samples.durable.push(await time(durable, times));
      samples.plain.push(await time(plain, times));
    }
    const each = (taken: readonly number[]): number =>
      ((percentile(taken, 0.5) - percentile(samples.empty, 0.5)) / times) * 1000;
    return { durable: each(samples.durable), plain: each(samples.plain) };
  };
  return {
    field: await compare('sum += person.age;', 'sum += plain.age;', count),
    write: await compare('person.age = 20 + i % 50;', 'plain.age = 20 + i % 50;', count),
    call: await compare('sum += person.add(i);', 'sum += plain.add(i);', count),
    make: await compare('new Person(i);', 'makePlain(i);', Math.ceil(count / 10)),
  };
}
