// Finds jobs, workspaces, commits and futures by a full id or a unique prefix.
import type { Job } from '../../agents/job.ts';
import type { Statek } from '../../kit/statek.ts';
import { jobRows } from '../../jobs/rows.ts';
import { NotFoundError } from '../../workspace/errors.ts';
import { workspaceRows } from '../../workspace/rows.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { AmbiguousError } from '../line/errors.ts';
import { everythingPending, type Pending } from './pending.ts';

export interface Target {
  readonly id: string;
  /** Undefined for a workspace that belongs to no job. */
  readonly job: Job | undefined;
  /** Undefined for a job that has run no code yet. */
  readonly workspace: Workspace | undefined;
}

const maxShown = 5;

export async function findJob(kit: Statek, text: string): Promise<Job> {
  const [exact] = await kit.store.read(jobRows, [[text]]);
  return kit.job(exact === undefined ? onlyMatch(await idsStartingWith(kit, [jobRows], text), 'job', text) : text);
}

/** `wholeNames`: names of workspaces must not be shortened, for commands that cannot be undone. */
export async function findTarget(
  kit: Statek,
  text: string,
  { wholeNames = false }: { readonly wholeNames?: boolean } = {},
): Promise<Target> {
  const [[job], [workspace]] = await Promise.all([
    kit.store.read(jobRows, [[text]]),
    kit.store.read(workspaceRows, [[text]]),
  ]);
  const id =
    job === undefined && workspace === undefined
      ? onlyMatch(
          await idsStartingWith(kit, wholeNames ? [jobRows] : [jobRows, workspaceRows], text),
          'job or workspace',
          text,
        )
      : text;
  const [row] = await kit.store.read(jobRows, [[id]]);
  return { id, job: row && (await kit.job(id)), workspace: await kit.findWorkspace(id) };
}

/** The workspace of a job, or a workspace by itself. */
export async function findWorkspace(kit: Statek, text: string): Promise<Workspace> {
  const { id, workspace } = await findTarget(kit, text);
  if (workspace !== undefined) return workspace;
  throw new NotFoundError(
    `The job '${id}' has no workspace yet: it has not run any code. Start a worker, or check its status with statek show ${id}.`,
    { id },
  );
}

/** A commit by its hash or a unique prefix; `HEAD` is the latest, `HEAD~2` the second before it. */
export async function findCommit(workspace: Workspace, text: string): Promise<string> {
  const back = /^HEAD(?:~(\d+))?$/i.exec(text);
  const found = new Set<string>();
  let left = back === null ? undefined : Number(back[1] ?? 0);
  let cursor: string | undefined;
  do {
    const page = await workspace.commitPage(cursor === undefined ? {} : { cursor });
    for (const { hash } of page.commits) {
      if (hash === text || left === 0) return hash;
      if (left !== undefined) left--;
      else if (hash.startsWith(text.toLowerCase())) found.add(hash);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  if (found.size > 0) return onlyMatch([...found], 'commit', text);
  throw new NotFoundError(`'${workspace.id}' has no commit '${text}'. statek log ${workspace.id} lists its commits.`, {
    workspace: workspace.id,
    commit: text,
  });
}

/** A future by its id (`job/3`, the job may be shortened), or by its job if that has only one such wait. */
export async function findFuture(
  kit: Statek,
  text: string,
  wanted: { readonly what: string; readonly fits: (pending: Pending) => boolean },
): Promise<string> {
  const slash = text.lastIndexOf('/');
  if (slash > 0 && /^\d+$/.test(text.slice(slash + 1))) {
    const { id } = await findTarget(kit, text.slice(0, slash));
    return `${id}/${text.slice(slash + 1)}`;
  }
  const { id } = await findTarget(kit, text);
  const found: string[] = [];
  for await (const pending of everythingPending(kit))
    if (pending.workspace === id && pending.id !== undefined && wanted.fits(pending)) found.push(pending.id);
  if (found.length === 0)
    throw new NotFoundError(`'${id}' has no open ${wanted.what}. statek waiting lists all waits.`, {
      id,
    });
  return onlyMatch(found, wanted.what, text);
}

async function idsStartingWith(
  { store }: Statek,
  collections: readonly (typeof jobRows | typeof workspaceRows)[],
  start: string,
): Promise<string[]> {
  const pages = await Promise.all(
    collections.map((collection) => store.scan(collection, { startsWith: start }, { limit: maxShown + 1 })),
  );
  return [...new Set(pages.flatMap(({ entries }) => entries.map(({ key }) => String(key[0]))))];
}

function onlyMatch(found: readonly string[], what: string, text: string): string {
  const [first] = found;
  if (first === undefined)
    throw new NotFoundError(
      `No ${what} '${text}', and none that starts with it. statek jobs and statek workspaces list them.`,
      {
        id: text,
      },
    );
  if (found.length === 1) return first;
  const shown = found.slice(0, maxShown).join(', ');
  throw new AmbiguousError(
    `'${text}' is ambiguous: ${found.length > maxShown ? 'many' : found.length} ids start with it (${shown}${found.length > maxShown ? ', …' : ''}). Type more of the id of the ${what}.`,
    { found },
  );
}
