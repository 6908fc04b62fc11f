// A store that counts its calls.
import type { Store } from '../../src/store/store.ts';

export interface StoreCounts {
  reads: number;
  commits: number;
}

const reads = new Set(['read', 'scan', 'changes', 'holders', 'revision']);

export function countingStore(store: Store): { readonly store: Store; readonly counts: StoreCounts } {
  const counts: StoreCounts = { reads: 0, commits: 0 };
  const counted = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name, of);
        if (name === 'synchronous' && typeof value === 'object' && value !== null) return counted(value);
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]): unknown => {
          if (reads.has(String(name))) counts.reads++;
          if (name === 'commit') counts.commits++;
          return (value as (...all: unknown[]) => unknown).apply(of, parameters);
        };
      },
    });
  return { store: counted(store), counts };
}
