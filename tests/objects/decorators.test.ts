// `@durable` in code that is compiled, as Node runs no decorators: the fixture is compiled by TypeScript each time.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { DurableClass, DurableOptions } from '../../src/objects/declaration.ts';
import { find, idOf } from '../../src/objects/graph.ts';
import { fieldsOf, openObjects, reopen, storeFolder } from './support/open.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const source = `
import { Durable, durable } from '@durable';

@durable
export class Bare {
  declare static readonly durable: object;
  name: string;
  list: number[] = [];
  constructor(name: string) { this.name = name; }
  greet(): string { return 'I am ' + this.name; }
}

@durable({ name: 'Renamed', version: 2, defaults: { age: 1 } })
export class Optioned {
  title = 'none';
  get shout(): string { return this.title.toUpperCase(); }
}

@durable
export class Sub extends Bare {
  extra = true;
  override greet(): string { return super.greet() + '!'; }
}

@durable({ version: 3 })
export class Both extends Durable {
  static durable = { hidden: ['note'] };
  note = '';
}

@durable({ singleton: true })
export class Only {
  static durable = { acl: '+ *' };
  count = 0;
}

export class Secret { #hidden = 1; reveal() { return this.#hidden; } }
export const DurableSecret = durable(Secret, { name: 'Secret', kind: 'class' } as ClassDecoratorContext<typeof Secret>);
`;

interface Bare {
  name: string;
  list: number[];
  greet(): string;
}
interface Decorated {
  readonly durable: DurableOptions;
}
interface Fixture {
  readonly Bare: (new (name: string) => Bare) & Decorated;
  readonly Optioned: (new () => { title: string; readonly shout: string }) & Decorated;
  readonly Sub: (new (name: string) => Bare & { extra: boolean }) & Decorated;
  readonly Only: (new () => { count: number }) & Decorated;
  readonly Both: (new () => { note: string }) & Decorated;
  readonly DurableSecret: DurableClass;
}

/** Compiles the fixture and loads it beside the sources under test. */
async function compiled(): Promise<Fixture> {
  const folder = storeFolder();
  const file = join(folder, 'fixture.ts');
  writeFileSync(file, source);
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  const options = ['--target', 'es2022', '--module', 'esnext', '--noCheck', '--noResolve', '--ignoreConfig'];
  execFileSync(process.execPath, [compiler, ...options, '--outDir', folder, file]);
  const output = join(folder, 'fixture.js');
  const durable = new URL('../../src/objects/durable.ts', import.meta.url).pathname;
  writeFileSync(output, readFileSync(output, 'utf8').replace('@durable', durable));
  return (await import(pathToFileURL(output).href)) as Fixture;
}

test('decorated classes are durable, bare and with options', async () => {
  const { Bare, Optioned, Sub, Only, Both, DurableSecret } = await compiled();
  const classes = [Bare, Optioned, Sub, Only, Both];
  const objects = await openObjects(classes);
  const bare = new Bare('ann');
  bare.list.push(1);
  const optioned = new Optioned();
  optioned.title = 'changed';
  const sub = new Sub('bob');
  new Only().count++;
  new Only().count++;
  expect(Bare.name).toBe('Bare');
  const again = await reopen(objects, classes);
  const found = again.find(idOf(bare)) as Bare;
  expect(found).toBeInstanceOf(Bare);
  expect([found.greet(), ...found.list]).toEqual(['I am ann', 1]);
  expect(fieldsOf(again.find(idOf(optioned)) as object)).toEqual({ title: 'changed', age: 1 });
  expect((again.find(idOf(optioned)) as { shout: string }).shout).toBe('CHANGED');
  expect((again.find(idOf(sub)) as Bare).greet()).toBe('I am bob!');
  expect(fieldsOf(again.find(idOf(sub)) as object)).toEqual({ name: 'bob', list: [], extra: true });
  expect(find(Bare).count()).toBe(2);
  expect(new Only().count).toBe(2);
  expect(again.classes.get(Only).options).toEqual({ singleton: true, acl: '+ *' });
  expect(again.classes.get(Both).options).toEqual({ version: 3, hidden: ['note'] });
  expect(again.classes.named('Renamed')?.version).toBe(2);
  await expect(openObjects([DurableSecret])).rejects.toThrow(/private member #hidden/);
});
