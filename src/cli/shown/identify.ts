// Jobs, workspaces, commits and futures by what people type: a whole id, or the beginning of one that nothing else shares.
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
  /** Undefined for a workspace that nobody drives. */
  readonly job: Job | undefined;
  /** Undefined for a job that has not run any code. */
  readonly workspace: Workspace | undefined;
}

const mostShown = 5;

export async function findJob(kit: Statek, text: string): Promise<Job> {
  const [exact] = await kit.store.read(jobRows, [[text]]);
  return kit.job(exact === undefined ? one(await idsIn(kit, [jobRows], text), 'job', text) : text);
}

/** `wholeNames`: only ids of jobs may be shortened, since what is done cannot be taken back. */
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
      ? one(await idsIn(kit, wholeNames ? [jobRows] : [jobRows, workspaceRows], text), 'job or workspace', text)
      : text;
  const [row] = await kit.store.read(jobRows, [[id]]);
  return { id, job: row && (await kit.job(id)), workspace: await kit.findWorkspace(id) };
}

/** The program of a job, or a workspace by itself. */
export async function findWorkspace(kit: Statek, text: string): Promise<Workspace> {
  const { id, workspace } = await findTarget(kit, text);
  if (workspace !== undefined) return workspace;
  throw new NotFoundError(`The job '${id}' has no workspace: it has not run any code.`, { id });
}

/** A commit by its hash or the beginning of it; `HEAD` is the latest, `HEAD~2` the second before it. */
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
  if (found.size > 0) return one([...found], 'commit', text);
  throw new NotFoundError(`'${workspace.id}' has no commit ${text}. statek log ${workspace.id} lists them.`, {
    workspace: workspace.id,
    commit: text,
  });
}

/** A future by its id (`job/3`, the job shortened or not), or by its job where that waits for one such thing only. */
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
    throw new NotFoundError(`'${id}' waits for no ${wanted.what}. statek waiting lists what everyone waits for.`, {
      id,
    });
  return one(found, wanted.what, text);
}

async function idsIn(
  { store }: Statek,
  collections: readonly (typeof jobRows | typeof workspaceRows)[],
  start: string,
): Promise<string[]> {
  const pages = await Promise.all(
    collections.map((collection) => store.scan(collection, { startsWith: start }, { limit: mostShown + 1 })),
  );
  return [...new Set(pages.flatMap(({ entries }) => entries.map(({ key }) => String(key[0]))))];
}

function one(found: readonly string[], what: string, text: string): string {
  const [first] = found;
  if (first === undefined)
    throw new NotFoundError(
      `There is no ${what} '${text}', nor one that begins so. statek jobs and statek workspaces list them.`,
      {
        id: text,
      },
    );
  if (found.length === 1) return first;
  const shown = found.slice(0, mostShown).join(', ');
  throw new AmbiguousError(
    `'${text}' is the beginning of ${found.length > mostShown ? 'many' : found.length} (${shown}${found.length > mostShown ? ', …' : ''}). Type more of the ${what}'s id.`,
    { found },
  );
}
