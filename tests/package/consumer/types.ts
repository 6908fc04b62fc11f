// What the compiler tells a user: what is right compiles, and each line that is wrong is an error. It is not run.
import {
  Durable,
  durable,
  find,
  program,
  tool,
  transaction,
  type Driver,
  type DurableOptions,
  type Job,
  Statek,
} from 'statek';
import { z } from 'zod';

export const pay = tool({
  name: 'pay',
  input: z.object({ amount: z.number() }),
  output: z.object({ paid: z.number() }),
  execute: async ({ amount }) => ({ paid: amount }),
});
export const paid: Promise<{ paid: number }> = pay({ amount: 1 });

export const wrong = tool({
  name: 'wrong',
  input: z.object({ amount: z.number() }),
  output: z.object({ paid: z.number() }),
  // @ts-expect-error -- the output has a number
  execute: async ({ amount }) => ({ paid: String(amount) }),
});

// @ts-expect-error -- the output is a text
export const wrongAtOnce = tool({ name: 'wrongAtOnce', output: z.string(), execute: () => 5 });

export const careful = tool({
  name: 'careful',
  input: z.object({ amount: z.number() }),
  approval: ({ amount }) => amount > 5,
  execute: ({ amount }) => amount,
});

export const careless = tool({
  name: 'careless',
  input: z.object({ amount: z.number() }),
  // @ts-expect-error -- there is no such field
  approval: ({ price }) => price > 5,
  execute: ({ amount }) => amount,
});

export const plain = tool({ name: 'plain', output: { type: 'string' }, execute: (name: string) => name });
export const unchecked = tool({ name: 'unchecked', execute: (amount: number) => amount * 2 });
export const doubled: number = unchecked(4);

const count = program<number>({ role: 'count', source: '1 + 1' });
const anything = program({ role: 'anything', source: '1' });

export async function results(kit: Statek): Promise<unknown[]> {
  const counted: Job<number> = await kit.submit(count);
  const one: number = await counted.result();
  // @ts-expect-error -- it is a number
  const text: string = await counted.result();
  const [all] = await kit.submitAll(count, [{}]);
  const two: number | undefined = await all?.result();
  const unknown = await kit.submit(anything);
  // @ts-expect-error -- nobody said what it is
  const three: number = await unknown.result();
  return [one, text, two, three];
}

class Counter extends Durable {
  count = 0;
}

export async function changes(kit: Statek): Promise<number[]> {
  const first: number = await kit.transaction(() => new Counter().count);
  const second: number = await transaction(() => new Counter().count);
  await kit.transaction(() => undefined);
  await kit.transaction((): never => {
    throw new Error('nothing');
  });
  // @ts-expect-error -- a transaction cannot span an await
  await kit.transaction(async () => new Counter().count);
  // @ts-expect-error -- nor with the function of that name
  await transaction(async () => new Counter().count);
  return [first, second, [...kit.find(Counter)].length];
}

class Plain {
  name = '';
}

class Over extends Durable.over(Plain) {
  size = 1;
}

@durable
class Decorated {
  static durable: DurableOptions = { version: 2 };
  title = '';
}

@durable({ version: 2 })
class DecoratedWithOptions {
  declare static durable: DurableOptions;
  title = '';
}

abstract class Shape extends Durable {
  abstract area(): number;
}

export async function classes(): Promise<unknown[]> {
  const kit = await Statek.open({
    store: 'memory:',
    classes: [Counter, Over, Decorated, DecoratedWithOptions, Shape],
  });
  // @ts-expect-error -- its objects are not durable
  await Statek.open({ store: 'memory:', classes: [Plain] });
  const counts: number[] = [...find(Counter)].map(({ count }) => count);
  const names: [string, number][] = [...find(Over, 'small')].map(({ name, size }) => [name, size]);
  const titles: string[] = [...kit.find(Decorated), ...kit.space('main').find(DecoratedWithOptions)].map(
    ({ title }) => title,
  );
  const areas: number[] = [...find(Shape)].map((shape) => shape.area());
  // @ts-expect-error -- its objects are not durable
  find(Plain);
  // @ts-expect-error -- nor for a kit
  kit.find(Plain);
  // @ts-expect-error -- nor for a space
  kit.space('main').find(Plain);
  // @ts-expect-error -- an object is not a class
  find(new Over());
  return [counts, names, titles, areas];
}

type Progress = { readonly done: number };

const counting: Driver<Progress> = {
  role: 'counting',
  next: ({ state }) => ((state?.done ?? 0) < 3 ? { run: '1', state: { done: 1 } } : { finish: state?.done }),
  vars: (state) => ({ done: state?.done ?? 0 }),
  allowance: (state) => state?.done,
  failed: ({ state }) => state?.done,
};

export const miscounting: Driver<Progress> = {
  role: 'miscounting',
  // @ts-expect-error -- what is kept has a number
  next: () => ({ run: '1', state: { done: 'one' } }),
  // @ts-expect-error -- what is kept has no such member
  allowance: (state) => state?.gone,
  // @ts-expect-error -- nor here
  vars: (state) => ({ gone: state?.gone }),
};

// @ts-expect-error -- what is kept must be JSON
export type Unkept = Driver<{ readonly at: Date }>;

/** A driver that does not say what it keeps: any JSON. */
const plainly: Driver = { role: 'plainly', next: ({ state }) => ({ finish: state }) };

export const drivers = async (): Promise<Statek> => Statek.open({ store: 'memory:', drivers: [counting, plainly] });
