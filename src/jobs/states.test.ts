import { expect, it } from 'vitest';
import { JobStateError } from './errors.ts';
import { jobStatuses, refuseTransition, transitions } from './states.ts';

it('lets a job follow its table, and nothing else', () => {
  const refused = jobStatuses.flatMap((from) =>
    jobStatuses.flatMap((to) => {
      try {
        refuseTransition('j', from, to);
        return [];
      } catch (error) {
        return error instanceof JobStateError ? [`${from} ${to}`] : [];
      }
    }),
  );
  const outside = jobStatuses.flatMap((from) =>
    jobStatuses.filter((to) => from !== to && !transitions[from].includes(to)).map((to) => `${from} ${to}`),
  );
  expect(refused).toEqual(outside);
});

it('reopens a job that is done only as started', () => {
  expect(() => refuseTransition('j', 'DONE', 'READY')).toThrow("The job 'j' is DONE; it cannot become READY.");
  expect(() => refuseTransition('j', 'DONE', 'STARTED')).not.toThrow();
});
