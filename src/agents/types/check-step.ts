// The code of a job before it runs, together with the steps that ran before it.
import { scanAll, type Store } from '../../store/door.ts';
import { jobRows } from '../../jobs/door.ts';
import { loadText, stepRows } from '../../workspace/door.ts';
import type { JobDefinition } from '../definition.ts';
import { checkTypes, type TypeIssue } from './checker.ts';

/** Steps that are looked at; what older ones declared is not known. */
const maxCells = 500;

export async function checkStep(
  runtime: { readonly store: Store; definition(hash: string): Promise<JobDefinition> },
  job: string,
  definition: string,
  source: string,
): Promise<readonly TypeIssue[]> {
  const { types = '' } = await runtime.definition(definition);
  const cells = [];
  for await (const { value } of scanAll(runtime.store, stepRows, { prefix: [job] }))
    cells.push({ number: value.number, source: value.source });
  const number = (cells.at(-1)?.number ?? 0) + 1;
  const [row] = await runtime.store.read(jobRows, [[job]]);
  return checkTypes({
    project: job,
    context: types,
    mentioned: row === undefined ? '' : await loadText(runtime.store, job, row.value.vars),
    cells: [...cells.slice(-maxCells), { number, source }],
  });
}
