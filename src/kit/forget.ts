// Removing a person's data: the jobs with a label and those they started, with programs, conversations and journals, and facts that
// are remembered for it. What cannot be removed is said.
import { refuseUnknownOptions, InvalidOptionError } from '../base/options.ts';
import type { Job, Memory } from '../agents/door.ts';
import type { JobFilter } from '../jobs/door.ts';

/** What is forgotten. */
export interface ForgetOptions {
  /** Jobs with this label, and facts remembered for it: `user:42`. */
  readonly label: string;
  /** Only counts. */
  readonly dryRun?: boolean | undefined;
  /** How long jobs that are at work get to end after they are cancelled; default: 10,000. */
  readonly waitMilliseconds?: number | undefined;
}

/** What was forgotten, and what was not. */
export interface ForgetReport {
  readonly jobs: number;
  readonly facts: number;
  /** What is still there, and what to do about it. */
  readonly left: readonly string[];
}

/** What forgetting works on. */
export interface ForgetParts {
  jobs(filter: JobFilter): AsyncIterable<Job>;
  readonly memory: Memory;
  /** Frees the histories of programs that are gone. */
  free(): Promise<{ readonly packsStillNeeded: number }>;
  readonly engine: string;
}

export async function forget(parts: ForgetParts, options: ForgetOptions): Promise<ForgetReport> {
  refuseUnknownOptions('kit.forget', options, { label: true, dryRun: true, waitMilliseconds: true });
  const { label, dryRun = false, waitMilliseconds = 10_000 } = options;
  if (typeof label !== 'string' || label === '')
    throw new InvalidOptionError('kit.forget needs a label, such as user:42.', { name: 'label' });
  const jobs = await family(parts, label);
  const facts = await factsOf(parts.memory, label);
  if (dryRun) return { jobs: jobs.length, facts: facts.length, left: [] };
  const left: string[] = [];
  let removed = 0;
  const over: Job[] = [];
  // Children first: a job that is deleted forgets whom it started.
  for (const job of jobs.toReversed()) {
    if (await ended(job, waitMilliseconds)) over.push(job);
    else
      left.push(`The job '${job.id}' has not ended yet. Do it again when a worker of '${job.role}' has cancelled it.`);
  }
  for (const job of over) {
    try {
      await job.delete();
      removed++;
    } catch (error) {
      // A fork under another label waits for what it has asked for.
      if ((error as { code?: string }).code !== 'JOB_STATE') throw error;
      left.push((error as Error).message);
    }
  }
  for (const { specifiers, name } of facts) await parts.memory.bound(specifiers, false).forget(name);
  const { packsStillNeeded } = await parts.free();
  if (packsStillNeeded > 0)
    left.push(
      `${packsStillNeeded} parts of histories are still needed by forks under other labels, or by kept commits.`,
    );
  return { jobs: removed, facts: facts.length, left: [...left, ...always(parts.engine)] };
}

/** What no store can promise. */
function always(engine: string): string[] {
  return [
    "Durable objects are the application's: remove them with remove(object). Cached results and the history of tool calls are not looked through.",
    'Backups, exported jobs and logs still have what they had.',
    ...(engine === 'sqlite'
      ? ['Freed pages of the file keep their bytes until they are used again or the file is vacuumed.']
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
