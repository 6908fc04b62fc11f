// Which roles a process works on while it has nothing to do. Only roles that somebody has asked for are attended, so that a worker of
// which nobody wants to know holds no lease: the question is an item of its own, which every worker hears of.
import { randomUUID } from 'node:crypto';
import { mustCommit, type Key, type Store } from '../../store/door.ts';
import type { Tenancy } from '../../workspace/door.ts';
import { attendanceItems, jobWorkRows } from '../rows.ts';
import type { JobSystem } from '../system.ts';

/** Who works on a role, and on which of its jobs. */
export interface RoleAttendance {
  /** A living process works on the role, or on one of its jobs. */
  readonly isAttended: boolean;
  /** Jobs that are worked on now, each under a live lease. */
  readonly jobs: readonly string[];
}

const tries = 10;

export class Attendance {
  readonly #system: JobSystem;
  readonly #id = randomUUID();
  readonly #attended = new Map<string, Tenancy>();
  #looking: Promise<void> | undefined;
  #isWanted = false;
  #hasLeft = false;

  constructor(system: JobSystem) {
    this.#system = system;
  }

  /** Says of each role that somebody has asked for that this process works on it. */
  look(): Promise<void> {
    this.#isWanted = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Takes it back, at the end of a worker. A store that is out of reach lets the leases expire. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#looking;
    const { store, workspaces } = this.#system;
    const held = [...this.#attended.values()];
    this.#attended.clear();
    if (held.length === 0) return;
    for (const tenancy of held) workspaces.context.leases.vacate(tenancy);
    await store.commit(held.map(({ lease }) => removal(lease.key))).catch(() => undefined);
  }

  async #look(): Promise<void> {
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        const { store, drivers } = this.#system;
        const roles = drivers.roles().filter((role) => !this.#attended.has(role));
        if (roles.length === 0) return;
        const questions = await store.read(attendanceItems, roles.map(questionKey));
        for (const [index, role] of roles.entries()) if (questions[index] !== undefined) await this.#attend(role);
      }
    } catch {
      // The store is out of reach; the slow poll of the worker comes back to it.
    }
  }

  async #attend(role: string): Promise<void> {
    const { store, workspaces } = this.#system;
    const { leases } = workspaces.context;
    const { leaseMilliseconds } = leases;
    const key = [role, this.#id];
    for (let tried = 0; tried < tries && !this.#hasLeft; tried++) {
      await mustCommit(store, { writes: [{ kind: 'put', collection: attendanceItems, key, value: {} }] });
      const owner = await leases.owner();
      // Whoever removes what dead processes left may meet this item before it is claimed.
      const [claimed] = await store.claim(attendanceItems, {
        owner,
        leaseMilliseconds,
        limit: 1,
        range: { prefix: key },
      });
      if (claimed === undefined) continue;
      // No workspace has a name that begins with half of a pair.
      const tenancy = leases.adopt(`\ud802${role}`, claimed.lease, () => {
        this.#attended.delete(role);
        leases.vacate(tenancy);
      });
      this.#attended.set(role, tenancy);
      await forgetDead(store, role);
      return;
    }
  }
}

/** Asks whichever process works on a role to say so, from now on. */
export async function askForAttendance(store: Store, role: string): Promise<void> {
  const key = questionKey(role);
  const [known] = await store.read(attendanceItems, [key]);
  if (known !== undefined) return;
  await mustCommit(store, { writes: [{ kind: 'put', collection: attendanceItems, key, value: {} }] });
}

export function isQuestion(key: Key): boolean {
  return key[1] === '';
}

/** Who works on a role that was asked for. */
export async function attendanceOf({ store }: JobSystem, role: string): Promise<RoleAttendance> {
  await store.expireDead?.(attendanceItems);
  await store.expireDead?.(jobWorkRows);
  const range = { prefix: [role] };
  const [present, held] = await Promise.all([store.holders(attendanceItems, range), store.holders(jobWorkRows, range)]);
  const jobs = held.filter(({ isExpired }) => !isExpired).map(({ key }) => String(key.at(-1)));
  return { isAttended: jobs.length > 0 || present.some(({ isExpired }) => !isExpired), jobs };
}

function questionKey(role: string): Key {
  return [role, ''];
}

function removal(key: Key) {
  return { writes: [{ kind: 'remove' as const, collection: attendanceItems, key }] };
}

/** Removes what processes left behind that died. */
async function forgetDead(store: Store, role: string): Promise<void> {
  const range = { prefix: [role] };
  const { entries } = await store.scan(attendanceItems, range);
  const others = entries.filter(({ key }) => !isQuestion(key));
  if (others.length < 2) return;
  const held = await store.holders(attendanceItems, range);
  const living = new Set(held.filter(({ isExpired }) => !isExpired).map(({ key }) => String(key[1])));
  await store.commit(
    others
      .filter(({ key }) => !living.has(String(key[1])))
      .map(({ key, revision }) => ({
        checks: [{ kind: 'revision' as const, collection: attendanceItems, key, revision }],
        ...removal(key),
      })),
  );
}
