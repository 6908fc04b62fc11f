// Snapshots and checkpoints of agents. What an application reports is kept as it is; of a job of a kit, a snapshot is a tagged commit,
// which has memory, tool state and conversation at one instant.
import type { JobRow } from '../../jobs/door.ts';
import { mergeParts, type Store, type TransactionPart, type Write } from '../../store/door.ts';
import { StateArgumentError, StateConflictError, StateNotFoundError } from '../foundation/errors.ts';
import { Changes } from '../foundation/changes.ts';
import { checkArgument, checkGiven, is, type Kinds, required } from '../foundation/given.ts';
import { checkedName, freeName } from '../foundation/names.ts';
import { subscribeTo, type ChangeContext, type EventOptions } from '../foundation/subscribing.ts';
import { keyMatcher, type KeyPattern } from '../manager/pattern.ts';
import { Place, placeKinds, type PlaceOptions } from '../foundation/place.ts';
import { AgentRecoveryError } from './errors.ts';
import type { JobAgents } from './kit-jobs.ts';
import type {
  AgentCheckpoint,
  AgentRecovery,
  AgentSnapshot,
  AgentSnapshotInfo,
  NewAgentCheckpoint,
  NewAgentSnapshot,
  SavedOfAgent,
} from './records.ts';
import { agentStateCollections, savedNames, savedRows, type SavedKind, type SavedRow } from './rows.ts';

/** Where snapshots are kept, and how many. */
export interface AgentStateStoreOptions extends PlaceOptions {
  /** How many snapshots of an agent are kept: the latest, by number; default: all. */
  readonly keepSnapshots?: number | undefined;
  /** The same for checkpoints. */
  readonly keepCheckpoints?: number | undefined;
}

/** How many, and from where on. */
export interface SavedPageOptions {
  /** How many at most, oldest first; default: 1,000. */
  readonly limit?: number | undefined;
  /** Only those with a higher number. */
  readonly after?: number | undefined;
}

const kept = is.whole(1, 1_000_000);
const kinds: Kinds<AgentStateStoreOptions> = { ...placeKinds, keepSnapshots: kept, keepCheckpoints: kept };
const maxLimit = 10_000;

/**
 * Snapshots and checkpoints of agents, and what an agent goes on with after a failure. `kit.agents` has those of the kit's jobs: an
 * agent's id is then the id of its job.
 *
 * @example
 * import { AgentStateStore } from 'statek/state';
 *
 * const agents = new AgentStateStore({ store: 'memory:' });
 * await agents.saveCheckpoint({ agentId: 'researcher', checkpointId: 'task_step_5', step: 5, state: { tokens: 15000 } });
 * const { checkpoint } = await agents.recover('researcher', { from: 'latest' });
 * console.log(checkpoint?.step, checkpoint?.state); // prints 5 { tokens: 15000 }
 * await agents.close();
 */
export class AgentStateStore {
  readonly #place: Place;
  readonly #changes: Changes;
  readonly #keep: Readonly<Record<SavedKind, number | undefined>>;
  readonly #closing = new AbortController();
  #jobs: JobAgents | undefined;

  constructor(options: AgentStateStoreOptions = {}) {
    checkGiven('AgentStateStore', options, kinds);
    const { keepSnapshots, keepCheckpoints, ...place } = options;
    this.#keep = { snapshot: keepSnapshots, checkpoint: keepCheckpoints };
    this.#place = new Place('AgentStateStore', place, agentStateCollections);
    this.#changes = new Changes(() => this.#place.store());
  }

  /** @internal Shows the jobs of a kit, too; returns itself. */
  over(jobs: JobAgents): this {
    this.#jobs = jobs;
    return this;
  }

  /** Keeps everything of an agent at this instant. */
  async saveSnapshot(snapshot: NewAgentSnapshot): Promise<AgentSnapshotInfo> {
    checkGiven('saveSnapshot', snapshot, {
      agentId: required(is.name),
      snapshotId: is.name,
      timestamp: is.date,
      memoryState: is.json,
      toolState: is.json,
      conversationHistory: is.listOf(is.json),
      metadata: is.record,
    });
    const { agentId, snapshotId, timestamp, metadata, memoryState, toolState, conversationHistory } = snapshot;
    const contents = defined({ memoryState, toolState, conversationHistory });
    const row = await this.#save('snapshot', { agentId, id: snapshotId, timestamp, metadata }, { contents });
    return infoOf(agentId, row);
  }

  /** A snapshot with its contents; default: the latest. Throws if there is none. */
  async getSnapshot(agentId: string, snapshotId = 'latest'): Promise<AgentSnapshot> {
    return this.#snapshot(agentId, await this.#mustFind(agentId, 'snapshot', snapshotId));
  }

  /** The snapshots of an agent, oldest first, without their contents. */
  async listSnapshots(agentId: string, options: SavedPageOptions = {}): Promise<readonly AgentSnapshotInfo[]> {
    return (await this.#list('listSnapshots', agentId, 'snapshot', options)).map((row) => infoOf(agentId, row));
  }

  /** Keeps a point from which an agent goes on. */
  async saveCheckpoint(checkpoint: NewAgentCheckpoint): Promise<AgentCheckpoint> {
    checkGiven('saveCheckpoint', checkpoint, {
      agentId: required(is.name),
      checkpointId: is.name,
      timestamp: is.date,
      step: is.count,
      state: is.json,
      recoverable: is.flag,
      metadata: is.record,
    });
    const { agentId, checkpointId, timestamp, metadata, step, state, recoverable } = checkpoint;
    const given = { ...defined({ step, recoverable }), contents: defined({ state }) };
    const row = await this.#save('checkpoint', { agentId, id: checkpointId, timestamp, metadata }, given);
    return this.#checkpoint(agentId, row);
  }

  /** A checkpoint; default: the latest. Throws if there is none. */
  async getCheckpoint(agentId: string, checkpointId = 'latest'): Promise<AgentCheckpoint> {
    return this.#checkpoint(agentId, await this.#mustFind(agentId, 'checkpoint', checkpointId));
  }

  /** The checkpoints of an agent, oldest first. */
  async listCheckpoints(agentId: string, options: SavedPageOptions = {}): Promise<readonly AgentCheckpoint[]> {
    const rows = await this.#list('listCheckpoints', agentId, 'checkpoint', options);
    return Promise.all(rows.map((row) => this.#checkpoint(agentId, row)));
  }

  /**
   * What an agent goes on with: the latest snapshot or checkpoint, or one by its id. A job goes on by itself, in whichever process
   * works on its role: from the commit, or from where it stands if nothing was saved. Refused if a tool call has an unknown outcome.
   */
  async recover(agentId: string, options: { readonly from?: string | undefined } = {}): Promise<AgentRecovery> {
    checkedName('recover', 'agentId', agentId);
    checkGiven('recover', options, { from: is.name });
    const { from = 'latest' } = options;
    const { job, found } = await this.#checked(agentId, from);
    if (job === undefined || this.#jobs === undefined) return this.#reported(agentId, found as Found);
    const jobId = await this.#jobs.recover(job, found?.row.commit);
    return { agentId, from: found && originOf(found), snapshot: undefined, checkpoint: undefined, jobId };
  }

  /** @internal Throws what `recover` would throw before it does anything. */
  async check(agentId: string, from = 'latest'): Promise<void> {
    await this.#checked(agentId, from);
  }

  async #checked(
    agentId: string,
    from: string,
  ): Promise<{ readonly job: JobRow | undefined; readonly found: Found | undefined }> {
    const found = await this.#find(agentId, from);
    const job = await this.#jobs?.row(agentId);
    if (found === undefined && (job === undefined || from !== 'latest')) throw missing(agentId, from);
    if (job === undefined || this.#jobs === undefined) {
      if (found?.row.recoverable === false)
        throw new AgentRecoveryError(
          `The checkpoint '${found.row.id}' of '${agentId}' was saved as one that cannot be recovered from. Choose another with { from }.`,
          { agentId, checkpointId: found.row.id },
        );
      return { job, found };
    }
    const unknown = await this.#jobs.unknownCalls(job, found?.row.commit);
    if (unknown.length > 0)
      throw new AgentRecoveryError(
        `The job '${agentId}' cannot be recovered by itself: nobody knows whether ${unknown.join(', ')} had its effect. Look, decide with kit.approve or kit.deny, or choose an older checkpoint of another job.`,
        { agentId, unknownCalls: unknown },
      );
    return { job, found };
  }

  /**
   * Calls `callback` with each snapshot and checkpoint that is saved, in any process: of one agent, or of those whose ids match a
   * pattern. Returns the function that ends it.
   */
  async subscribe(
    pattern: KeyPattern,
    callback: (saved: SavedOfAgent, context: ChangeContext) => void | Promise<void>,
    options: EventOptions = {},
  ): Promise<() => void> {
    const { matches } = keyMatcher(pattern);
    checkArgument('subscribe', 'the callback', callback, is.action);
    const store = await this.#place.store();
    const events = this.#savedSince.bind(this, matches);
    return subscribeTo(
      () => this.#place.store(),
      ({ since, signal }) => events(since, AbortSignal.any([signal, this.#closing.signal])),
      ({ saved, revision }) => callback(saved, { revision }),
      { ...options, since: options.since ?? (await store.revision()) },
    );
  }

  /** Ends all subscriptions, and closes the store if this manager opened it. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#place.close();
  }

  /** @internal Where its rows are, for those that keep theirs beside them. */
  get place(): Place {
    return this.#place;
  }

  /** @internal The jobs of the kit, if it is of one. */
  get jobs(): JobAgents | undefined {
    return this.#jobs;
  }

  /** @internal Tool calls that stand in the way of recovering an agent, and whether there is something to recover from. */
  async obstacles(agentId: string): Promise<{ readonly unknownCalls: readonly string[]; readonly isSaved: boolean }> {
    const found = await this.#find(agentId, 'latest');
    const job = await this.#jobs?.row(agentId);
    if (job !== undefined && this.#jobs !== undefined)
      return { unknownCalls: await this.#jobs.unknownCalls(job, found?.row.commit), isSaved: true };
    return { unknownCalls: [], isSaved: found !== undefined && found.row.recoverable !== false };
  }

  async *#savedSince(
    matches: (agentId: string) => boolean,
    since: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly saved: SavedOfAgent; readonly revision: number }, void, undefined> {
    const store = await this.#place.store();
    const range = { prefix: [this.#place.prefix] };
    for await (const { revision, changes } of store.follow({ collections: [savedRows], range, since, signal }))
      for (const { key } of changes.filter(({ kind }) => kind === 'put')) {
        const agentId = String(key[1]);
        const [row] = matches(agentId) ? await store.read(savedRows, [key]) : [];
        // What retention has dropped meanwhile is not told.
        if (row === undefined) continue;
        const saved: SavedOfAgent =
          key[2] === 'snapshot'
            ? { kind: 'snapshot', snapshot: infoOf(agentId, row.value) }
            : { kind: 'checkpoint', checkpoint: await this.#checkpoint(agentId, row.value) };
        yield { saved, revision };
      }
  }

  async #reported(agentId: string, found: Found): Promise<AgentRecovery> {
    const isSnapshot = found.kind === 'snapshot';
    return {
      agentId,
      from: originOf(found),
      snapshot: isSnapshot ? await this.#snapshot(agentId, found.row) : undefined,
      checkpoint: isSnapshot ? undefined : await this.#checkpoint(agentId, found.row),
      jobId: undefined,
    };
  }

  async #save(
    kind: SavedKind,
    given: {
      readonly agentId: string;
      readonly id: string | undefined;
      readonly timestamp: Date | undefined;
      readonly metadata: Readonly<Record<string, unknown>> | undefined;
    },
    reported: Pick<SavedRow, 'step' | 'recoverable' | 'contents'>,
  ): Promise<SavedRow> {
    const { agentId, timestamp, metadata = {} } = given;
    if (given.id === 'latest') throw new StateArgumentError(`A ${kind} cannot be called 'latest'.`);
    const { prefix, clock } = this.#place;
    return this.#changes.make(`The ${kind}s of '${agentId}'`, async (store) => {
      const job = await this.#jobs?.row(agentId);
      const under = [prefix, agentId, kind];
      const { entries, revision } = await store.scan(savedRows, { prefix: under }, { reverse: true, limit: 1 });
      const number = (entries[0]?.value.number ?? 0) + 1;
      const nameOf = async (id: string): Promise<number | undefined> =>
        (await store.read(savedNames, [[...under, id]]))[0]?.value.number;
      // One with a higher number came meanwhile: the commit meets it, and this is decided again.
      const isTaken = async (id: string): Promise<boolean> => ((await nameOf(id)) ?? number) < number;
      const id = given.id ?? (await freeName(`${kind}_${number}`, isTaken));
      const common = { id, number, time: timestamp?.getTime() ?? clock.now(), metadata };
      const tagged = job && (await this.#tagged(job, kind, id, reported, timestamp));
      const row: SavedRow =
        tagged === undefined ? { ...common, ...reported } : { ...common, commit: tagged.commit, step: tagged.step };
      if (await isTaken(id))
        throw new StateConflictError(`There is a ${kind} '${id}' of '${agentId}' already. Choose another id.`, {
          agentId,
          id,
        });
      const part: TransactionPart = {
        checks: [
          // That it is absent is not enough: it may have come and been dropped again meanwhile.
          {
            kind: 'unchanged',
            collection: savedRows,
            range: { prefix: under, from: [...under, number] },
            since: revision,
          },
          { kind: 'absent', collection: savedNames, key: [...under, id] },
        ],
        writes: [
          { kind: 'put', collection: savedRows, key: [...under, number], value: row },
          { kind: 'put', collection: savedNames, key: [...under, id], value: { number } },
        ],
      };
      const dropped = await this.#dropped(store, agentId, kind, number, job);
      return { value: row, part: mergeParts(part, tagged?.part, ...dropped) };
    });
  }

  /** The commit of a job has everything; what is said beside it would be a second truth. */
  async #tagged(
    job: JobRow,
    kind: SavedKind,
    id: string,
    reported: Pick<SavedRow, 'step' | 'recoverable' | 'contents'>,
    timestamp: Date | undefined,
  ): Promise<{ commit: string; step: number; part: TransactionPart } | undefined> {
    const said = [
      ...Object.keys(reported.contents ?? {}),
      ...Object.keys(reported).filter((name) => name !== 'contents'),
      ...(timestamp === undefined ? [] : ['timestamp']),
    ];
    if (said.length > 0)
      throw new StateArgumentError(
        `'${job.id}' is a job: its ${kind} is a commit of its program, which has ${said.join(', ')} itself. Leave them out.`,
        { agentId: job.id, said },
      );
    return this.#jobs?.tag(job, tagName(kind, id));
  }

  /** What drops those that are not kept any longer. */
  async #dropped(
    store: Store,
    agentId: string,
    kind: SavedKind,
    number: number,
    job: JobRow | undefined,
  ): Promise<readonly (TransactionPart | undefined)[]> {
    const keep = this.#keep[kind];
    if (keep === undefined || number <= keep) return [];
    const under = [this.#place.prefix, agentId, kind];
    const { entries } = await store.scan(savedRows, { prefix: under, to: [...under, number - keep + 1] });
    const parts: (TransactionPart | undefined)[] = [];
    for (const { key, value } of entries) {
      const writes: Write[] = [
        { kind: 'remove', collection: savedRows, key },
        { kind: 'remove', collection: savedNames, key: [...under, value.id] },
      ];
      parts.push({ checks: [], writes }, job && (await this.#jobs?.untag(job, tagName(kind, value.id))));
    }
    return parts;
  }

  async #list(
    where: string,
    agentId: string,
    kind: SavedKind,
    options: SavedPageOptions,
  ): Promise<readonly SavedRow[]> {
    checkedName(where, 'agentId', agentId);
    checkGiven(where, options, { limit: is.whole(1, maxLimit), after: is.count });
    const { limit = 1000 } = options;
    const under = [this.#place.prefix, agentId, kind];
    const from = options.after === undefined ? {} : { from: [...under, options.after + 1] };
    const page = await (await this.#place.store()).scan(savedRows, { prefix: under, ...from }, { limit });
    return page.entries.map(({ value }) => value);
  }

  async #mustFind(agentId: string, kind: SavedKind, id: string): Promise<SavedRow> {
    const where = kind === 'snapshot' ? 'getSnapshot' : 'getCheckpoint';
    checkedName(where, 'agentId', agentId);
    checkedName(where, `${kind}Id`, id);
    const row = await this.#read(agentId, kind, id);
    if (row !== undefined) return row;
    throw missing(agentId, id, kind);
  }

  async #read(agentId: string, kind: SavedKind, id: string): Promise<SavedRow | undefined> {
    const store = await this.#place.store();
    const under = [this.#place.prefix, agentId, kind];
    if (id === 'latest')
      return (await store.scan(savedRows, { prefix: under }, { reverse: true, limit: 1 })).entries[0]?.value;
    const [named] = await store.read(savedNames, [[...under, id]]);
    if (named === undefined) return undefined;
    return (await store.read(savedRows, [[...under, named.value.number]]))[0]?.value;
  }

  /** The latest of both kinds, or the one of this id. */
  async #find(agentId: string, id: string): Promise<Found | undefined> {
    const [checkpoint, snapshot] = await Promise.all([
      this.#read(agentId, 'checkpoint', id),
      this.#read(agentId, 'snapshot', id),
    ]);
    if (snapshot !== undefined && (checkpoint === undefined || snapshot.time > checkpoint.time))
      return { kind: 'snapshot', row: snapshot };
    return checkpoint && { kind: 'checkpoint', row: checkpoint };
  }

  async #snapshot(agentId: string, row: SavedRow): Promise<AgentSnapshot> {
    const { memoryState, toolState, conversationHistory = [] } = row.contents ?? {};
    const moment = await this.#moment(agentId, row.commit);
    return { ...infoOf(agentId, row), ...(moment ?? { memoryState, toolState, conversationHistory }) };
  }

  async #checkpoint(agentId: string, row: SavedRow): Promise<AgentCheckpoint> {
    const { id, number, time, step = 0, recoverable = true, metadata, commit, contents } = row;
    const job = commit === undefined ? undefined : await this.#jobs?.row(agentId);
    const moment = await this.#moment(agentId, commit);
    return {
      agentId,
      checkpointId: id,
      number,
      timestamp: new Date(time),
      step,
      state: moment === undefined ? contents?.state : moment.memoryState,
      recoverable: job === undefined ? recoverable : (await this.#jobs?.unknownCalls(job, commit))?.length === 0,
      metadata,
      commit,
    };
  }

  async #moment(agentId: string, commit: string | undefined): Promise<SnapshotContents | undefined> {
    if (commit === undefined || this.#jobs === undefined) return undefined;
    const job = await this.#jobs.row(agentId);
    if (job === undefined)
      throw new StateNotFoundError(`The job '${agentId}' was deleted, and its commits with it.`, { agentId, commit });
    return this.#jobs.moment(job, commit);
  }
}

type SnapshotContents = Pick<AgentSnapshot, 'memoryState' | 'toolState' | 'conversationHistory'>;

interface Found {
  readonly kind: SavedKind;
  readonly row: SavedRow;
}

function tagName(kind: SavedKind, id: string): string {
  return `agent:${kind}:${id}`;
}

function originOf({ kind, row: { id, time } }: Found): NonNullable<AgentRecovery['from']> {
  return { kind, id, timestamp: new Date(time) };
}

function infoOf(agentId: string, { id, number, time, metadata, commit }: SavedRow): AgentSnapshotInfo {
  return { agentId, snapshotId: id, number, timestamp: new Date(time), metadata, commit };
}

/** Without members that were left open. */
function defined<Given extends object>(given: Given): { [Name in keyof Given]?: Exclude<Given[Name], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}

function missing(agentId: string, id: string, kind: string = 'snapshot or checkpoint'): StateNotFoundError {
  const what = id === 'latest' ? `no ${kind}` : `no ${kind} '${id}'`;
  return new StateNotFoundError(`The agent '${agentId}' has ${what}.`, { agentId, id });
}
