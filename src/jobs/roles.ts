// Roles that some process works on. A job may hand work to any of them, also where the role's driver is not at hand, so
// every process says which ones it has, and remembers what others have said.
import { mustCommit, scanAll, type Store } from '../store/door.ts';
import type { Driver } from './driver.ts';
import { roleRows, type RoleRow } from './rows.ts';

export class KnownRoles {
  readonly #store: Store;
  #others: ReadonlyMap<string, RoleRow> = new Map();

  constructor(store: Store) {
    this.#store = store;
  }

  /** What is known of a role that this process has no driver of. */
  get(role: string): RoleRow | undefined {
    return this.#others.get(role);
  }

  /** All that is known, of this process and others. */
  all(): Iterable<readonly [role: string, row: RoleRow]> {
    return this.#others;
  }

  /** Looks again at what all processes have said. */
  async look(): Promise<void> {
    const found = new Map<string, RoleRow>();
    for await (const { key, value } of scanAll(this.#store, roleRows, {})) found.set(String(key[0]), value);
    this.#others = found;
  }

  /** Says which roles this process has drivers of. */
  async announce(drivers: Iterable<Driver>): Promise<void> {
    await this.look();
    const news = [...drivers]
      .map(({ role, options, about, reopens }) => ({
        role,
        row: {
          ...(reopens === true ? { reopens } : {}),
          ...(options === undefined ? {} : { options: [...options] }),
          ...(about === undefined
            ? {}
            : { about: { description: about.description, capabilities: [...about.capabilities] } }),
        },
      }))
      .filter(({ role, row }) => JSON.stringify(this.#others.get(role)) !== JSON.stringify(row));
    if (news.length === 0) return;
    await mustCommit(this.#store, {
      writes: news.map(({ role, row }) => ({ kind: 'put', collection: roleRows, key: [role], value: row })),
    });
    await this.look();
  }

  async forget(role: string): Promise<void> {
    await mustCommit(this.#store, { writes: [{ kind: 'remove', collection: roleRows, key: [role] }] });
    await this.look();
  }
}
