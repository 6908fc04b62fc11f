// What the tests of collecting share: classes, raw rows, and a store that lets something happen just before a removal.
import { condemnedRows } from '../../src/objects/collecting/condemned.ts';
import { Durable } from '../../src/objects/durable.ts';
import type { DurableClass } from '../../src/objects/declaration.ts';
import type { Objects } from '../../src/objects/objects.ts';
import { nodeRows, objectCollections } from '../../src/objects/rows.ts';
import { transact } from '../../src/objects/transactions/transact.ts';
import { scanAll } from '../../src/store/scan-all.ts';
import type { Store } from '../../src/store/store.ts';

export class Item extends Durable {
  [name: string]: unknown;
}

export class Hub extends Durable {
  static durable = { name: 'Hub', singleton: true };
  [name: string]: unknown;
}

export const classes: readonly DurableClass[] = [Item, Hub];

/** Runs in a transaction, so that it is clear which objects are meant where several are open. */
export function change<Result>(objects: Objects, action: () => Result): Promise<Result> {
  return transact(objects, action);
}

/** Every row in which a text occurs in the key, as `collection key`. */
export async function rowsNaming(store: Store, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const collection of [...objectCollections, condemnedRows])
    for await (const { key } of scanAll(store, collection, {}))
      if (key.includes(text)) found.push(`${collection.name} ${JSON.stringify(key)}`);
  return found;
}

export async function countNodes(store: Store): Promise<number> {
  let count = 0;
  for await (const _ of scanAll(store, nodeRows, {})) count++;
  return count;
}

/** The same store, but before each transaction that removes objects something else happens. */
export function beforeRemovals(store: Store, happen: () => Promise<unknown>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit')
        return async (...[transactions]: Parameters<Store['commit']>) => {
          const removes = transactions.some(({ writes }) =>
            writes?.some(({ kind, collection }) => kind === 'remove' && collection === nodeRows),
          );
          if (removes) await happen();
          return target.commit(transactions);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
