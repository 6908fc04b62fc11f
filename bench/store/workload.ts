// The transaction all store measurements commit: what a small step of a job writes. One blob, one record that is
// updated, one that is added.
import { bytesCollection, recordCollection, workCollection, type Transaction } from '../../src/store.ts';

export const deltas = bytesCollection('deltas');
export const jobs = recordCollection<{ readonly status: string; readonly turn: number; readonly note: string }>('jobs');
export const events = recordCollection<{ readonly kind: string; readonly text: string }>('events');
export const queue = workCollection<{ readonly job: string }>('queue');
export const all = [deltas, jobs, events, queue] as const;

// Not compressible, like a compressed delta.
const blob = Uint8Array.from({ length: 1500 }, (_, index) => (index * 2654435761) >>> 13);

export function smallStep(run: string, number: number): Transaction {
  const job = `job-${number % 100}`;
  return {
    writes: [
      { kind: 'put', collection: deltas, key: [run, job, number], value: blob },
      {
        kind: 'put',
        collection: jobs,
        key: [run, job],
        value: { status: 'STARTED', turn: number, note: 'x'.repeat(200) },
      },
      { kind: 'put', collection: events, key: [run, job, number], value: { kind: 'slice', text: 'y'.repeat(80) } },
    ],
  };
}
