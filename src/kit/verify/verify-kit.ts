// Walks everything a kit keeps: the store itself, rows that name other rows, and the images of programs. What is damaged belongs to
// one job, which is named; the others are not concerned.
import { chatRows } from '../../agents/door.ts';
import { chains, HistoryUnknownChainError, openHistory, type History } from '../../history/door.ts';
import { jobCallRows, jobEventRows, jobInboxRows, jobPastRows, jobRows, jobWorkRows } from '../../jobs/door.ts';
import type { Collection, Entry, Key, Store, ValueOf } from '../../store/door.ts';
import {
  consoleRows,
  futureRows,
  heldRows,
  isQuestion,
  questionKey,
  questionRows,
  runRows,
  stepRows,
  workspaceRows,
  type FutureRow,
} from '../../workspace/door.ts';
import { readableRows } from './readable-rows.ts';

/** How a store is verified. */
export interface VerifyOptions {
  /** Which images of programs are rebuilt: the `latest` of each (the default), or those of `all` commits. */
  readonly images?: 'latest' | 'all' | undefined;
  /** Called now and then. */
  readonly onProgress?: ((progress: { readonly phase: VerifyPhase; readonly done: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is being verified: the store's own checksums, rows that name others, or images of programs. */
export type VerifyPhase = 'store' | 'rows' | 'images';

/** One thing that is damaged or missing. */
export interface VerifyProblem {
  /** The job or workspace that it belongs to, where that is known. */
  readonly job: string | undefined;
  readonly what: string;
}

/** What was verified, and what is wrong with it. */
export interface KitVerifyReport {
  readonly entries: number;
  readonly bytes: number;
  /** Rows whose references were followed. */
  readonly rows: number;
  /** Images of programs that were rebuilt. */
  readonly images: number;
  readonly problems: readonly VerifyProblem[];
}

const commitsAtOnce = 100;

export async function verifyKit(store: Store, options: VerifyOptions): Promise<KitVerifyReport> {
  options.onProgress?.({ phase: 'store', done: 0 });
  const { entries, bytes, problems } = await store.verify();
  const walk = new Walk(store, options);
  for (const what of problems) walk.report(ownerIn(what), what);
  await walk.rows();
  await walk.images(await openHistory(store));
  return { entries, bytes, ...walk.result() };
}

class Walk {
  readonly #store: Store;
  readonly #options: VerifyOptions;
  readonly #problems: VerifyProblem[] = [];
  readonly #seen = new Set<string>();
  #rows = 0;
  #images = 0;

  constructor(store: Store, options: VerifyOptions) {
    this.#store = store;
    this.#options = options;
  }

  report(job: string | undefined, what: string): void {
    // The store itself names damaged rows first.
    if (this.#seen.has(what)) return;
    this.#seen.add(what);
    this.#problems.push({ job, what });
  }

  result(): Pick<KitVerifyReport, 'rows' | 'images' | 'problems'> {
    return { rows: this.#rows, images: this.#images, problems: this.#problems };
  }

  async rows(): Promise<void> {
    await this.#store.declare(...declared);
    await this.#each(jobRows, async ({ key, value: { id, hasWorkspace, workspace } }) => {
      if (hasWorkspace === true) await this.#mustExist(workspaceRows, [workspace ?? id], jobRows, key);
    });
    await this.#each(workspaceRows, async ({ key, value: { id, state } }) => {
      await this.#mustExist(chains, [id], workspaceRows, key);
      for (const { workspace, number } of state.waiting)
        await this.#mustExist(futureRows, [workspace, number], workspaceRows, key);
      if (state.held !== undefined) await this.#mustExist(heldRows, [state.held], workspaceRows, key);
    });
    await this.#each(questionRows, async ({ key, value }) => {
      if (value !== null) await this.#mustExist(futureRows, [value.workspace, value.number], questionRows, key);
    });
    await this.#each(futureRows, async ({ key, value: future }) => {
      if (isQuestion(future)) await this.#mustBeFound(future, key);
    });
    await this.#each(jobWorkRows, ({ key, value: { job } }) => this.#mustExist(jobRows, [job], jobWorkRows, key, job));
    await this.#each(runRows, ({ key, value: { workspace } }) =>
      this.#mustExist(workspaceRows, [workspace], runRows, key, workspace),
    );
    for (const owned of ownedByJobs) await this.#eachOwner(owned, jobRows);
    for (const owned of ownedByWorkspaces) await this.#eachOwner(owned, workspaceRows);
  }

  async images(history: History): Promise<void> {
    const { images = 'latest' } = this.#options;
    await this.#each(
      chains,
      async ({ key }) => {
        const chain = String(key[0]);
        try {
          if (images === 'latest') {
            const { hash } = await history.head(chain);
            await this.#rebuild(history, chain, hash);
          } else await this.#rebuildAll(history, chain);
        } catch (error) {
          if (await this.#isGone(chains, key)) return;
          // What was deleted leaves its row behind until it is collected.
          if (error instanceof HistoryUnknownChainError && (await this.#isGone(workspaceRows, [chain]))) return;
          this.report(chain, `The history of '${chain}': ${messageOf(error)}`);
        }
      },
      'images',
    );
  }

  async #rebuildAll(history: History, chain: string): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await history.list(chain, { limit: commitsAtOnce, cursor });
      for (const { hash } of page.commits) await this.#rebuild(history, chain, hash);
      ({ cursor } = page);
    } while (cursor !== undefined);
  }

  async #rebuild(history: History, chain: string, hash: string): Promise<void> {
    this.#options.signal?.throwIfAborted();
    await history.checkout(chain, hash);
    this.#images++;
    this.#options.onProgress?.({ phase: 'images', done: this.#images });
  }

  async #each<C extends Collection>(
    collection: C,
    check: (entry: Entry<ValueOf<C>>) => Promise<void>,
    phase: VerifyPhase = 'rows',
  ): Promise<void> {
    const rows = readableRows(this.#store, collection, (what) => this.report(ownerIn(what), what));
    for await (const entry of rows) {
      this.#options.signal?.throwIfAborted();
      await check(entry);
      if (phase === 'rows') this.#options.onProgress?.({ phase, done: ++this.#rows });
    }
  }

  /** The first part of a key is the job or workspace that the row belongs to. Rows of one follow one another. */
  async #eachOwner(collection: Collection, owners: Collection): Promise<void> {
    let known: unknown;
    await this.#each(collection, async ({ key }) => {
      if (key[0] === known) return;
      known = key[0];
      await this.#mustExist(owners, [key[0] as string], collection, key);
    });
  }

  async #mustExist(
    target: Collection,
    wanted: Key,
    from: Collection,
    key: Key,
    owner = ownerOf(from, key),
  ): Promise<void> {
    if (!(await this.#isGone(target, wanted))) return;
    // Both may have been removed since the row was read.
    if (await this.#isGone(from, key)) return;
    if (!(await this.#isGone(target, wanted))) return;
    this.report(
      owner,
      `${from.name} ${JSON.stringify(key)} needs ${target.name} ${JSON.stringify(wanted)}, which is missing.`,
    );
  }

  /** People find a question in an index. */
  async #mustBeFound(future: FutureRow, key: Key): Promise<void> {
    const { workspace } = future;
    const wanted = questionKey(future);
    // A store that this version has not opened yet has no index, and is given one then.
    if (!(await this.#isGone(questionRows, wanted)) || (await this.#isGone(questionRows, ['built']))) return;
    const [now] = await this.#store.read(futureRows, [key]);
    // It may have been decided since the row was read.
    if (now === undefined || !isQuestion(now.value)) return;
    if (await this.#isGone(questionRows, wanted))
      this.report(
        workspace,
        `futures ${JSON.stringify(key)} needs questions ${JSON.stringify(wanted)}, which is missing.`,
      );
  }

  /** One that cannot be read is there. */
  async #isGone(collection: Collection, key: Key): Promise<boolean> {
    try {
      return (await this.#store.read(collection, [key]))[0] === undefined;
    } catch (error) {
      this.report(ownerOf(collection, key), messageOf(error));
      return false;
    }
  }
}

const ownedByJobs = [jobInboxRows, jobCallRows, jobEventRows, jobPastRows, chatRows];
const ownedByWorkspaces = [stepRows, futureRows, consoleRows];
const declared = [
  ...ownedByJobs,
  ...ownedByWorkspaces,
  ...[jobRows, jobWorkRows, workspaceRows, runRows, heldRows, questionRows, chains],
];

/** Keys of these begin with the id of a job or workspace. */
const ownedNames = new Set<string>(
  [...ownedByJobs, ...ownedByWorkspaces, jobRows, workspaceRows, chains]
    .map(({ name }) => name)
    .concat(['history_commits', 'history_packs', 'history_hashes', 'history_tags', 'large_texts']),
);

function ownerOf({ name }: Collection, key: Key): string | undefined {
  if (name === jobWorkRows.name) return String(key.at(-1));
  return ownedNames.has(name) && typeof key[0] === 'string' ? key[0] : undefined;
}

/** Of a row that a message names, as in `The entry jobs ["a"] is damaged`. */
function ownerIn(message: string): string | undefined {
  const [, name, text] = /(?:^|entry |record )([a-z_]+) (\[.*?\])/.exec(message) ?? [];
  if (name === undefined || text === undefined) return undefined;
  try {
    const key = JSON.parse(text) as Key;
    return ownerOf({ name } as Collection, key);
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
