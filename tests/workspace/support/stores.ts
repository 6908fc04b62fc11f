// Stores that do something odd at a chosen moment, such as a process would see that is cut off or overtaken.
import type { Store } from '../../../src/index.ts';
import type { CommitResult, Transaction } from '../../../src/store.ts';

/** A store whose commits go through `around` first. */
export function withCommit(
  store: Store,
  around: (transactions: readonly Transaction[], commit: Store['commit']) => Promise<readonly CommitResult[]>,
): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit')
        return (transactions: readonly Transaction[]) => around(transactions, (given) => target.commit(given));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A store of a process that dies after it has committed calls to be made and before it makes one. */
export function neverStartsCalls(store: Store): Store {
  return withCommit(store, async (transactions, commit) => {
    const starts = transactions.some(({ writes = [] }) =>
      writes.some((write) => write.kind === 'put' && (write.value as { state?: unknown } | null)?.state === 'started'),
    );
    if (starts) throw new Error('cut off');
    return commit(transactions);
  });
}
