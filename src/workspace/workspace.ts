// A durable program, as the application uses it.
import { listPage, listPageNames, type ListPage, type ListPageOptions } from '../base/list-page.ts';
import { described, InvalidOptionError, refuseUnknownOptions, textOption } from '../base/options.ts';
import { HistoryArgumentError, HistoryUnknownCommitError, type Commit } from '../history/door.ts';
import { mustCommit } from '../store/door.ts';
import { consoleLines } from './console-lines.ts';
import type { WorkspaceContext } from './context.ts';
import { NotFoundError } from './errors.ts';
import { forkWorkspace, type ForkParts } from './past/fork.ts';
import type { LiveWorkspace, RunOptions } from './slices/live-workspace.ts';
import {
  diffVariables,
  type ComparedVariable,
  type LocalsOptions,
  type VariableDifference,
} from './variables/locals.ts';
import { Past } from './past/past.ts';
import type { MemberOptions, Members, ValuePath } from './past/members.ts';
import { rollBack } from './past/rollback.ts';
import { findFirst, watchExpression, type Found, type Watched, type WatchOptions } from './past/watch.ts';
import type { HandleTable } from './bridge/handle-table.ts';
import { metadataOf, stepRows, workspaceRows, type StepRow, type WorkspaceRow } from './rows.ts';
import { linesBetween, stepOf, waitingFutures, type Step, type WaitingFuture } from './step.ts';
import { decodeWire } from './wire/decode.ts';
import type { WireMessage } from './wire/wire.ts';

export interface WorkspaceParts {
  readonly id: string;
  readonly context: WorkspaceContext;
  /** It may have been parked since the last use. */
  live(): LiveWorkspace;
  /** What its handles stand for in this process. */
  handles(row: WorkspaceRow): HandleTable;
  /** Lets the kit do what is due for this workspace; resolves when there is nothing left to do now. */
  drive(): Promise<void>;
  /** Resolves when every change from then on is heard of. */
  listen(): Promise<void>;
  /** Resolves when something of this workspace may have changed, or a timer is due. */
  change(): Promise<void>;
  openFork(id: string): Workspace;
}

/** Which lines of a console. */
export interface ConsolePageOptions extends ListPageOptions {
  /** What had been printed by this commit; default: by now. */
  readonly commit?: string | undefined;
}

/** One commit of a workspace's history. */
export interface WorkspaceCommit {
  readonly hash: string;
  readonly parent: string | null;
  readonly sequence: number;
  readonly time: Date;
  readonly kind: string;
  readonly step: number | null;
  /** What it takes in the store. */
  readonly storedBytes: number;
}

/**
 * A durable program: variables, functions, console and half-finished waits, with a commit after each slice. A job owns one;
 * `kit.workspace(name)` gives one to use by itself.
 *
 * @example
 * import { Statek } from 'statek';
 *
 * const kit = await Statek.open({ store: 'memory:' });
 * const workspace = await kit.workspace('analysis');
 * await workspace.run('let count = 1');
 * const [before] = await workspace.commits();
 * await workspace.run('count += 1; console.log(count)');
 * console.log(await workspace.locals()); // prints { count: 2 }
 * await workspace.rollback(before?.hash ?? '');
 * console.log(await workspace.locals()); // prints { count: 1 }
 * await kit.close();
 */
export class Workspace {
  readonly id: string;
  readonly #parts: WorkspaceParts;

  /** @internal */
  static over(parts: WorkspaceParts): Workspace {
    return new Workspace(parts);
  }

  private constructor(parts: WorkspaceParts) {
    this.id = parts.id;
    this.#parts = parts;
  }

  /**
   * Runs a step: a piece of TypeScript whose top-level declarations become variables. Returns when the step is done, has
   * failed, or waits for something; everything it did is durable then. A step given while another waits is queued.
   */
  async run(source: string, options: RunOptions = {}): Promise<Step> {
    if (typeof source !== 'string')
      throw new InvalidOptionError(`workspace.run takes code as a text, not ${described(source)}.`, { name: 'source' });
    const { step, loaded, lines, futures } = await this.#parts.live().run(source, options);
    return stepOf(this.#parts.context, loaded.row, step, loaded.handles, { lines, futures });
  }

  /** The latest step once it is over, however long it waits. What it waits for may arrive through this or another process. */
  async settled(): Promise<Step> {
    for (;;) {
      // Listening comes before looking, so that nothing can happen in between unheard.
      await this.#parts.listen();
      const changed = this.#parts.change();
      changed.catch(() => undefined);
      await this.#parts.drive();
      const row = await this.#row();
      const [last] = (
        await this.#parts.context.store.scan(stepRows, { prefix: [this.id] }, { reverse: true, limit: 1 })
      ).entries;
      if (last === undefined)
        throw new NotFoundError(`The workspace '${this.id}' has no step yet.`, { workspace: this.id });
      if (row.state.current === null && last.value.status !== 'queued') return this.#step(last.value);
      await changed;
    }
  }

  /** A step by its number. */
  async step(number: number): Promise<Step> {
    const [entry] = await this.#parts.context.store.read(stepRows, [[this.id, number]]);
    if (entry === undefined)
      throw new NotFoundError(`The workspace '${this.id}' has no step ${number}.`, { workspace: this.id, number });
    return this.#step(entry.value);
  }

  /** The code of a step. */
  async source(number: number): Promise<string> {
    return (await this.#stepRow(number)).source;
  }

  /** @internal The code of a step, and what came of it: with its latest commit, and where in the code it failed. */
  async sourceFacts(
    number: number,
  ): Promise<Pick<StepRow, 'source' | 'status' | 'error' | 'commit'> & { readonly language: string }> {
    const { source, status, error, commit } = await this.#stepRow(number);
    const { language } = await this.#row();
    return { source, language, status, ...(error && { error }), ...(commit === undefined ? {} : { commit }) };
  }

  /** What the program waits for. */
  async waiting(): Promise<readonly WaitingFuture[]> {
    return waitingFutures(this.#parts.context, await this.#row());
  }

  /** The variables, as data and without running any of the program's code: getters and proxies do not fire. */
  async locals(options: LocalsOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return (await this.#present()).locals(options);
  }

  /** The members of one value in its variables, each in a line: what it holds, page by page. With an empty path, the variables. */
  async members(path: ValuePath = [], options: MemberOptions = {}): Promise<Members> {
    return (await this.#present()).members(path, options);
  }

  /**
   * One variable: data as data, and where the program holds an object of the application, that object itself (or a text
   * about it, if this process does not have it).
   */
  async local(name: string, options: LocalsOptions = {}): Promise<unknown> {
    const row = await this.#row();
    const handles = this.#parts.handles(row);
    return (await this.#present()).variablesWith(options, (token) => handles.objectOrShown(token)).get(name);
  }

  /** @internal What a message of its program says. Objects that this process does not have are named. */
  async understood(message: WireMessage): Promise<unknown> {
    const handles = this.#parts.handles(await this.#row());
    return decodeWire(message, {
      handle: (token) => handles.objectOrShown(token),
      callback: () => undefined,
      maxBytes: Number.POSITIVE_INFINITY,
    });
  }

  /** The lines of the console, oldest first. */
  async console(): Promise<readonly string[]> {
    const { state } = await this.#row();
    const lines = await Promise.all(
      state.console.map(({ workspace, from, to }) => linesBetween(this.#parts.context, workspace, [from, to])),
    );
    return lines.flat().map(({ text }) => text);
  }

  /**
   * One page of the lines of the console, oldest first unless another order is asked for; at a commit, of what had been printed by then.
   * However long the console is, a page reads no more of it than it gives.
   */
  async consolePage(options: ConsolePageOptions = {}): Promise<ListPage<string>> {
    refuseUnknownOptions('consolePage', options, { ...listPageNames, commit: true });
    const { commit, ...page } = options;
    const { history, store } = this.#parts.context;
    const { console } =
      commit === undefined ? (await this.#row()).state : metadataOf(await history.find(this.id, commit)).state;
    return listPage('consolePage', page, (start) => consoleLines(store, console, start));
  }

  /** Commits, newest first; default: at most 100. */
  async commits(options: { readonly limit?: number | undefined } = {}): Promise<readonly WorkspaceCommit[]> {
    return (await this.commitPage(options)).commits;
  }

  /** One page of commits, newest first; give `cursor` to the next call until it is undefined. */
  async commitPage(
    options: CommitPageOptions = {},
  ): Promise<{ readonly commits: readonly WorkspaceCommit[]; readonly cursor: string | undefined }> {
    refuseUnknownOptions('commits', options, { limit: true, cursor: true, before: true });
    const { commits, cursor } = await this.#parts.context.history.list(this.id, options);
    return { commits: commits.map(publicCommit), cursor };
  }

  /** One commit, or undefined if the workspace has none of this hash. */
  async commit(hash: string): Promise<WorkspaceCommit | undefined> {
    try {
      return publicCommit(await this.#parts.context.history.find(this.id, hash));
    } catch (error) {
      if (error instanceof HistoryUnknownCommitError || error instanceof HistoryArgumentError) return undefined;
      throw error;
    }
  }

  /** The workspace as it was at a commit: its variables and console, and code that only looks. */
  async at(hash: string): Promise<Past> {
    return Past.open(this.#parts.context, await this.#row(), hash);
  }

  /**
   * A new workspace that starts at a commit (default: the latest) and shares everything before it; with `vars`, some of its
   * variables start with other values.
   */
  async fork(hash?: string, options: string | WorkspaceForkOptions = {}): Promise<Workspace> {
    const { id, vars } = typeof options === 'string' ? { id: options } : options;
    if (typeof options !== 'string') refuseUnknownOptions('workspace.fork', options, { id: true, vars: true });
    return this.forkWith(hash, { id, vars });
  }

  /** @internal The same, with what a layer above adds to the commit that makes the fork. */
  async forkWith(hash: string | undefined, parts: ForkParts): Promise<Workspace> {
    const forked = await this.#parts
      .live()
      .inspect((loaded) => forkWorkspace(this.#parts.context, loaded, hash ?? loaded.head.commit.hash, parts));
    return this.#parts.openFork(forked);
  }

  /** Goes back to a commit. Nothing is destroyed: it adds a commit whose program is the old one. */
  async rollback(hash: string): Promise<void> {
    textOption('workspace.rollback', 'the hash of a commit', hash);
    await this.#parts.live().change((loaded, lease) => rollBack(this.#parts.context, loaded, lease, hash));
  }

  /** Variables that were added, removed or changed between two commits; durable objects in them are compared as they were then. */
  async diff(from: string, to: string): Promise<readonly VariableDifference[]> {
    const row = await this.#row();
    const [before, after] = await Promise.all([
      Past.open(this.#parts.context, row, from),
      Past.open(this.#parts.context, row, to),
    ]);
    return diffVariables(await before.compared(), await after.compared());
  }

  /** @internal Its variables, to be compared with those of another workspace. */
  async compared(): Promise<ReadonlyMap<string, ComparedVariable>> {
    return (await this.#present()).compared();
  }

  /**
   * The value of an expression at many commits, oldest first. It is evaluated on a copy of the program, as `at(hash).run` does.
   * If there are more commits than `limit`, they are sampled evenly, the first and the last included.
   */
  async watch(code: string, options: WatchOptions = {}): Promise<Watched> {
    return watchExpression(this.#parts.context, await this.#row(), code, options);
  }

  /**
   * The first commit at which an expression is true, found by bisection between at most 32 probes: some forty evaluations for thousands of commits. Where it
   * becomes true and false several times, one of the commits at which it becomes true.
   */
  async find(code: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Found> {
    refuseUnknownOptions('find', options, { signal: true });
    return findFirst(this.#parts.context, await this.#row(), code, options);
  }

  /** Names a commit (default: the latest), so that retention keeps it. A tag of this name is moved. */
  async tag(name: string, hash?: string): Promise<void> {
    const { history, store } = this.#parts.context;
    const { checks, writes } = await history.tag(this.id, hash ?? (await history.head(this.id)).hash, name);
    await mustCommit(store, { checks, writes });
  }

  async untag(name: string): Promise<void> {
    const { history, store } = this.#parts.context;
    const { checks, writes } = await history.untag(this.id, name);
    await mustCommit(store, { checks, writes });
  }

  async tags(): Promise<readonly { readonly name: string; readonly hash: string; readonly time: Date }[]> {
    const tags = await this.#parts.context.history.tags(this.id);
    return tags.map(({ name, hash, time }) => ({ name, hash, time: new Date(time) }));
  }

  // Looking needs no lease: another process may be running the workspace meanwhile.
  async #present(): Promise<Past> {
    const { hash } = await this.#parts.context.history.head(this.id);
    return Past.open(this.#parts.context, await this.#row(), hash);
  }

  async #stepRow(number: number): Promise<StepRow> {
    const [entry] = await this.#parts.context.store.read(stepRows, [[this.id, number]]);
    if (entry !== undefined) return entry.value;
    throw new NotFoundError(`The workspace '${this.id}' has no step ${number}.`, { workspace: this.id, number });
  }

  async #row(): Promise<WorkspaceRow> {
    const [entry] = await this.#parts.context.store.read(workspaceRows, [[this.id]]);
    if (entry === undefined) throw new NotFoundError(`There is no workspace '${this.id}'.`, { workspace: this.id });
    return entry.value;
  }

  async #step(step: StepRow): Promise<Step> {
    const row = await this.#row();
    return stepOf(this.#parts.context, row, step, this.#parts.handles(row));
  }
}

/** What a fork of a workspace is called, and the variables that start with other values: data, durable objects, services. */
export interface WorkspaceForkOptions {
  readonly id?: string | undefined;
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
}

/** Which commits: so many, from where the previous page ended or below a sequence number. */
export interface CommitPageOptions {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly before?: number | undefined;
}

export function publicCommit({ hash, parent, sequence, time, metadata, storedBytes }: Commit): WorkspaceCommit {
  const { kind = 'created', step = null } = (metadata ?? {}) as { kind?: string; step?: number | null };
  return { hash, parent, sequence, time: new Date(time), kind, step, storedBytes };
}
