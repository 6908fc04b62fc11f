// What the benchmark of durable objects works on: people of five fields, and one directory that leads to them.
import { Durable } from '../../src/objects/durable.ts';
import type { ObjectIndex } from '../../src/objects/queries/object-index.ts';

export class Person extends Durable {
  static durable = { name: 'Person' };
  name: string;
  email: string;
  city: string;
  age: number;
  score: number;

  constructor(number: number) {
    super();
    const { name, email, city, age } = personOf(number);
    this.name = name;
    this.email = email;
    this.city = city;
    this.age = age;
    this.score = number;
  }

  add(points: number): number {
    return this.age + points;
  }
}

export class Directory extends Durable {
  static durable = { name: 'Directory', singleton: true };
  byNumber: ObjectIndex<Person> | null = null;
  list: number[] = [];
  map = new Map<string, number>();
}

export const classes = [Person, Directory];

export interface PersonRow {
  readonly name: string;
  readonly email: string;
  readonly city: string;
  readonly age: number;
}

const cities = ['Gdańsk', 'London', 'Lisbon', 'Tokyo', 'Nairobi', 'Lima', 'Oslo', 'Quito'];

/** The fields of the person with a number, the same wherever they are kept. */
export function personOf(number: number): PersonRow {
  return {
    name: `Person ${number}`,
    email: `person.${number}@example.com`,
    city: cities[number % cities.length] as string,
    age: 18 + (number % 70),
  };
}

/** One person in so many has the tag `rare`. */
export const rareEvery = 10_000;

/** Numbers spread over all people, in no order a cache could foresee. */
export function scattered(count: number, below: number): number[] {
  let state = 0x2545f491;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  });
}
