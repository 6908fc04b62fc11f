// A job whose own row cannot be read any more. It is quarantined in the only way that is left: it leaves the queue, so that no
// worker meets it again, and an event says so. Everything else of it stays for whoever wants to save it.
import { commitParts, type Lease } from '../../store/door.ts';
import { jobEventRows, jobWorkRows, type JobEventRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';

export async function leaveDamaged(system: JobSystem, id: string, lease: Lease, why: Error): Promise<void> {
  const { store, clock } = system;
  system.damaged(`The job '${id}' cannot be read: ${why.message}`, { job: id });
  const last = await store.scan(jobEventRows, { prefix: [id] }, { limit: 1, reverse: true });
  const number = Number(last.entries[0]?.key[1] ?? 0) + 1;
  const value: JobEventRow = {
    time: clock.now(),
    events: [{ kind: 'quarantined', data: { name: why.name, message: why.message, code: 'STORE_CORRUPT' } }],
  };
  await commitParts(
    store,
    [
      {
        writes: [
          { kind: 'remove', collection: jobWorkRows, key: lease.key },
          { kind: 'put', collection: jobEventRows, key: [id, number], value },
        ],
      },
    ],
    lease,
  );
}
