// Removing a person's data: the jobs with a label and those they started, with programs, conversations and journals, the durable
// objects that have the label as a tag, and facts that are remembered for it. What cannot be removed is said.
import { refuseUnknownOptions, InvalidOptionError } from '../base/options.ts';
import type { Job, Memory } from '../agents/door.ts';
import type { JobFilter } from '../jobs/door.ts';

/** What is forgotten. */
export interface ForgetOptions {
  /** Jobs with this label, durable objects with this tag, and facts remembered for it: `user:42`. */
  readonly label: string;
  /** Only counts. */
  readonly dryRun?: boolean | undefined;
  /** How long jobs that are at work get to end after they are cancelled; default: 10,000. */
  readonly waitMilliseconds?: number | undefined;
}

/** What was forgotten, and what was not. */
export interface ForgetReport {
  readonly jobs: number;
  readonly objects: number;
  readonly facts: number;
  /** What is still there, and what to do about it. */
  readonly left: readonly string[];
}

/** What forgetting works on. */
export interface ForgetParts {
  jobs(filter: JobFilter): AsyncIterable<Job>;
  readonly memory: Memory;
  /** Frees the histories of programs that are gone, and lists of their calls; returns how many parts of those of these jobs others still need. */
  free(jobs: readonly string[]): Promise<number>;
  /** The ids of the durable objects with a tag. */
  tagged(tag: string): AsyncIterable<string>;
  removeObject(id: string): Promise<void>;
  readonly engine: string;
}

export async function forget(parts: ForgetParts, options: ForgetOptions): Promise<ForgetReport> {
  refuseUnknownOptions('kit.forget', options, { label: true, dryRun: true, waitMilliseconds: true });
  const { label, dryRun = false, waitMilliseconds = 10_000 } = options;
  if (typeof label !== 'string' || label === '')
    throw new InvalidOptionError('kit.forget needs a label, such as user:42.', { name: 'label' });
  const jobs = await family(parts, label);
  const facts = await factsOf(parts.memory, label);
  const tagged: string[] = [];
  for await (const id of parts.tagged(label)) tagged.push(id);
  if (dryRun) return { jobs: jobs.length, objects: tagged.length, facts: facts.length, left: [] };
  const left: string[] = [];
  const removed: string[] = [];
  const shared = new Set<string>();
  const over: Job[] = [];
  // Children first: a job that is deleted forgets whom it started.
  for (const job of jobs.toReversed()) {
    if (await ended(job, waitMilliseconds)) over.push(job);
    else
      left.push(`The job '${job.id}' has not ended yet. Do it again when a worker of '${job.role}' has cancelled it.`);
  }
  for (const job of over) {
    const workspace = await job.workspace().catch(() => undefined);
    try {
      await job.delete();
      removed.push(job.id);
      if (workspace !== undefined && workspace.id !== job.id) shared.add(workspace.id);
    } catch (error) {
      // A fork under another label waits for what it has asked for.
      if ((error as { code?: string }).code !== 'JOB_STATE') throw error;
      left.push((error as Error).message);
    }
  }
  for (const { specifiers, name } of facts) await parts.memory.bound(specifiers, false).forget(name);
  const objects = await removeObjects(parts, tagged, left);
  for (const name of shared)
    left.push(
      `The workspace '${name}' was given to these jobs and is not theirs: what they left in its variables is there. statek delete ${name} removes it.`,
    );
  const needed = await parts.free(removed);
  if (needed > 0)
    left.push(`${needed} parts of their histories are kept, because forks of their workspaces are rebuilt from them.`);
  if (objects > 0)
    left.push(
      'Earlier versions of the removed objects can be read until retention drops the commits of that time. Lists and maps that only they had go with the next statek gc.',
    );
  left.push(...always(parts.engine));
  return { jobs: removed.length, objects, facts: facts.length, left };
}

/** Returns how many were removed. */
async function removeObjects(parts: ForgetParts, ids: readonly string[], left: string[]): Promise<number> {
  let removed = 0;
  for (const id of ids) {
    try {
      await parts.removeObject(id);
      removed++;
    } catch (error) {
      if ((error as { code?: string }).code !== 'OBJECT_READ_ONLY') throw error;
      left.push(`The object ${id} could not be removed: ${(error as Error).message}`);
    }
  }
  return removed;
}

/** What no store can promise. */
function always(engine: string): string[] {
  return [
    'Durable objects without the label as a tag, cached results of tools, and reported executions were not looked through.',
    'Backups, exported jobs and logs are as they were.',
    ...(engine === 'sqlite'
      ? [
          'Freed pages of the SQLite file keep their bytes until they are used again, or statek gc --shrink gives them back.',
        ]
      : []),
  ];
}

/** The jobs with a label and all they have started, parents before children. */
async function family(parts: ForgetParts, label: string): Promise<Job[]> {
  const found = new Map<string, Job>();
  for await (const job of parts.jobs({ label })) found.set(job.id, job);
  for (const { id } of [...found.values()]) await addChildren(parts, id, found);
  return [...found.values()];
}

async function addChildren(parts: ForgetParts, parent: string, found: Map<string, Job>): Promise<void> {
  for await (const job of parts.jobs({ parent })) {
    if (found.has(job.id)) continue;
    found.set(job.id, job);
    await addChildren(parts, job.id, found);
  }
}

async function factsOf(
  memory: Memory,
  label: string,
): Promise<{ readonly specifiers: readonly string[]; readonly name: string }[]> {
  const found: { readonly specifiers: readonly string[]; readonly name: string }[] = [];
  const specifier = `s:${label}`;
  let cursor: string | undefined;
  do {
    const page = await memory.list({ limit: 500, cursor });
    found.push(...page.facts.filter(({ specifiers }) => specifiers.includes(specifier)));
    ({ cursor } = page);
  } while (cursor !== undefined);
  return found;
}

/** Whether a job is over; one that is at work is cancelled first. */
async function ended(job: Job, milliseconds: number): Promise<boolean> {
  const isDone = async (): Promise<boolean> => (await job.refresh()).status === 'DONE';
  if (await isDone()) return true;
  await job.cancel('What is known of this person is removed.');
  for (const end = Date.now() + milliseconds; Date.now() < end;) {
    if (await isDone()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return isDone();
}
