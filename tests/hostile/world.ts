// What every hostile snippet is given: handles of each kind, with things behind them that it must not reach. Whatever it
// gets hold of and returns, prints or throws is searched for the secret.
import { expose, isExposed } from '../../src/workspace/bridge/exposure.ts';

export const secret = 'the-host-keeps-this-to-itself';

class Child {
  readonly name: string;
  readonly _parent: Account;

  constructor(name: string, parent: Account) {
    this.name = name;
    this._parent = parent;
  }
}

class Account {
  static readonly registry: string[] = [secret];
  #pin = secret;
  _internal: string = secret;
  owner = 'Ada';
  readonly currency = 'EUR';
  hidden: string = secret;
  balance = 100;
  note: unknown = null;

  get limit(): number {
    return this.#pin.length;
  }

  deposit(amount: number): number {
    if (typeof amount !== 'number') throw new TypeError(`'${String(amount)}' is not an amount.`);
    this.balance += amount;
    return this.balance;
  }

  child(name = 'kid'): Child {
    return new Child(name, this);
  }

  _audit(): string {
    return this.#pin;
  }
}

function plainData(value: unknown): object {
  if (typeof value !== 'object' || value === null) return {};
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== null && prototype !== Object.prototype) || isExposed(value) || '_private' in value)
    throw new TypeError('merge takes data, not objects of the application.');
  return value;
}

/** Fresh objects for one snippet, and a look at what must not have changed in them. */
export interface World {
  readonly variables: Readonly<Record<string, unknown>>;
  internals(): unknown;
}

export function makeWorld(): World {
  const account = expose(new Account(), {
    fields: ['owner', 'currency', 'balance', 'limit', 'note'],
    readonly: ['currency'],
  });
  const list = expose([1, 2, 3] as unknown[], { live: true });
  const table = expose(new Map<unknown, unknown>([['a', 1]]), { live: true });
  const tags = expose(new Set<unknown>(['x', 'y']), { live: true });
  const closed = expose([10, 20, 30], { live: true, readonly: true });
  const frozen = expose(Object.freeze({ kind: 'frozen', size: 1, read: () => 1 }));
  const calls = { count: 0 };
  const service = {
    title: 'service',
    data: { nested: { deep: [1, 2, 3] } },
    account,
    _private: secret,
    add: (a: number, b: number): number => a + b,
    echo: (value: unknown): unknown => value,
    each: (items: unknown[], call: (item: unknown) => unknown): unknown[] => items.map((item) => call(item)),
    swallow: (call: () => unknown): unknown => {
      try {
        return call();
      } catch (error) {
        return `swallowed ${error instanceof Error ? error.name : typeof error}`;
      }
    },
    again: (call: (depth: number) => unknown, depth: number): unknown => call(depth),
    fail: (text: unknown): never => {
      throw new Error(`It failed: ${String(text)}`);
    },
    strange: (): never => {
      throw Object.create(null) as Error;
    },
    child: (): object => account.child(),
    children: (count: number): object[] =>
      Array.from({ length: Math.min(count, 100) }, (_, i) => account.child(`${i}`)),
    // Merges data as applications do. Copying one of its own objects field by field would be the application's own leak,
    // not a way out of the workspace, so this one refuses them.
    merge: (into: Record<string, unknown>, from: Record<string, unknown>): unknown =>
      Object.assign({}, ...[into, from].map(plainData)),
    exposed: (): object => expose({ open: 1, shut: secret }, { fields: ['open'] }),
    error: (): Error => new RangeError('an error as a value'),
    bytes: (): Uint8Array => new Uint8Array([1, 2, 3]),
    date: (): Date => new Date(0),
    pattern: (): RegExp => /a+/g,
    promised: (): unknown => Promise.resolve(secret),
    later: async (value: unknown): Promise<unknown> => {
      calls.count++;
      return value;
    },
  };
  return {
    variables: { service, account, list, table, tags, closed, frozen, plain: service.add, data: { a: [1, { b: 2 }] } },
    internals: () => ({
      account: [account._internal, account._audit(), account.hidden, account.currency, Account.registry],
      prototype: Object.getOwnPropertyNames(Account.prototype),
      closed: [...closed],
      frozen: { ...frozen, read: frozen.read() },
      // Its fields are the guest's to assign; its methods and what is private are not.
      service: [service._private, Object.keys(service).join(), service.add(1, 2), service.later.length],
    }),
  };
}
