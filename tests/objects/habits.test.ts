// What engineers used to plain objects do without thinking about it.
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { DurableClass } from '../../src/objects/declaration.ts';
import { Durable } from '../../src/objects/durable.ts';
import { idOf, transaction } from '../../src/objects/graph.ts';
import { fieldsOf, openObjects, reopen } from './support/open.ts';

class Account extends Durable {
  static opened = 0;
  owner: string;
  balance = 0;
  history: { amount: number; at: Date }[] = [];
  partner: Account | null = null;

  constructor(owner: string, partner?: Account) {
    super();
    Account.opened++;
    this.owner = owner;
    if (partner !== undefined) {
      this.partner = partner;
      partner.partner = this;
    }
  }

  get together(): number {
    return this.balance + (this.partner?.balance ?? 0);
  }

  pay(amount: number): this {
    this.balance -= amount;
    this.history.push({ amount, at: new Date(0) });
    return this;
  }

  *amounts(): Generator<number> {
    for (const { amount } of this.history) yield amount;
  }

  toJSON(): object {
    return { owner: this.owner, paid: [...this.amounts()] };
  }

  [Symbol.toPrimitive](): string {
    return `account of ${this.owner}`;
  }
}

test('chained calls, getters over other objects, generators, toJSON and conversions work', async () => {
  const objects = await openObjects([Account]);
  const ann = new Account('ann');
  const bob = new Account('bob', ann);
  ann.pay(3).pay(4).partner?.pay(5);
  const again = (await reopen(objects, [Account])).find(idOf(bob)) as Account;
  expect(again.together).toBe(-12);
  expect([...(again.partner as Account).amounts()]).toEqual([3, 4]);
  expect(JSON.stringify([again])).toBe('[{"owner":"bob","paid":[5]}]');
  expect(`an ${again as unknown as string}`).toBe('an account of bob');
  expect(again.partner?.partner).toBe(again);
  expect(Account.opened).toBe(2);
});

test('methods can be taken off, bound and called on others', async () => {
  await openObjects([Account]);
  const ann = new Account('ann');
  const pay = ann.pay.bind(ann);
  [1, 2].map((amount) => pay(amount));
  Reflect.apply(Account.prototype.pay, ann, [3]);
  expect(ann.balance).toBe(-6);
  const { owner, balance } = ann;
  expect([owner, balance]).toEqual(['ann', -6]);
  ann.balance ||= 1;
  ann.balance &&= 7;
  ann.partner ??= ann;
  ann.balance **= 2;
  expect([ann.balance, ann.partner]).toEqual([49, ann]);
  [ann.owner, ann.balance] = ['swapped', 1];
  ({ owner: ann.owner } = { owner: 'taken apart' });
  expect(fieldsOf(ann)).toMatchObject({ owner: 'taken apart', balance: 1 });
});

test('an object made from a durable one has fields of its own', async () => {
  await openObjects([Account]);
  const ann = new Account('ann');
  ann.history = [{ amount: 1, at: new Date(0) }];
  const heir = Object.create(ann) as Account & { extra?: number };
  heir.owner = 'heir';
  heir.extra = 5;
  expect([heir.owner, heir.balance, heir.extra]).toEqual(['heir', 0, 5]);
  expect([ann.owner, 'extra' in ann]).toEqual(['ann', false]);
  const first = Object.create(ann.history[0] as object) as { amount: number };
  first.amount = 9;
  expect([first.amount, ann.history[0]?.amount]).toEqual([9, 1]);
});

test('objects work as keys of ordinary maps, in sets, and are equal to themselves alone', async () => {
  const objects = await openObjects([Account]);
  const [ann, twin] = [new Account('ann'), new Account('ann')];
  const weakly = new WeakMap([[ann, 1]]);
  await transaction(() => undefined);
  const found = objects.find(idOf(ann)) as Account;
  expect([weakly.get(found), new Set([ann, found, twin]).size]).toEqual([1, 2]);
  expect(Object.is(found, ann)).toBe(true);
  expect(isDeepStrictEqual(fieldsOf(ann), fieldsOf(twin))).toBe(true);
});

test('a plain object that was assigned is a copy from then on', async () => {
  await openObjects([Account]);
  const ann = new Account('ann');
  const entry = { amount: 1, at: new Date(0) };
  ann.history.push(entry);
  entry.amount = 2;
  expect(ann.history[0]?.amount).toBe(1);
  expect(ann.history.includes(entry)).toBe(false);
  const [kept] = ann.history;
  (kept as { amount: number }).amount = 3;
  expect(ann.history[0]?.amount).toBe(3);
  expect(ann.history.indexOf(kept as { amount: number; at: Date })).toBe(0);
});

test('a constructor that throws makes nothing in a transaction', async () => {
  class Picky extends Durable {
    constructor(isFine: boolean) {
      super();
      if (!isFine) throw new Error('not fine');
    }
  }
  const objects = await openObjects([Picky]);
  await expect(transaction(() => new Picky(false))).rejects.toThrow('not fine');
  expect(await objects.store.revision()).toBe(0);
});

test('fields with accessors that hide a private place are refused when the class is registered', async () => {
  // Node runs no `accessor` fields unbuilt; compiled ones are private members.
  const source = `return class Hidden extends Base { #value = 1; get value() { return this.#value; } }`;
  // eslint-disable-next-line typescript/no-implied-eval -- the class must come as compiled code
  const make = new Function('Base', source) as (base: typeof Durable) => DurableClass;
  const Hidden = make(Durable);
  await expect(openObjects([Hidden])).rejects.toThrow(/private member #value/);
});
