import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Write } from '../../store/door.ts';
import type { JobRow } from '../rows.ts';
import { jobStatuses, transitions } from '../states.ts';
import { creation, placeFrom, removal, updateJob, wakeJob } from './job-changes.ts';

const first = {
  id: 'j',
  role: 'r',
  labels: ['a', 'b'],
  created: 10,
  updated: 10,
  status: 'READY',
  priority: 0,
  at: 10,
  timers: { deadline: 99 },
  nextEvent: 1,
} as unknown as JobRow;

/** The rows that are there after these writes, by collection and key. */
function applied(rows: Map<string, unknown>, writes: readonly Write[]): Map<string, unknown> {
  const after = new Map(rows);
  for (const write of writes) {
    const name = `${write.collection.name} ${JSON.stringify(write.key)}`;
    if (write.kind === 'put') after.set(name, write.value);
    else if (!after.delete(name)) throw new Error(`${name} is removed, but not there`);
  }
  return after;
}

it('keeps the indexes, the timers and the queue as the row says, through any changes', () => {
  const change = fc.record({
    status: fc.constantFrom(...jobStatuses),
    at: fc.option(fc.integer({ min: 0, max: 100 }), { nil: null }),
    deadline: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
    wakes: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 10 }), (changes) => {
      let rows = applied(new Map(), creation(first, [{ kind: 'submitted' }]).writes);
      let row: JobRow = { ...first, nextEvent: 2 };
      for (const { status, at, deadline, wakes } of changes) {
        if (wakes) {
          const { writes, ...rest } = wakeJob({ row, revision: 1 }, 50);
          rows = applied(rows, writes);
          if ('after' in rest) row = rest.after as JobRow;
        }
        if (status !== row.status && !transitions[row.status].includes(status)) continue;
        const update = updateJob(
          { row, revision: 1 },
          {
            status,
            outcome: status === 'DONE' ? 'completed' : undefined,
            at: status === 'DONE' ? null : at,
            timers: deadline === undefined ? {} : { deadline },
          } as never,
          [],
          60,
        );
        rows = applied(rows, update.writes);
        row = update.after;
        const names = [...rows.keys()];
        expect(names.filter((name) => name.startsWith('job_work '))).toHaveLength(row.at === null ? 0 : 1);
        expect(names.filter((name) => name.startsWith('job_timers '))).toHaveLength(deadline === undefined ? 0 : 1);
        expect(names.filter((name) => name.startsWith('job_index ["status"'))).toEqual([
          `job_index ${JSON.stringify(['status', row.status, row.outcome ?? '', 10, 'j'])}`,
        ]);
      }
      const left = applied(rows, removal({ row, revision: 1 }).writes);
      // What is left is its events, which go with the job's other rows.
      expect([...left.keys()].every((name) => name.startsWith('job_events '))).toBe(true);
    }),
  );
});

it('puts a job of higher priority before those that came half a minute earlier', () => {
  expect(placeFrom({ priority: 1 }, 60_000)).toBe(placeFrom({ priority: 0 }, 30_000));
});
