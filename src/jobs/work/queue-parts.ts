// The parts of the queues that this process may take jobs from, in the order in which they have their turn: whoever was served
// goes to the end. New parts are heard of through the change feed; looking through the queue finds those that were not.
import type { Key, Range, Store } from '../../store/door.ts';
import { mayTake, standingAt } from '../queue-place.ts';
import { jobWorkRows, type QueuePart } from '../rows.ts';

/** A queue, or a part of one. */
export interface ServedPart {
  readonly role: string;
  /** Undefined for the queue itself. */
  readonly part: QueuePart | undefined;
  readonly range: Range;
}

export class QueueParts {
  readonly #store: Store;
  readonly #versionOf: (role: string) => string | undefined;
  readonly #known = new Map<string, Map<string, ServedPart>>();
  readonly #looked = new Set<string>();

  constructor(store: Store, versionOf: (role: string) => string | undefined) {
    this.#store = store;
    this.#versionOf = versionOf;
  }

  /** Something was put into a queue, or was given back. */
  heard(key: Key): void {
    const { role, part } = standingAt(key);
    if (part !== undefined) this.#add(role, part);
  }

  /** What was heard so far may not be all: the next one who asks looks through the queues. */
  lookAgain(): void {
    this.#looked.clear();
  }

  /** The parts of a role's queue that may have something to take, whoever has waited longest for its turn first. */
  async of(role: string): Promise<readonly ServedPart[]> {
    if (!this.#looked.has(role)) {
      this.#looked.add(role);
      try {
        await this.#look(role);
      } catch (error) {
        this.#looked.delete(role);
        throw error;
      }
    }
    return [...this.#partsOf(role).values()];
  }

  /** A part had its turn. If it is used up, it comes back when it is heard of. */
  served(served: ServedPart, isUsedUp: boolean): void {
    const { role, part } = served;
    const parts = this.#partsOf(role);
    const name = nameOf(part);
    parts.delete(name);
    if (!isUsedUp || part === undefined) parts.set(name, served);
  }

  /** One read for each part, however many jobs stand in it. */
  async #look(role: string): Promise<void> {
    let from: Key = [role, ''];
    for (;;) {
      const { entries } = await this.#store.scan(jobWorkRows, { prefix: [role], from }, { limit: 1 });
      const [entry] = entries;
      if (entry === undefined) return;
      const { part } = standingAt(entry.key);
      if (part === undefined) return;
      this.#add(role, part);
      // Texts come after numbers, so this is the end of the part.
      from = [role, ...part, ''];
    }
  }

  #add(role: string, part: QueuePart): void {
    const parts = this.#partsOf(role);
    const name = nameOf(part);
    if (parts.has(name) || !mayTake(part, this.#versionOf(role))) return;
    parts.set(name, { role, part, range: { prefix: [role, ...part] } });
  }

  #partsOf(role: string): Map<string, ServedPart> {
    const known = this.#known.get(role);
    if (known !== undefined) return known;
    // Places are numbers, which come before the texts that parts begin with.
    const own: ServedPart = { role, part: undefined, range: { prefix: [role], to: [role, ''] } };
    const parts = new Map([[nameOf(undefined), own]]);
    this.#known.set(role, parts);
    return parts;
  }
}

function nameOf(part: QueuePart | undefined): string {
  return part === undefined ? '' : JSON.stringify(part);
}
