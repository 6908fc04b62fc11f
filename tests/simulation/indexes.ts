// Whether what is kept twice agrees: every job is in its indexes and nowhere else, and in the queue just as its row says; every open
// question is where people look for it.
import type { Store } from '../../src/index.ts';
import { scanAll } from '../../src/store.ts';
import { jobIndexRows, jobRows, jobTimerRows, jobWorkRows } from '../../src/jobs/rows.ts';
import { isQuestion, questionKey } from '../../src/workspace/futures/questions.ts';
import { futureRows, questionRows } from '../../src/workspace/rows.ts';

export async function indexProblems(store: Store): Promise<string[]> {
  const problems: string[] = [];
  const expected = new Set<string>();
  const queued = new Set<string>();
  const timed = new Set<string>();
  for await (const { value: row } of scanAll(store, jobRows, {})) {
    const { id, created, status, outcome, role, parent, labels, at, timers, workspace } = row;
    const keys: unknown[][] = [
      ['all', created, id],
      ['status', status, outcome ?? '', created, id],
      ['role', role, created, id],
      ...(parent === undefined ? [] : [['parent', parent.job, created, id]]),
      ...labels.map((label) => ['label', label, created, id]),
      ...(workspace === undefined ? [] : [['workspace', workspace, created, id]]),
    ];
    for (const key of keys) expected.add(JSON.stringify(key));
    if (at !== null) queued.add(JSON.stringify([role, at, id]));
    for (const [what, due] of Object.entries(timers)) timed.add(JSON.stringify([due, id, what]));
  }
  const asked = new Set(['["built"]']);
  for await (const { value } of scanAll(store, futureRows, {}))
    if (isQuestion(value)) asked.add(JSON.stringify(questionKey(value)));
  for (const [what, collection, keys] of [
    ['index', jobIndexRows, expected],
    ['queue', jobWorkRows, queued],
    ['timers', jobTimerRows, timed],
    ['questions', questionRows, asked],
  ] as const) {
    const found = new Set<string>();
    for await (const { key } of scanAll(store, collection, {})) found.add(JSON.stringify(key));
    for (const key of keys) if (!found.has(key)) problems.push(`${key} is missing in the ${what}`);
    for (const key of found) if (!keys.has(key)) problems.push(`${key} is in the ${what} for nothing`);
  }
  return problems;
}
