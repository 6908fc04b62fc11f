// Two jobs side by side: where they part, and in what they differ. Mostly a job and a fork of it.
import { isDeepStrictEqual } from 'node:util';
import type { JobCall } from '../jobs/door.ts';
import { diffVariables, type ComparedVariable, type Workspace } from '../workspace/door.ts';
import type { ChatItem } from './chat/item.ts';
import type { JobUsage } from './conversation.ts';

/** A list of each of two jobs: how many items they have in common, and what comes after them. */
export interface Parted<Item> {
  readonly shared: number;
  readonly a: readonly Item[];
  readonly b: readonly Item[];
}

/** In what two jobs differ. */
export interface JobComparison {
  /** The latest commit that both have in their past, if one is a fork of the other or both are of a third. */
  readonly base: string | undefined;
  /** Variables that differ now, as they are shown. */
  readonly variables: readonly {
    readonly name: string;
    readonly change: 'only in a' | 'only in b' | 'different';
    readonly a?: string;
    readonly b?: string;
  }[];
  readonly chat: Parted<ChatItem>;
  readonly calls: Parted<JobCall>;
  readonly usage: { readonly a: JobUsage; readonly b: JobUsage };
}

/** What is compared of a job. */
interface Compared {
  compared(): Promise<ReadonlyMap<string, ComparedVariable>>;
  chat(): Promise<readonly ChatItem[]>;
  calls(): Promise<readonly JobCall[]>;
  usage(): Promise<JobUsage>;
  workspace(): Promise<Workspace>;
  origins(): Promise<readonly { readonly job: string; readonly commit: string | undefined }[]>;
}

const changes = { added: 'only in b', removed: 'only in a', changed: 'different' } as const;

export async function compareJobs(a: Compared, b: Compared): Promise<JobComparison> {
  const [compared, chats, calls, usages, base] = await Promise.all([
    Promise.all([a.compared(), b.compared()]),
    Promise.all([a.chat(), b.chat()]),
    Promise.all([a.calls(), b.calls()]),
    Promise.all([a.usage(), b.usage()]),
    baseOf(a, b),
  ]);
  const differences = diffVariables(compared[0], compared[1]);
  return {
    base,
    variables: differences.map(({ name, change, before, after }) => ({
      name,
      change: changes[change],
      ...(before === undefined ? {} : { a: before }),
      ...(after === undefined ? {} : { b: after }),
    })),
    chat: parted(chats[0], chats[1], isDeepStrictEqual),
    calls: parted(calls[0], calls[1], (one, other) => one.id === other.id && one.name === other.name),
    usage: { a: usages[0], b: usages[1] },
  };
}

function parted<Item>(
  a: readonly Item[],
  b: readonly Item[],
  isSame: (one: Item, other: Item) => boolean,
): Parted<Item> {
  let shared = 0;
  while (shared < a.length && shared < b.length && isSame(a[shared] as Item, b[shared] as Item)) shared++;
  return { shared, a: a.slice(shared), b: b.slice(shared) };
}

/** Commits are looked up where a job is, so that one which retention has dropped is no base. */
async function baseOf(a: Compared, b: Compared): Promise<string | undefined> {
  const ofB = new Map((await b.origins()).map(({ job, commit }) => [job, commit]));
  for (const { job, commit } of await a.origins()) {
    if (!ofB.has(job)) continue;
    const other = ofB.get(job);
    if (commit === undefined || other === undefined) return commit ?? other;
    const [one, two] = await Promise.all(
      [a, b].map(async (of, index) => (await of.workspace()).commit(index === 0 ? commit : other)),
    );
    return one !== undefined && two !== undefined && two.sequence < one.sequence ? other : commit;
  }
  return undefined;
}
