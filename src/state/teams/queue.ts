// The tasks of teams that have not ended: who may claim which, in which order, and what a claim writes.
import type { Check, Claimed, Key, Lease, Store, Transaction } from '../../store/door.ts';
import { conflictOver, pauseAfter } from '../foundation/changes.ts';
import type { LeaseKeeper } from '../foundation/lease-keeper.ts';
import type { Place } from '../foundation/place.ts';
import { counted, Counts } from './counts.ts';
import { TeamTaskStatus, type TeamTask } from './records.ts';
import { endedRows, itemKey, queueItems, taskRows, type Ended, type TaskRow } from './rows.ts';

const maxTries = 1000;
/** More capabilities than this at once are not listed in one answer. */
const maxLanes = 200;

/** A task this process works on. */
export interface OwnTask {
  readonly row: TaskRow;
  readonly lease: Lease;
}

export interface KnownTask {
  readonly row: TaskRow;
  readonly revision: number;
}

export class TaskQueue {
  readonly counts = new Counts();
  readonly #place: Place;
  readonly #keeper: LeaseKeeper;

  constructor(place: Place, keeper: LeaseKeeper) {
    this.#place = place;
    this.#keeper = keeper;
  }

  async find(team: string, task: string): Promise<KnownTask | undefined> {
    const store = await this.#place.store();
    const [entry] = await store.read(taskRows, [[this.#place.prefix, team, task]]);
    return entry && { row: entry.value, revision: entry.revision };
  }

  /** Tasks of a team that somebody works on: the row of each, and its lease. */
  async inProgress(
    team: string,
  ): Promise<readonly { readonly task: string; readonly row: TaskRow; readonly lease: Lease }[]> {
    const leases = await this.#keeper.live(queueItems, { prefix: [this.#place.prefix, team] });
    const rows = await this.#rows(
      team,
      leases.map(({ key }) => key[5] as string),
    );
    return leases.flatMap((lease, index) => {
      const row = rows[index];
      return row?.claim?.token === lease.token && row.ended === undefined
        ? [{ task: lease.key[5] as string, row, lease }]
        : [];
    });
  }

  /** The live lease of a task's item, if it has one. */
  async holder(team: string, task: string, row: TaskRow): Promise<Lease | undefined> {
    const key = itemKey(this.#place.prefix, team, task, row);
    return (await this.#keeper.live(queueItems, { prefix: key }))[0];
  }

  /** The first pending tasks, in the order of their claims. */
  async pending(team: string, limit: number, held: ReadonlySet<string>): Promise<readonly TeamTask[]> {
    if (limit === 0) return [];
    const keys: Key[] = [];
    for await (const lane of this.#lanes(team))
      keys.push(...(await this.#firstFree([this.#place.prefix, team, lane], limit, held)));
    const first = keys.toSorted(byOrder).slice(0, limit);
    const rows = await this.#rows(
      team,
      first.map((key) => key[5] as string),
    );
    return first.flatMap((key, index) => {
      const row = rows[index];
      return row === undefined ? [] : [taskOf(team, key[5] as string, row, TeamTaskStatus.PENDING)];
    });
  }

  async ended(team: string, outcome: Ended['outcome'], limit: number): Promise<readonly TeamTask[]> {
    if (limit === 0) return [];
    const store = await this.#place.store();
    const range = { prefix: [this.#place.prefix, team, outcome] };
    const { entries } = await store.scan(endedRows, range, { reverse: true, limit });
    const rows = await this.#rows(
      team,
      entries.map(({ key }) => key[4] as string),
    );
    return entries.flatMap(({ key }, index) => {
      const row = rows[index];
      return row === undefined ? [] : [taskOf(team, key[4] as string, row, outcome)];
    });
  }

  /** Claims the first task of these lanes, by priority and age; undefined if there is none. */
  async claim(
    team: string,
    agent: string,
    lanes: readonly string[],
    lost: (lease: Lease) => void,
  ): Promise<{ readonly task: string; readonly own: OwnTask } | undefined> {
    let isExpired = false;
    for (;;) {
      const range = await this.#next(team, lanes);
      const [claimed] = range === undefined ? [] : await this.#keeper.claim(queueItems, range, lost);
      if (claimed === undefined) {
        // The next task was there a moment ago: another process was faster.
        if (range !== undefined && lanes.length > 1) continue;
        if (isExpired) return undefined;
        await this.#keeper.expireDead(queueItems);
        isExpired = true;
        continue;
      }
      const own = await this.begin(team, agent, claimed);
      if (own !== undefined) return { task: claimed.entry.key[5] as string, own };
    }
  }

  /** Claims this one task; undefined if somebody works on it. */
  async claimItem(
    team: string,
    task: string,
    row: TaskRow,
    lost: (lease: Lease) => void,
  ): Promise<Claimed<unknown> | undefined> {
    await this.#keeper.expireDead(queueItems);
    const key = itemKey(this.#place.prefix, team, task, row);
    return (await this.#keeper.claim(queueItems, { prefix: key }, lost))[0];
  }

  /** Writes who has claimed a task. Undefined if it is not there any more, or has killed too many of its owners. */
  async begin(team: string, agent: string, { entry, lease }: Claimed<unknown>): Promise<OwnTask | undefined> {
    const task = entry.key[5] as string;
    const { prefix, clock } = this.#place;
    let own: OwnTask | undefined;
    const outcome = await this.counts.withSlot((slot) =>
      this.commit(async (store) => {
        const known = await this.find(team, task);
        if (known === undefined || known.row.ended !== undefined)
          return {
            leases: [{ lease, afterwards: 'release' }],
            writes: [{ kind: 'remove', collection: queueItems, key: entry.key }],
          };
        const { claim, ...before } = known.row;
        const ownersLost = before.ownersLost + (claim === undefined ? 0 : 1);
        if (ownersLost > before.maxOwnersLost) {
          own = undefined;
          const error = `${ownersLost} owners died or lost it.`;
          return this.endTransaction(store, team, task, known, slot, lease, {
            row: { ...before, ownersLost, error },
            ended: { outcome: 'failed', time: clock.now() },
          });
        }
        const row: TaskRow = {
          ...before,
          ownersLost,
          attempts: before.attempts + 1,
          claim: { agent, owner: lease.owner, token: lease.token, time: clock.now() },
        };
        own = { row, lease };
        return {
          leases: [{ lease, afterwards: 'keep' }],
          checks: [taskCheck(prefix, team, task, known.revision)],
          writes: [{ kind: 'put', collection: taskRows, key: [prefix, team, task], value: row }],
        };
      }),
    );
    if (outcome === 'committed' && own !== undefined) return own;
    this.#keeper.drop(lease);
    return undefined;
  }

  /** The end of a task: its row, the item of the queue, the index and the totals are one commit. */
  async endTransaction(
    store: Store,
    team: string,
    task: string,
    known: KnownTask,
    slot: number,
    lease: Lease,
    { row, ended }: { readonly row: TaskRow; readonly ended: Ended },
  ): Promise<Transaction> {
    const { prefix } = this.#place;
    const count = await counted(store, [prefix, team, slot], ended.outcome);
    return {
      leases: [{ lease, afterwards: 'release' }],
      checks: [taskCheck(prefix, team, task, known.revision), ...count.checks],
      writes: [
        { kind: 'remove', collection: queueItems, key: lease.key },
        { kind: 'put', collection: taskRows, key: [prefix, team, task], value: { ...row, ended } },
        { kind: 'put', collection: endedRows, key: [prefix, team, ended.outcome, ended.time, task], value: {} },
        ...count.writes,
      ],
    };
  }

  /** Plans and commits until nothing is in the way, or the lease is lost. */
  async commit(plan: (store: Store) => Promise<Transaction>): Promise<'committed' | 'lost'> {
    const store = await this.#place.store();
    for (let tried = 1; ; tried++) {
      const [result] = await store.commit([await plan(store)]);
      if (result?.status === 'committed') return 'committed';
      if (result?.conflict.kind === 'lease') return 'lost';
      if (tried === maxTries) throw conflictOver('The task', result?.conflict);
      await pauseAfter(tried);
    }
  }

  /** Where the next task is: the best of several lanes, or all of a single one. */
  async #next(team: string, lanes: readonly string[]): Promise<{ readonly prefix: Key } | undefined> {
    const { prefix } = this.#place;
    const [only] = lanes;
    if (lanes.length === 1 && only !== undefined) return { prefix: [prefix, team, only] };
    const held = new Set(
      (await this.#keeper.unexpired(queueItems, { prefix: [prefix, team] })).map(({ key }) => key[5] as string),
    );
    const first = await Promise.all(lanes.map((lane) => this.#firstFree([prefix, team, lane], 1, held)));
    const [best] = first.flat().toSorted(byOrder);
    // Anything of the same lane and priority will do: so processes that come at the same time do not all want the same task.
    return best && { prefix: best.slice(0, 4) };
  }

  /** The keys of the first items of a lane that nobody has claimed. */
  async #firstFree(lane: Key, limit: number, held: ReadonlySet<string>): Promise<readonly Key[]> {
    const store = await this.#place.store();
    const found: Key[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.scan(queueItems, { prefix: lane }, { limit: Math.min(limit + held.size, 1000), cursor });
      found.push(...page.entries.map(({ key }) => key).filter((key) => !held.has(key[5] as string)));
      ({ cursor } = page);
    } while (cursor !== undefined && found.length < limit);
    return found.slice(0, limit);
  }

  /** The lanes of a team that have items: from each, the next one is looked up. */
  async *#lanes(team: string): AsyncGenerator<string, void, undefined> {
    const store = await this.#place.store();
    const { prefix } = this.#place;
    let from: Key = [prefix, team];
    for (let count = 0; count < maxLanes; count++) {
      const { entries } = await store.scan(queueItems, { prefix: [prefix, team], from }, { limit: 1 });
      const lane = entries[0]?.key[2] as string | undefined;
      if (lane === undefined) return;
      yield lane;
      // Bytes sort after numbers, so this is behind every rank of the lane.
      from = [prefix, team, lane, new Uint8Array()];
    }
  }

  async #rows(team: string, tasks: readonly string[]): Promise<readonly (TaskRow | undefined)[]> {
    const store = await this.#place.store();
    const keys = tasks.map((task) => [this.#place.prefix, team, task]);
    return (await store.read(taskRows, keys)).map((entry) => entry?.value);
  }
}

export function taskCheck(prefix: string, team: string, task: string, revision: number): Check {
  return { kind: 'revision', collection: taskRows, key: [prefix, team, task], revision };
}

/** Priority, then age, then id. */
function byOrder(a: Key, b: Key): number {
  return (
    (a[3] as number) - (b[3] as number) ||
    (a[4] as number) - (b[4] as number) ||
    ((a[5] as string) < (b[5] as string) ? -1 : 1)
  );
}

/** A task as callers see it; its status follows from the row and its lease. */
export function taskOf(teamId: string, taskId: string, row: TaskRow, status: TeamTaskStatus): TeamTask {
  const { claim, ended } = row;
  const isPending = status === TeamTaskStatus.PENDING;
  return {
    teamId,
    taskId,
    type: row.type,
    data: row.data,
    priority: row.priority,
    capability: row.capability,
    status,
    assignedTo: row.assigned,
    agentId: isPending ? undefined : (ended?.agent ?? claim?.agent),
    createdAt: new Date(row.created),
    claimedAt: isPending || claim === undefined ? undefined : new Date(claim.time),
    endedAt: ended && new Date(ended.time),
    attempts: row.attempts,
    maxAttempts: row.maxAttempts,
    ownersLost: row.ownersLost,
    result: ended?.result,
    error: row.error,
  };
}

export function statusOf(row: TaskRow, lease: Lease | undefined): TeamTaskStatus {
  if (row.ended !== undefined) return row.ended.outcome;
  return lease !== undefined && row.claim?.token === lease.token ? TeamTaskStatus.IN_PROGRESS : TeamTaskStatus.PENDING;
}
