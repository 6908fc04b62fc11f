// Renews a lease while something takes its time.
import { after, type Clock } from '../base/clock.ts';
import type { Lease, Store } from './store.ts';

/** Returns what stops the renewals and returns the lease as it is then. */
export function keepLease(store: Store, clock: Clock, first: Lease, leaseMilliseconds: number): () => Lease {
  let lease = first;
  let isStopped = false;
  let cancel = (): void => undefined;
  const renew = async (): Promise<void> => {
    // While the store is out of reach, the lease may expire: whoever claims it next has a higher token.
    const [result] = await store.renew([lease], leaseMilliseconds).catch(() => []);
    if (result?.status === 'renewed') ({ lease } = result);
    if (!isStopped) later();
  };
  const later = (): void => {
    cancel = after(clock, leaseMilliseconds / 3, () => void renew());
  };
  later();
  return () => {
    isStopped = true;
    cancel();
    return lease;
  };
}
