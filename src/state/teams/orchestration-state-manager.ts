// Teams of agents and the tasks they share. Nothing says of itself that it is idle, busy or in progress: a task is worked on while
// its lease is live, and a member is there while a process that speaks for it lives.
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { after } from '../../base/clock.ts';
import type { RoleAttendance } from '../../jobs/door.ts';
import { encodeJson, mergeParts, type Entry, type Lease, type Store, type TransactionPart } from '../../store/door.ts';
import {
  StateArgumentError,
  StateConflictError,
  StateNotFoundError,
  StateTransitionError,
} from '../foundation/errors.ts';
import { Changes } from '../foundation/changes.ts';
import { LeaseKeeper } from '../foundation/lease-keeper.ts';
import { checkedName } from '../foundation/names.ts';
import { once } from '../foundation/once.ts';
import { Place, placeKinds, type PlaceOptions } from '../foundation/place.ts';
import { subscribeTo, type EventOptions } from '../foundation/subscribing.ts';
import { removeRange } from '../foundation/remove-range.ts';
import { checkArgument, checkGiven, is, type Kinds, required } from '../foundation/given.ts';
import { counted, totalsOf } from './counts.ts';
import { TaskOwnerError } from './errors.ts';
import type { KitRoles } from './kit-roles.ts';
import { Presence } from './presence.ts';
import { statusOf, taskCheck, taskOf, TaskQueue, type KnownTask, type OwnTask } from './queue.ts';
import {
  AgentAvailability,
  TeamTaskStatus,
  type AgentCoordinationState,
  type ClaimedTask,
  type NewAgent,
  type NewTask,
  type NewTeam,
  type TaskQueueState,
  type TeamEvent,
  type TeamState,
  type TeamSummary,
  type TeamTask,
} from './records.ts';
import {
  countRows,
  endedRows,
  itemKey,
  lanesFor,
  memberRows,
  presenceItems,
  queueItems,
  rankOf,
  taskRows,
  teamCollections,
  teamRows,
  type MemberRow,
  type TaskRow,
  type TeamRow,
} from './rows.ts';
import { watchTeam } from './watch.ts';

/** Where teams are kept, and how soon the death of a process is noticed. */
export interface OrchestrationStateManagerOptions extends PlaceOptions {
  /** Seconds between two looks for processes that died, while something is waited for or watched; default: 1. */
  readonly syncInterval?: number | undefined;
  /** How long tasks and members of a process that does not answer stay its own; default: 5,000. Many stores notice a death at once. */
  readonly leaseMilliseconds?: number | undefined;
}

/** How long to wait for a task. */
export interface ClaimTaskOptions {
  /** Milliseconds to wait for a task if there is none; default: 0. */
  readonly waitMilliseconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is said at the end of a task. */
export interface TaskEndOptions {
  /** The token of the claim, if another manager claimed the task. */
  readonly token?: number | undefined;
}

/** One page of teams; give `cursor` to the next call until it is undefined. */
export interface TeamPage {
  readonly teams: readonly TeamSummary[];
  readonly cursor: string | undefined;
}

/** Which events of a team to tell. */
export interface WatchTeamOptions {
  /** Events after this revision; default: from now on. */
  readonly since?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const tries = 50;
const maxMembers = 1000;
const maxListed = 1000;
const kinds: Kinds<OrchestrationStateManagerOptions> = {
  ...placeKinds,
  syncInterval: is.own(
    (value) => typeof value === 'number' && value >= 0.01 && value <= 86_400,
    'a number of seconds from 0.01 to 86,400',
  ),
  leaseMilliseconds: is.whole(1, 86_400_000),
};

/**
 * Teams of agents, who is there, and the tasks they share. A task has one owner at a time; when its owner dies, the next member can
 * claim it, and only the owner completes it.
 *
 * @example
 * import { OrchestrationStateManager } from 'statek/state';
 *
 * const teams = new OrchestrationStateManager({ store: 'memory:' });
 * await teams.createTeam({ teamId: 'research', agents: { ann: { capabilities: ['search'] } } });
 * await teams.enqueueTask('research', { taskId: 'trends', priority: 'high', capability: 'search' });
 * const claimed = await teams.claimTask('research', 'ann');
 * await teams.completeTask('research', 'trends', { found: 3 });
 * const { totals } = await teams.getQueueStatus('research');
 * console.log(claimed?.task.taskId, totals.completed); // prints trends 1
 * await teams.close();
 */
export class OrchestrationStateManager {
  readonly #place: Place;
  readonly #changes: Changes;
  readonly #keeper: LeaseKeeper;
  readonly #presence: Presence;
  readonly #queue: TaskQueue;
  readonly #syncMilliseconds: number;
  /** Tasks this manager has claimed. */
  readonly #own = new Map<string, OwnTask & { readonly stop: AbortController }>();
  readonly #closing = new AbortController();
  #roles: KitRoles | undefined;

  constructor(options: OrchestrationStateManagerOptions = {}) {
    checkGiven('OrchestrationStateManager', options, kinds);
    const { syncInterval = 1, leaseMilliseconds = 5000, ...place } = options;
    this.#syncMilliseconds = syncInterval * 1000;
    this.#place = new Place('OrchestrationStateManager', place, teamCollections);
    this.#changes = new Changes(() => this.#place.store());
    this.#keeper = new LeaseKeeper({
      store: () => this.#place.store(),
      clock: this.#place.clock,
      name: `${hostname()} ${process.pid}`,
      leaseMilliseconds,
    });
    this.#presence = new Presence(this.#place, this.#keeper);
    this.#queue = new TaskQueue(this.#place, this.#keeper);
  }

  /** @internal Members can be roles of a kit, too; returns itself. */
  over(roles: KitRoles): this {
    this.#roles = roles;
    return this;
  }

  /** Makes a team, with its first members. Refused if there is one of this name. */
  async createTeam(team: NewTeam): Promise<TeamState> {
    checkGiven('createTeam', team, {
      teamId: required(is.name),
      name: is.text,
      metadata: is.record,
      agents: is.object,
    });
    const { teamId } = team;
    const agents = Object.entries(team.agents ?? {});
    for (const [agentId, agent] of agents) this.#refuseAgent('createTeam', agentId, agent);
    if (agents.length > maxMembers)
      throw new StateArgumentError(`createTeam: a team has at most ${maxMembers} members, not ${agents.length}.`);
    const now = this.#place.clock.now();
    const key = [this.#place.prefix, teamId];
    const value: TeamRow = {
      ...(team.name === undefined ? {} : { name: team.name }),
      metadata: team.metadata ?? {},
      created: now,
    };
    // Before anybody can see the members.
    for (const [, { role }] of agents) if (role !== undefined) await this.#roles?.ask(role);
    await this.#commit(`The team '${teamId}'`, async (store) => {
      const [known] = await store.read(teamRows, [key]);
      if (known?.value.isDeleted === true) await this.#finishDeleting(store, teamId);
      else if (known !== undefined)
        throw new StateConflictError(`createTeam: there is a team '${teamId}' already.`, { teamId });
      return {
        checks: [{ kind: 'absent', collection: teamRows, key }],
        writes: [
          { kind: 'put', collection: teamRows, key, value },
          ...agents.map(([agentId, agent]) => this.#memberWrite(teamId, agentId, agent, now)),
        ],
      };
    });
    for (const [agentId, agent] of agents) if (isSpokenFor(agent)) await this.#presence.announce(teamId, agentId);
    return (await this.getTeam(teamId)) as TeamState;
  }

  /** A team with its members and the first tasks of its queue; undefined if there is none. */
  async getTeam(teamId: string): Promise<TeamState | undefined> {
    checkedName('getTeam', 'teamId', teamId);
    const row = await this.#teamRow(teamId);
    if (row === undefined) return undefined;
    const [agents, taskQueue] = await Promise.all([this.#members(teamId), this.getQueueStatus(teamId)]);
    return {
      ...summaryOf(teamId, row.value),
      agents: Object.fromEntries(agents.map((agent) => [agent.agentId, agent])),
      taskQueue,
    };
  }

  /** Teams by name, page by page. */
  async listTeams(
    options: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
  ): Promise<TeamPage> {
    checkGiven('listTeams', options, { limit: is.whole(1, maxListed), cursor: is.text });
    const { limit = 100 } = options;
    const store = await this.#place.store();
    const { entries, cursor } = await store.scan(
      teamRows,
      { prefix: [this.#place.prefix] },
      { limit, cursor: options.cursor },
    );
    const teams = entries
      .filter(({ value }) => value.isDeleted !== true)
      .map(({ key, value }) => summaryOf(key[1] as string, value));
    return { teams, cursor };
  }

  /** Removes a team, its members and all its tasks. Whoever works on one of them loses it. */
  async deleteTeam(teamId: string): Promise<void> {
    checkedName('deleteTeam', 'teamId', teamId);
    const store = await this.#place.store();
    const key = [this.#place.prefix, teamId];
    await this.#commit(`The team '${teamId}'`, async () => {
      const entry = await this.#knownTeam(teamId);
      return {
        checks: [{ kind: 'revision', collection: teamRows, key, revision: entry.revision }],
        writes: [{ kind: 'put', collection: teamRows, key, value: { ...entry.value, isDeleted: true } }],
      };
    });
    await this.#finishDeleting(store, teamId);
  }

  /** Adds a member, or changes what a member can do. */
  async addAgent(teamId: string, agentId: string, agent: NewAgent = {}): Promise<AgentCoordinationState> {
    checkedName('addAgent', 'teamId', teamId);
    this.#refuseAgent('addAgent', agentId, agent);
    if (agent.role !== undefined) await this.#roles?.ask(agent.role);
    let memberRole: string | undefined;
    await this.#changeMember(teamId, agentId, async (known) => {
      if (known === undefined) await this.#refuseFull(teamId);
      const now = this.#place.clock.now();
      const { capabilities = known?.capabilities ?? [], metadata = known?.metadata ?? {}, role = known?.role } = agent;
      memberRole = role;
      return { ...(known ?? { joined: now }), capabilities, metadata, ...(role === undefined ? {} : { role }) };
    });
    if (isSpokenFor({ ...agent, role: memberRole })) await this.#presence.announce(teamId, agentId);
    return this.#member(teamId, agentId);
  }

  /** Removes a member. Tasks that were assigned to it can be claimed by others again; those it works on go on. */
  async removeAgent(teamId: string, agentId: string): Promise<void> {
    refuseNames('removeAgent', { teamId, agentId });
    const store = await this.#place.store();
    const { prefix } = this.#place;
    await this.#memberRow(teamId, agentId);
    await store.commit([{ writes: [{ kind: 'remove', collection: memberRows, key: [prefix, teamId, agentId] }] }]);
    await this.#presence.leave(teamId, agentId);
    const [lane = ''] = lanesFor(agentId, []);
    let cursor: string | undefined;
    do {
      const page = await store.scan(queueItems, { prefix: [prefix, teamId, lane] }, { limit: 100, cursor });
      for (const { key } of page.entries) await this.#assignIfFree(teamId, key[5] as string, undefined);
      ({ cursor } = page);
    } while (cursor !== undefined);
  }

  /** From now on this manager speaks for a member: it is there while the manager lives. */
  async joinTeam(teamId: string, agentId: string): Promise<AgentCoordinationState> {
    refuseNames('joinTeam', { teamId, agentId });
    await this.#memberRow(teamId, agentId);
    await this.#presence.announce(teamId, agentId);
    return this.#member(teamId, agentId);
  }

  /** This manager does not speak for the member any more. */
  async leaveTeam(teamId: string, agentId: string): Promise<void> {
    refuseNames('leaveTeam', { teamId, agentId });
    await this.#presence.leave(teamId, agentId);
  }

  /**
   * Reports what a member does. It is kept as a report: it counts while the process that made it lives, and a claimed task counts more.
   */
  async updateAgentStatus(
    teamId: string,
    agentId: string,
    report: {
      readonly status: string;
      readonly currentTask?: string | undefined;
      readonly idempotencyKey?: string | undefined;
    },
  ): Promise<AgentCoordinationState> {
    refuseNames('updateAgentStatus', { teamId, agentId });
    checkGiven('updateAgentStatus', report, {
      status: required(is.name),
      currentTask: is.text,
      idempotencyKey: is.reportKey,
    });
    const { status, currentTask, idempotencyKey } = report;
    const { joined } = await this.#memberRow(teamId, agentId);
    await this.#presence.announce(teamId, agentId);
    const contents = { status, currentTask: currentTask ?? null };
    // Marks outlive a member that is removed, and must not count for the next one of its name.
    const scope = `the agent '${agentId}' of the team '${teamId}' since ${joined}`;
    await this.#changeMember(
      teamId,
      agentId,
      (known, time) => {
        if (known === undefined) throw missing(`The team '${teamId}' has no member '${agentId}'`, { teamId, agentId });
        const reported = { status, ...(currentTask === undefined ? {} : { currentTask }), time, by: this.#presence.id };
        return Promise.resolve({ ...known, reported });
      },
      (store, time) => once(store, { prefix: this.#place.prefix, scope, idempotencyKey, contents, time }),
    );
    return this.#member(teamId, agentId);
  }

  /** Members that are there and have nothing to do. */
  async getAvailableAgents(
    teamId: string,
    options: { readonly capability?: string | undefined } = {},
  ): Promise<readonly AgentCoordinationState[]> {
    checkedName('getAvailableAgents', 'teamId', teamId);
    checkGiven('getAvailableAgents', options, { capability: is.name });
    const { capability } = options;
    await this.#knownTeam(teamId);
    return (await this.#members(teamId)).filter(
      ({ availability, capabilities }) =>
        availability === AgentAvailability.IDLE && (capability === undefined || capabilities.includes(capability)),
    );
  }

  /** Adds a task to the queue. The same task given twice is one task. */
  async enqueueTask(teamId: string, task: NewTask = {}): Promise<TeamTask> {
    checkedName('enqueueTask', 'teamId', teamId);
    checkGiven('enqueueTask', task, {
      taskId: is.name,
      type: is.text,
      data: is.json,
      // Its rank is looked up below.
      priority: is.anything,
      capability: is.name,
      maxAttempts: is.whole(1, 1_000_000),
      maxOwnersLost: is.whole(0, 1_000_000),
    });
    const { taskId = randomUUID() } = task;
    const { priority = 'normal', capability, type, maxAttempts = 1, maxOwnersLost = 10 } = task;
    rankOf(priority);
    const contents = {
      ...(type === undefined ? {} : { type }),
      ...(task.data === undefined ? {} : { data: task.data }),
      ...(capability === undefined ? {} : { capability }),
      priority,
      maxAttempts,
      maxOwnersLost,
    };
    const fingerprint = createHash('sha256')
      .update(encodeJson(contents, `The task '${taskId}'`))
      .digest('base64url');
    const { prefix, clock } = this.#place;
    const key = [prefix, teamId, taskId];
    let row: TaskRow = { ...contents, created: clock.now(), attempts: 0, failures: 0, ownersLost: 0, fingerprint };
    await this.#queue.counts.withSlot((slot) =>
      this.#commit(`The task '${taskId}'`, async (store) => {
        const team = await this.#knownTeam(teamId);
        const known = await this.#queue.find(teamId, taskId);
        if (known !== undefined) {
          ({ row } = known);
          if (row.fingerprint === fingerprint) return undefined;
          throw new StateConflictError(
            `enqueueTask: the team '${teamId}' has another task '${taskId}'. Use a new id for a new task.`,
            { teamId, taskId },
          );
        }
        return mergeParts(await counted(store, [prefix, teamId, slot], 'enqueued'), {
          checks: [
            { kind: 'revision', collection: teamRows, key: [prefix, teamId], revision: team.revision },
            { kind: 'absent', collection: taskRows, key },
          ],
          writes: [
            { kind: 'put', collection: taskRows, key, value: row },
            { kind: 'put', collection: queueItems, key: itemKey(prefix, teamId, taskId, row), value: {} },
          ],
        });
      }),
    );
    return taskOf(teamId, taskId, row, statusOf(row, undefined));
  }

  /**
   * Reserves a pending task for a member: only it can claim the task, and it does so before others. Without a member, anyone
   * with the capability can claim it again.
   */
  async assignTask(teamId: string, taskId: string, agentId?: string): Promise<TeamTask> {
    refuseNames('assignTask', { teamId, taskId, ...(agentId === undefined ? {} : { agentId }) });
    if (agentId !== undefined) await this.#memberRow(teamId, agentId);
    const owner = await this.#assignIfFree(teamId, taskId, agentId);
    if (owner === undefined) return this.#mustGetTask(teamId, taskId);
    throw this.#ownerError('assignTask', teamId, taskId, owner);
  }

  /**
   * Claims the next task that a member can do: what is assigned to it, by priority, the oldest first. The task is the member's until
   * it is completed or failed, or this process dies. Undefined if there is none.
   */
  async claimTask(teamId: string, agentId: string, options: ClaimTaskOptions = {}): Promise<ClaimedTask | undefined> {
    refuseNames('claimTask', { teamId, agentId });
    checkGiven('claimTask', options, { waitMilliseconds: is.amount, signal: is.signal });
    const { waitMilliseconds = 0, signal } = options;
    signal?.throwIfAborted();
    const store = await this.#place.store();
    const until = performance.now() + waitMilliseconds;
    for (;;) {
      const { capabilities } = await this.#memberRow(teamId, agentId);
      await this.#presence.announce(teamId, agentId);
      const since = waitMilliseconds === 0 ? 0 : await store.revision();
      const found = await this.#queue.claim(teamId, agentId, lanesFor(agentId, capabilities), (lease) =>
        this.#lost(teamId, lease),
      );
      if (found !== undefined) return this.#remember(teamId, agentId, found.task, found.own);
      const left = until - performance.now();
      if (left <= 0) return undefined;
      await this.#change(teamId, since, Math.min(left, this.#syncMilliseconds), signal);
    }
  }

  /** The owner reports the result of its task. */
  async completeTask(
    teamId: string,
    taskId: string,
    result?: unknown,
    options: TaskEndOptions = {},
  ): Promise<TeamTask> {
    refuseNames('completeTask', { teamId, taskId });
    checkGiven('completeTask', options, { token: is.count });
    encodeJson(result ?? null, `The result of the task '${taskId}'`);
    return this.#end('completeTask', teamId, taskId, options, (row) => {
      const { error: _error, ...rest } = row;
      return { row: rest, outcome: 'completed', ...(result === undefined ? {} : { result }) };
    });
  }

  /** The owner reports that it failed. The task is pending again until `maxAttempts` have failed. */
  async failTask(
    teamId: string,
    taskId: string,
    error: unknown,
    options: TaskEndOptions & {
      /** False: no further attempt. */
      readonly retry?: boolean | undefined;
    } = {},
  ): Promise<TeamTask> {
    refuseNames('failTask', { teamId, taskId });
    checkGiven('failTask', options, { token: is.count, retry: is.flag });
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return this.#end('failTask', teamId, taskId, options, (row) => {
      const failures = row.failures + 1;
      const isOver = options.retry === false || failures >= row.maxAttempts;
      return { row: { ...row, failures, error: text }, outcome: isOver ? 'failed' : undefined };
    });
  }

  /** Takes a task out of the queue that nobody works on. */
  async cancelTask(teamId: string, taskId: string, reason = 'It was cancelled.'): Promise<TeamTask> {
    refuseNames('cancelTask', { teamId, taskId });
    checkArgument('cancelTask', 'the reason', reason, is.text);
    const known = await this.#knownTask(teamId, taskId);
    this.#refuseEnded(teamId, taskId, known.row);
    const claimed = await this.#queue.claimItem(teamId, taskId, known.row, () => undefined);
    if (claimed === undefined) {
      const owner = await this.#queue.holder(teamId, taskId, known.row);
      throw this.#ownerError('cancelTask', teamId, taskId, owner, known.row);
    }
    await this.#endUnder('cancelTask', teamId, taskId, claimed.lease, (row) => ({
      row: { ...row, error: reason },
      outcome: 'cancelled',
    }));
    return this.#mustGetTask(teamId, taskId);
  }

  /** A task; undefined if there is none. */
  async getTask(teamId: string, taskId: string): Promise<TeamTask | undefined> {
    refuseNames('getTask', { teamId, taskId });
    const known = await this.#queue.find(teamId, taskId);
    if (known === undefined) return undefined;
    const { row } = known;
    const lease = row.ended === undefined ? await this.#queue.holder(teamId, taskId, row) : undefined;
    return taskOf(teamId, taskId, row, statusOf(row, lease));
  }

  /** The tasks of a team: the first of each list (default: 100), and how many there are. */
  async getQueueStatus(teamId: string, options: { readonly limit?: number | undefined } = {}): Promise<TaskQueueState> {
    checkedName('getQueueStatus', 'teamId', teamId);
    checkGiven('getQueueStatus', options, { limit: is.whole(0, maxListed) });
    const { limit = 100 } = options;
    await this.#knownTeam(teamId);
    const store = await this.#place.store();
    const inProgress = await this.#queue.inProgress(teamId);
    const held = new Set(inProgress.map(({ task }) => task));
    const [pending, completed, failed, counts] = await Promise.all([
      this.#queue.pending(teamId, limit, held),
      this.#queue.ended(teamId, 'completed', limit),
      this.#queue.ended(teamId, 'failed', limit),
      totalsOf(store, this.#place.prefix, teamId),
    ]);
    const ended = counts.completed + counts.failed + counts.cancelled;
    return {
      pending,
      inProgress: inProgress
        .toSorted((a, b) => (a.row.claim?.time ?? 0) - (b.row.claim?.time ?? 0))
        .slice(0, limit)
        .map(({ task, row }) => taskOf(teamId, task, row, TeamTaskStatus.IN_PROGRESS)),
      completed,
      failed,
      totals: {
        // A task may end between the two reads.
        pending: Math.max(0, counts.enqueued - ended - inProgress.length),
        inProgress: inProgress.length,
        completed: counts.completed,
        failed: counts.failed,
        cancelled: counts.cancelled,
      },
    };
  }

  /** What happens to a team and who comes and goes, until the signal is aborted or the team is deleted. */
  watch(teamId: string, options: WatchTeamOptions = {}): AsyncIterable<TeamEvent> {
    checkedName('watch', 'teamId', teamId);
    checkGiven('watch', options, { since: is.count, signal: is.signal });
    const closing = this.#closing.signal;
    return watchTeam({
      place: this.#place,
      teamId,
      since: options.since,
      signal: options.signal === undefined ? closing : AbortSignal.any([closing, options.signal]),
      intervalMilliseconds: this.#syncMilliseconds,
      members: () => this.#members(teamId),
      task: (taskId) => this.getTask(teamId, taskId),
    });
  }

  /** Calls back for each event of a team. Returns a function that stops. What the callback throws goes to `onError`. */
  subscribe(
    teamId: string,
    callback: (event: TeamEvent) => void | Promise<void>,
    options: EventOptions = {},
  ): () => void {
    checkedName('subscribe', 'teamId', teamId);
    return subscribeTo(
      () => this.#place.store(),
      (at) => this.watch(teamId, at),
      callback,
      options,
    );
  }

  /** Gives back what this manager has claimed, and stops speaking for its members. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { stop } of this.#own.values()) stop.abort();
    this.#own.clear();
    await this.#presence.leaveAll().catch(() => undefined);
    await this.#keeper.close();
    await this.#place.close();
  }

  /** @internal As if this process had died. */
  abandon(): void {
    this.#closing.abort();
    this.#keeper.abandon();
  }

  async #end(
    where: string,
    teamId: string,
    taskId: string,
    { token }: TaskEndOptions,
    change: (row: TaskRow) => EndChange,
  ): Promise<TeamTask> {
    const known = await this.#knownTask(teamId, taskId);
    const { row } = known;
    const own = this.#own.get(nameOf(teamId, taskId));
    const shown = token ?? own?.lease.token;
    if (row.ended !== undefined) {
      // The same owner says it again, perhaps because it did not hear the answer.
      if (shown !== undefined && row.ended.token === shown) return this.#mustGetTask(teamId, taskId);
      this.#refuseEnded(teamId, taskId, row);
    }
    const lease = await this.#leaseOf(where, teamId, taskId, known, token);
    await this.#endUnder(where, teamId, taskId, lease, change);
    return this.#mustGetTask(teamId, taskId);
  }

  async #endUnder(
    where: string,
    teamId: string,
    taskId: string,
    lease: Lease,
    change: (row: TaskRow) => EndChange,
  ): Promise<void> {
    const { prefix, clock } = this.#place;
    const outcome = await this.#queue.counts.withSlot((slot) =>
      this.#queue.commit(async (store) => {
        const known = await this.#knownTask(teamId, taskId);
        this.#refuseEnded(teamId, taskId, known.row);
        const { row, outcome: ending, result } = change(known.row);
        if (ending === undefined) {
          const { claim: _claim, ...rest } = row;
          return {
            leases: [{ lease, afterwards: 'release' }],
            checks: [taskCheck(prefix, teamId, taskId, known.revision)],
            writes: [{ kind: 'put', collection: taskRows, key: [prefix, teamId, taskId], value: rest }],
          };
        }
        const agent = ending === 'cancelled' ? undefined : row.claim?.agent;
        return this.#queue.endTransaction(store, teamId, taskId, known, slot, lease, {
          row,
          ended: {
            outcome: ending,
            time: clock.now(),
            token: lease.token,
            ...(agent === undefined ? {} : { agent }),
            ...(result === undefined ? {} : { result }),
          },
        });
      }),
    );
    this.#keeper.drop(lease);
    this.#own.delete(nameOf(teamId, taskId));
    if (outcome === 'committed') return;
    const { row } = await this.#knownTask(teamId, taskId);
    const owner = row.ended === undefined ? await this.#queue.holder(teamId, taskId, row) : undefined;
    throw this.#ownerError(where, teamId, taskId, owner, row);
  }

  /** The lease of the task's owner, if this caller is the owner or can become it. */
  async #leaseOf(
    where: string,
    teamId: string,
    taskId: string,
    { row }: KnownTask,
    token: number | undefined,
  ): Promise<Lease> {
    const own = this.#own.get(nameOf(teamId, taskId));
    if (own !== undefined && (token === undefined || token === own.lease.token)) return own.lease;
    const { prefix } = this.#place;
    if (token !== undefined && row.claim?.token === token) {
      const key = itemKey(prefix, teamId, taskId, row);
      return { collection: queueItems.name, key, owner: row.claim.owner, token, expiresAt: 0 };
    }
    const { assigned } = row;
    if (token === undefined && assigned !== undefined && this.#presence.speaksFor(teamId, assigned)) {
      // A task that was assigned to a member of this process, and done without being claimed first.
      const claimed = await this.#queue.claimItem(teamId, taskId, row, (lease) => this.#lost(teamId, lease));
      const begun = claimed && (await this.#queue.begin(teamId, assigned, claimed));
      if (begun !== undefined) return begun.lease;
    }
    throw this.#ownerError(where, teamId, taskId, await this.#queue.holder(teamId, taskId, row), row);
  }

  #ownerError(where: string, teamId: string, taskId: string, owner: Lease | undefined, row?: TaskRow): Error {
    const claim = row?.claim;
    const isOwned = owner !== undefined && (claim === undefined || claim.token === owner.token);
    const agent = isOwned ? claim?.agent : undefined;
    const who = isOwned
      ? `it belongs to ${agent === undefined ? '' : `'${agent}' in `}the process '${owner.owner}'. Only its owner can do that`
      : 'nobody works on it now. Claim it first';
    return new TaskOwnerError(`${where}: the task '${taskId}' of the team '${teamId}' is not yours: ${who}.`, {
      teamId,
      taskId,
      agentId: agent,
      owner: isOwned ? owner.owner : undefined,
    });
  }

  #refuseEnded(teamId: string, taskId: string, { ended }: TaskRow): void {
    if (ended === undefined) return;
    throw new StateTransitionError(
      `The task '${taskId}' of the team '${teamId}' is ${ended.outcome}${ended.agent === undefined ? '' : ` by '${ended.agent}'`}; nothing can follow.`,
      { teamId, taskId, from: ended.outcome },
    );
  }

  /** Moves a task to the lane of a member, or back. Returns the owner if somebody works on it. */
  async #assignIfFree(teamId: string, taskId: string, agentId: string | undefined): Promise<Lease | undefined> {
    const { prefix } = this.#place;
    for (let tried = 0; tried < tries; tried++) {
      const { row } = await this.#knownTask(teamId, taskId);
      this.#refuseEnded(teamId, taskId, row);
      if (row.assigned === agentId) return undefined;
      // Under a lease of our own, so that nobody claims it meanwhile.
      const claimed = await this.#queue.claimItem(teamId, taskId, row, () => undefined);
      if (claimed === undefined) {
        const owner = await this.#queue.holder(teamId, taskId, row);
        if (owner !== undefined) return owner;
        continue;
      }
      const outcome = await this.#queue.commit(async () => {
        const known = await this.#knownTask(teamId, taskId);
        const { assigned: _assigned, ...rest } = known.row;
        const value: TaskRow = { ...rest, ...(agentId === undefined ? {} : { assigned: agentId }) };
        return {
          leases: [{ lease: claimed.lease, afterwards: 'release' }],
          checks: [taskCheck(prefix, teamId, taskId, known.revision)],
          writes: [
            { kind: 'remove', collection: queueItems, key: claimed.lease.key },
            { kind: 'put', collection: queueItems, key: itemKey(prefix, teamId, taskId, value), value: {} },
            { kind: 'put', collection: taskRows, key: [prefix, teamId, taskId], value },
          ],
        };
      });
      this.#keeper.drop(claimed.lease);
      if (outcome === 'committed') return undefined;
    }
    throw new StateConflictError(`The task '${taskId}' of the team '${teamId}' changes hands too fast. Try again.`, {
      teamId,
      taskId,
    });
  }

  #remember(teamId: string, agentId: string, taskId: string, own: OwnTask): ClaimedTask {
    const stop = new AbortController();
    this.#own.set(nameOf(teamId, taskId), { ...own, stop });
    return {
      task: taskOf(teamId, taskId, own.row, TeamTaskStatus.IN_PROGRESS),
      agentId,
      token: own.lease.token,
      signal: stop.signal,
    };
  }

  #lost(teamId: string, { key, token }: Lease): void {
    const name = nameOf(teamId, key[5] as string);
    const own = this.#own.get(name);
    if (own?.lease.token !== token) return;
    this.#own.delete(name);
    own.stop.abort(new TaskOwnerError(`The task '${String(key[5])}' was taken over by another process.`, { teamId }));
  }

  /** Waits until something is put into the queue of a team or given back, or for so long. */
  async #change(teamId: string, since: number, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    const store = await this.#place.store();
    const stop = new AbortController();
    const cancel = after(this.#place.clock, milliseconds, () => stop.abort());
    const signals = [stop.signal, this.#closing.signal, ...(signal === undefined ? [] : [signal])];
    try {
      const range = { prefix: [this.#place.prefix, teamId] };
      const changes = store.follow({ collections: [queueItems], range, since, signal: AbortSignal.any(signals) });
      for await (const { changes: all } of changes) if (all.some(({ kind }) => kind !== 'remove')) break;
    } finally {
      cancel();
    }
    signal?.throwIfAborted();
  }

  async #members(teamId: string): Promise<readonly AgentCoordinationState[]> {
    const store = await this.#place.store();
    const range = { prefix: [this.#place.prefix, teamId] };
    const [{ entries }, presences, tasks] = await Promise.all([
      store.scan(memberRows, range, { limit: maxMembers }),
      this.#presence.living(teamId),
      this.#queue.inProgress(teamId),
    ]);
    const byAgent = Map.groupBy(tasks, ({ row }) => row.claim?.agent);
    const attended = await this.#attendance(entries.map(({ value }) => value.role));
    return entries.map(({ key, value }) => {
      const agentId = key[2] as string;
      const claimed = (byAgent.get(agentId) ?? [])
        .toSorted((a, b) => (a.row.claim?.time ?? 0) - (b.row.claim?.time ?? 0))
        .map(({ task }) => task);
      return memberOf(agentId, value, claimed, presences.get(agentId), attended.get(value.role));
    });
  }

  /** Of each role that is a member: who works on it. */
  async #attendance(roles: readonly (string | undefined)[]): Promise<ReadonlyMap<string | undefined, RoleAttendance>> {
    const known = this.#roles;
    const found = new Map<string | undefined, RoleAttendance>();
    if (known === undefined) return found;
    for (const role of new Set(roles)) if (role !== undefined) found.set(role, await known.attendance(role));
    return found;
  }

  #refuseAgent(where: string, agentId: string, agent: NewAgent): void {
    checkedName(where, 'agentId', agentId);
    checkGiven(`${where}: the agent '${agentId}'`, agent, {
      capabilities: is.listOf(is.name),
      metadata: is.record,
      role: is.name,
      present: is.flag,
    });
    if (agent.role === undefined) return;
    if (this.#roles === undefined)
      throw new StateArgumentError(
        `${where}: the agent '${agentId}' has the role '${agent.role}', but this manager belongs to no kit, so nothing is known of roles. Use kit.teams.`,
        { agentId, role: agent.role },
      );
    if (agent.present === true)
      throw new StateArgumentError(
        `${where}: the agent '${agentId}' has the role '${agent.role}', so its workers say whether it is there. Leave 'present' out.`,
        { agentId, role: agent.role },
      );
  }

  async #member(teamId: string, agentId: string): Promise<AgentCoordinationState> {
    const found = (await this.#members(teamId)).find((member) => member.agentId === agentId);
    if (found === undefined) throw missing(`The team '${teamId}' has no member '${agentId}'`, { teamId, agentId });
    return found;
  }

  async #memberRow(teamId: string, agentId: string): Promise<MemberRow> {
    const store = await this.#place.store();
    const [entry] = await store.read(memberRows, [[this.#place.prefix, teamId, agentId]]);
    if (entry !== undefined) return entry.value;
    await this.#knownTeam(teamId);
    throw missing(`The team '${teamId}' has no member '${agentId}'. Add it with addAgent`, { teamId, agentId });
  }

  async #changeMember(
    teamId: string,
    agentId: string,
    change: (known: MemberRow | undefined, now: number) => Promise<MemberRow>,
    report?: (store: Store, now: number) => Promise<TransactionPart | undefined>,
  ): Promise<void> {
    const { prefix, clock } = this.#place;
    const key = [prefix, teamId, agentId];
    await this.#commit(`The member '${agentId}' of the team '${teamId}'`, async (store) => {
      const now = clock.now();
      const reported = await report?.(store, now);
      if (report !== undefined && reported === undefined) return undefined;
      const team = await this.#knownTeam(teamId);
      const [entry] = await store.read(memberRows, [key]);
      const value = await change(entry?.value, now);
      return mergeParts(reported, {
        checks: [
          { kind: 'revision', collection: teamRows, key: [prefix, teamId], revision: team.revision },
          entry === undefined
            ? { kind: 'absent', collection: memberRows, key }
            : { kind: 'revision', collection: memberRows, key, revision: entry.revision },
        ],
        writes: [{ kind: 'put', collection: memberRows, key, value }],
      });
    });
  }

  async #commit(what: string, plan: (store: Store) => Promise<Partial<TransactionPart> | undefined>): Promise<void> {
    await this.#changes.make(what, async (store) => ({ value: undefined, part: await plan(store) }));
  }

  #memberWrite(teamId: string, agentId: string, agent: NewAgent, joined: number) {
    const { capabilities = [], metadata = {}, role } = agent;
    return {
      kind: 'put' as const,
      collection: memberRows,
      key: [this.#place.prefix, teamId, agentId],
      value: { capabilities, metadata, joined, ...(role === undefined ? {} : { role }) } satisfies MemberRow,
    };
  }

  async #refuseFull(teamId: string): Promise<void> {
    const store = await this.#place.store();
    const range = { prefix: [this.#place.prefix, teamId] };
    const { entries } = await store.scan(memberRows, range, { limit: maxMembers });
    if (entries.length === maxMembers)
      throw new StateArgumentError(`addAgent: the team '${teamId}' has ${maxMembers} members already.`, { teamId });
  }

  async #finishDeleting(store: Store, teamId: string): Promise<void> {
    const range = { prefix: [this.#place.prefix, teamId] };
    for (const collection of [queueItems, taskRows, endedRows, countRows, memberRows, presenceItems, teamRows])
      await removeRange(store, collection, range);
  }

  async #teamRow(teamId: string): Promise<Entry<TeamRow> | undefined> {
    const store = await this.#place.store();
    const [entry] = await store.read(teamRows, [[this.#place.prefix, teamId]]);
    return entry?.value.isDeleted === true ? undefined : entry;
  }

  async #knownTeam(teamId: string): Promise<Entry<TeamRow>> {
    const entry = await this.#teamRow(teamId);
    if (entry === undefined) throw missing(`There is no team '${teamId}'. Make it with createTeam`, { teamId });
    return entry;
  }

  async #knownTask(teamId: string, taskId: string): Promise<KnownTask> {
    const known = await this.#queue.find(teamId, taskId);
    if (known === undefined) throw missing(`The team '${teamId}' has no task '${taskId}'`, { teamId, taskId });
    return known;
  }

  async #mustGetTask(teamId: string, taskId: string): Promise<TeamTask> {
    const task = await this.getTask(teamId, taskId);
    if (task === undefined) throw missing(`The team '${teamId}' has no task '${taskId}'`, { teamId, taskId });
    return task;
  }
}

/** What a report makes of a task; without an outcome it is pending again. */
interface EndChange {
  readonly row: TaskRow;
  readonly outcome: 'completed' | 'failed' | 'cancelled' | undefined;
  readonly result?: unknown;
}

const busyReports: ReadonlySet<string> = new Set(['working', 'busy', 'running']);

function memberOf(
  agentId: string,
  row: MemberRow,
  tasks: readonly string[],
  processes: ReadonlySet<string> | undefined,
  attendance: RoleAttendance | undefined,
): AgentCoordinationState {
  const { reported } = row;
  // What a dead process said of a member does not keep it busy.
  const current = reported !== undefined && processes?.has(reported.by) === true ? reported : undefined;
  const jobs = attendance?.jobs ?? [];
  const isWorking = tasks.length > 0 || jobs.length > 0;
  const isBusy = isWorking || (current !== undefined && busyReports.has(current.status));
  const isThere = processes !== undefined || tasks.length > 0 || attendance?.isAttended === true;
  const availability = !isThere ? AgentAvailability.GONE : isBusy ? AgentAvailability.BUSY : AgentAvailability.IDLE;
  return {
    agentId,
    role: row.role,
    availability,
    status: !isThere ? 'gone' : isWorking ? 'working' : (current?.status ?? 'idle'),
    capabilities: row.capabilities,
    currentTask: tasks[0] ?? current?.currentTask,
    tasks,
    jobs,
    reported: reported && {
      status: reported.status,
      currentTask: reported.currentTask,
      time: new Date(reported.time),
    },
    joinedAt: new Date(row.joined),
    metadata: row.metadata,
  };
}

function summaryOf(teamId: string, { name, created, metadata }: TeamRow): TeamSummary {
  return { teamId, name, createdAt: new Date(created), metadata };
}

/** A role of a kit is there while its workers are. */
function isSpokenFor({ present, role }: NewAgent): boolean {
  return present ?? role === undefined;
}

function refuseNames(where: string, names: Readonly<Record<string, unknown>>): void {
  for (const [what, value] of Object.entries(names)) checkedName(where, what, value);
}

function missing(what: string, details: Readonly<Record<string, unknown>>): StateNotFoundError {
  return new StateNotFoundError(`${what}.`, details);
}

function nameOf(teamId: string, taskId: string): string {
  return JSON.stringify([teamId, taskId]);
}
