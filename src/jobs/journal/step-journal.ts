// The steps of a job's program: what it ran, in order, as far as it belongs to what the job is now.
import { scanAll } from '../../store/door.ts';
import { stepRows, type StepRow } from '../../workspace/door.ts';
import { workspaceOf } from '../changes/workspace-holders.ts';
import { jobEventRows, type JobMark, type JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { counts } from './call-journal.ts';

/** One step of a job's program. */
export interface JobStep extends Pick<StepRow, 'number' | 'source' | 'status' | 'error' | 'commit'> {
  readonly created: Date;
  readonly ended: Date | undefined;
  /** The value of its last expression. Read when asked for. */
  value(): Promise<unknown>;
}

/** A fork has the steps of the job it came from, up to its commit. */
export async function stepJournal(system: JobSystem, row: JobRow, until?: JobMark): Promise<readonly JobStep[]> {
  const own = await ownSteps(system, row, until);
  const { forkedFrom } = row;
  const origin = forkedFrom && (await system.read(forkedFrom.job));
  if (origin === undefined || forkedFrom?.mark === undefined) return own;
  const numbers = new Set(own.map(({ number }) => number));
  const inherited = await stepJournal(system, origin.row, until ?? forkedFrom.mark);
  return [...inherited.filter(({ number }) => !numbers.has(number)), ...own].toSorted((a, b) => a.number - b.number);
}

async function ownSteps(system: JobSystem, row: JobRow, until: JobMark | undefined): Promise<JobStep[]> {
  if (row.hasWorkspace !== true) return [];
  const { store, workspaces } = system;
  const id = workspaceOf(row);
  const counted = await countedSteps(system, row, until);
  const steps: JobStep[] = [];
  for await (const { value: step } of scanAll(store, stepRows, { prefix: [id] })) {
    const isOwn = row.workspace === undefined || step.owner?.id === row.id;
    if (!isOwn || counted?.has(step.number) === false) continue;
    const { number, source, status, error, commit, created, ended, value } = step;
    steps.push({
      number,
      source,
      status,
      ...(error === undefined ? {} : { error }),
      ...(commit === undefined ? {} : { commit }),
      created: new Date(created),
      ended: ended === undefined ? undefined : new Date(ended),
      value: async () => (value === undefined ? undefined : workspaces.workspace(id).understood(value)),
    });
  }
  return steps;
}

/** Which steps count, if that is not all of them: going back leaves out what lies between. */
async function countedSteps(
  { store }: JobSystem,
  row: JobRow,
  until: JobMark | undefined,
): Promise<ReadonlySet<number> | undefined> {
  if (until === undefined && (row.back ?? []).length === 0) return undefined;
  const counted = new Set<number>();
  for await (const { key, value } of scanAll(store, jobEventRows, { prefix: [row.id] }))
    for (const { kind, data } of value.events)
      if (kind === 'slice' && counts(Number(key[1]), 'nextEvent', row, { until }))
        counted.add((data as { readonly step: number }).step);
  return counted;
}
