// Owners whose sessions show no sign of life. A live process may lose its connection, so an owner counts as dead only after
// a grace period.
import type { CollectionId } from '../stored.ts';

// A live process that lost its connection is back within this time.
const graceMilliseconds = 200;

export class MissingOwners {
  /** Since when each is missing, by collection. */
  readonly #since = new Map<CollectionId, ReadonlyMap<string, number>>();

  /** Given those who are missing now, returns those who have been missing for too long. */
  longMissing(collection: CollectionId, owners: readonly string[]): readonly string[] {
    const now = performance.now();
    const before = this.#since.get(collection);
    const since = new Map(owners.map((owner) => [owner, before?.get(owner) ?? now]));
    this.#since.set(collection, since);
    return owners.filter((owner) => now - (since.get(owner) ?? now) >= graceMilliseconds);
  }
}
