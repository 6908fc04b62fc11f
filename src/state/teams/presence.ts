// Who speaks for a member: each process that does holds a lease of its own for it, so a member is there while one of them lives.
import { randomUUID } from 'node:crypto';
import { mustCommit, type Lease } from '../../store/door.ts';
import { StateConflictError } from '../foundation/errors.ts';
import type { LeaseKeeper } from '../foundation/lease-keeper.ts';
import type { Place } from '../foundation/place.ts';
import { presenceItems } from './rows.ts';

const tries = 10;

export class Presence {
  /** This process among those that speak for a member. */
  readonly id: string = randomUUID();
  readonly #place: Place;
  readonly #keeper: LeaseKeeper;
  readonly #announced = new Map<string, Promise<Lease>>();

  constructor(place: Place, keeper: LeaseKeeper) {
    this.#place = place;
    this.#keeper = keeper;
  }

  /** From now on this process speaks for the member. */
  async announce(team: string, agent: string): Promise<void> {
    const name = nameOf(team, agent);
    let announced = this.#announced.get(name);
    if (announced === undefined) {
      announced = this.#claim(team, agent, name);
      this.#announced.set(name, announced);
      announced.catch(() => this.#announced.delete(name));
    }
    await announced;
  }

  speaksFor(team: string, agent: string): boolean {
    return this.#announced.has(nameOf(team, agent));
  }

  /** Stops speaking for the member. */
  async leave(team: string, agent: string): Promise<void> {
    const announced = this.#announced.get(nameOf(team, agent));
    if (announced === undefined) return;
    this.#announced.delete(nameOf(team, agent));
    const lease = await announced;
    this.#keeper.drop(lease);
    const store = await this.#place.store();
    await store.commit([{ writes: [{ kind: 'remove', collection: presenceItems, key: lease.key }] }]);
  }

  /** Takes back every word, at the end of this manager. */
  async leaveAll(): Promise<void> {
    const leases = await Promise.allSettled(this.#announced.values());
    this.#announced.clear();
    const held = leases.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (held.length === 0) return;
    for (const lease of held) this.#keeper.drop(lease);
    const store = await this.#place.store();
    await store.commit([
      { writes: held.map(({ key }) => ({ kind: 'remove' as const, collection: presenceItems, key })) },
    ]);
  }

  /** For each member of a team that is there: the processes that speak for it. */
  async living(team: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const found = new Map<string, Set<string>>();
    for (const { key } of await this.#keeper.live(presenceItems, { prefix: [this.#place.prefix, team] })) {
      const agent = key[2] as string;
      const processes = found.get(agent) ?? new Set();
      found.set(agent, processes.add(key[3] as string));
    }
    return found;
  }

  async #claim(team: string, agent: string, name: string): Promise<Lease> {
    const store = await this.#place.store();
    const key = [this.#place.prefix, team, agent, this.id];
    for (let tried = 0; tried < tries; tried++) {
      await mustCommit(store, { writes: [{ kind: 'put', collection: presenceItems, key, value: {} }] });
      // Whoever removes the items of dead processes may meet ours before it is claimed.
      const [claimed] = await this.#keeper.claim(presenceItems, { prefix: key }, () => this.#announced.delete(name));
      if (claimed === undefined) continue;
      await this.#forgetDead(team, agent);
      return claimed.lease;
    }
    throw new StateConflictError(`The presence of '${agent}' in the team '${team}' could not be claimed. Try again.`, {
      team,
      agent,
    });
  }

  /** Removes what processes left behind that died. */
  async #forgetDead(team: string, agent: string): Promise<void> {
    const store = await this.#place.store();
    const range = { prefix: [this.#place.prefix, team, agent] };
    const { entries } = await store.scan(presenceItems, range);
    if (entries.length < 2) return;
    const living = new Set((await this.#keeper.live(presenceItems, range)).map(({ key }) => key[3] as string));
    const dead = entries.filter(({ key }) => !living.has(key[3] as string));
    await store.commit(
      dead.map(({ key, revision }) => ({
        checks: [{ kind: 'revision' as const, collection: presenceItems, key, revision }],
        writes: [{ kind: 'remove' as const, collection: presenceItems, key }],
      })),
    );
  }
}

function nameOf(team: string, agent: string): string {
  return JSON.stringify([team, agent]);
}
