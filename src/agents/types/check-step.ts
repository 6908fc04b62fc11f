// The code of a job before it runs, together with the steps that ran before it.
import { scanAll } from '../../store/scan-all.ts';
import type { Store } from '../../store/store.ts';
import { jobRows } from '../../jobs/rows.ts';
import { loadText } from '../../workspace/large-texts.ts';
import { stepRows } from '../../workspace/rows.ts';
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
