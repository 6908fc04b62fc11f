// Primitive values cross between guest and host as they are, and nobody can tell: the same values arrive as in messages.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Statek, type Workspace } from '../../src/index.ts';

class Service {
  /** What the last call was given. */
  given: unknown[] = [];
  value: unknown = 1;
  /** Answers its first parameter. */
  echo(...parameters: unknown[]): unknown {
    this.given = parameters;
    return parameters[0];
  }
  long(length: number): string {
    return 'x'.repeat(length);
  }
}

const valueBytes = 10_000;
const service = new Service();
let kit: Statek;
let workspace: Workspace;

beforeAll(async () => {
  kit = await Statek.open({ store: 'memory:', limits: { valueBytes } });
  workspace = await kit.workspace('plain', {
    vars: {
      service,
      echo: (value: unknown): unknown => value,
      count: (...parameters: unknown[]): number => parameters.length,
    },
  });
});

afterAll(() => kit.close());

async function valueOf(code: string): Promise<unknown> {
  const step = await workspace.run(code);
  expect([code, step.error?.message]).toEqual([code, undefined]);
  return step.value;
}

/** Source of a primitive value; JSON has not all of them. */
function source(given: unknown): string {
  if (Object.is(given, -0)) return '-0';
  if (typeof given === 'bigint') return `${given}n`;
  if (typeof given === 'string') return JSON.stringify(given).replaceAll('\u2028', '\\u2028');
  return String(given);
}

const primitives = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(undefined, null, '', '=', '![[0]]', '~1', '"', '&', '\0', 'a\0b', '\ud800', '\udc00x', '=[["u"]]'),
  fc.string({ unit: 'binary' }),
  fc.bigInt(),
);

it('brings every primitive value there and back, as argument, result and field', async () => {
  const both = fc.sample(fc.array(primitives, { maxLength: 5 }), 150);
  for (const parameters of both) {
    const [first] = parameters;
    service.value = first;
    const sources = parameters.map(source).join(', ');
    const seen = await valueOf(
      `{ const result = service.echo(${sources}); const field = service.value;
         [Object.is(result, ${source(first)}), Object.is(field, ${source(first)}), Object.is(echo(${source(first)}), ${source(first)})] }`,
    );
    expect([sources, seen]).toEqual([sources, [true, true, true]]);
    expect(service.given).toHaveLength(parameters.length);
    for (const [index, parameter] of parameters.entries()) expect(service.given[index]).toBe(parameter);
  }
});

it('tells a missing parameter from one that is undefined', async () => {
  expect(await valueOf('[count(), count(undefined), count(undefined, undefined), count(1, undefined, null)]')).toEqual([
    0, 1, 2, 3,
  ]);
  expect(await valueOf('count(1, 2, 3, 4)')).toBe(4);
});

it('refuses what is too large in either direction, and goes on', async () => {
  const tooLarge = /too large/;
  for (const code of [
    `echo("x".repeat(${valueBytes + 1}))`,
    `service.echo("x".repeat(${valueBytes}), "y")`,
    `service.long(${valueBytes + 1})`,
    `service.echo("x".repeat(10 * ${valueBytes}))`,
  ]) {
    const step = await workspace.run(code);
    expect([code, step.error?.message]).toEqual([code, expect.stringMatching(tooLarge)]);
  }
  expect(await valueOf(`service.long(${valueBytes - 100}).length`)).toBe(valueBytes - 100);
  expect(await valueOf(`service.long(${valueBytes / 10}).length`)).toBe(valueBytes / 10);
  service.value = 'z'.repeat(valueBytes + 1);
  expect((await workspace.run('service.value')).error?.message).toMatch(tooLarge);
});
