// Classes that change between two processes, under programs that hold their objects.
import { expect, it } from 'vitest';
import { Durable, Statek } from '../../src/index.ts';
import { storeFolder } from '../workspace/support/kits.ts';

class Older extends Durable {
  static readonly durable = { name: 'Counter' };
  total = 4;

  double(): number {
    return this.total * 2;
  }
}

class Newer extends Durable {
  static readonly durable = { name: 'Counter', defaults: { step: 3 } };
  total = 4;
  step = 3;

  advance(by = this.step): number {
    this.total += by;
    return this.total;
  }

  async announceTotal(): Promise<string> {
    return `It is ${this.total}.`;
  }
}

it.each([
  [
    'typescript',
    '[counter.advance(), counter.advance(10), counter.step, typeof counter.double, await counter.announceTotal()]',
  ],
  [
    'python',
    '[counter.advance(), counter.advance(10), counter.step, hasattr(counter, "double"), counter.announce_total()]',
  ],
] as const)(
  'gives %s programs the methods that their objects have now',
  { timeout: 60_000 },
  async (language, source) => {
    const store = storeFolder();
    const before = await Statek.open({ store, classes: [Older] });
    const counter = await before.transaction(() => new Older());
    const workspace = await before.workspace('main', { language, vars: { counter } });
    expect((await workspace.run('counter.double()')).value).toBe(8);
    await before.close();
    const after = await Statek.open({ store, classes: [Newer] });
    const same = await after.workspace('main');
    await same.run(source);
    const { value, error } = await same.settled();
    expect(error).toBeUndefined();
    expect(value).toEqual([7, 17, 3, language === 'python' ? true : 'function', 'It is 17.']);
    const gone = await same.run('counter.double()');
    expect(gone.error?.message).toMatch(/has no method 'double'/);
    await after.close();
  },
);
