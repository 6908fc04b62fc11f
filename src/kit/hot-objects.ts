// Hot objects: durable objects over which slices and transactions conflicted most, so that they had to run again. Each process counts in
// memory and writes its counts down once a minute, in a row of its own for each hour, so that counting never conflicts with anything.
import { afterQuietly, type Clock } from '../base/clock.ts';
import { count } from '../base/telemetry.ts';
import { commonest, idText, nodeRows, typeOf, type Contention } from '../objects/door.ts';
import { recordCollection, type Store } from '../store/door.ts';

/** A durable object that many use at the same time. */
export interface HotObject {
  readonly id: string;
  /** Its class, or `array`, `map`, `set`, `object`, `index`; undefined if it is gone. */
  readonly type: string | undefined;
  /** How often something had to run again because the object had changed meanwhile, in the last 24 hours. */
  readonly conflicts: number;
}

/** [hour, process]: what a process counted in an hour. */
export const hotRows = recordCollection<{ readonly objects: readonly HotObject[] }>('hot_objects');
const hour = 3_600_000;
const betweenMilliseconds = 60_000;
const shownHours = 24;
/** Objects that are kept of a process and hour, and shown of all. */
const maxObjects = 100;
const removedAtOnce = 100;

export interface HotObjectsParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly contention: Contention;
  /** What this process is called in the store. */
  readonly name: string;
}

export class HotObjects {
  readonly #parts: HotObjectsParts;
  #hour = 0;
  /** What this process has counted in that hour. */
  #counted = new Map<string, HotObject>();
  #running = 0;

  constructor(parts: HotObjectsParts) {
    this.#parts = parts;
  }

  /** Writes counts down once a minute until a worker has ended. */
  begin(ended: Promise<void>): void {
    const own = ++this.#running;
    let cancel = (): void => undefined;
    const again = (): void => {
      cancel = afterQuietly(this.#parts.clock, betweenMilliseconds, () => {
        void this.write().finally(() => own === this.#running && again());
      });
    };
    again();
    const stop = (): void => {
      cancel();
      this.#running++;
    };
    ended.then(stop, stop);
  }

  /** Writes down what was counted since. Counts that cannot be written are missing in a list, and nothing else. */
  async write(): Promise<void> {
    const taken = this.#parts.contention.take();
    if (taken.length === 0) return;
    try {
      await this.#write(taken);
    } catch {
      // The store is out of reach; the counts of this hour are written with the next ones.
    }
  }

  async #write(taken: ReturnType<Contention['take']>): Promise<void> {
    const { store, clock, name } = this.#parts;
    await store.declare(hotRows);
    const now = Math.floor(clock.now() / hour);
    if (now !== this.#hour) this.#counted = new Map();
    this.#hour = now;
    const records = await store.read(
      nodeRows,
      taken.map(({ space, id }) => [space, id]),
    );
    for (const [index, { space, id, conflicts }] of taken.entries()) {
      const record = records[index]?.value;
      const text = idText(space, id);
      const type = record === undefined ? undefined : typeOf(record);
      count('statek.objects.conflicts', type === undefined ? {} : { class: type }, conflicts);
      const before = this.#counted.get(text)?.conflicts ?? 0;
      this.#counted.set(text, { id: text, type, conflicts: before + conflicts });
    }
    this.#counted = commonest(this.#counted, maxObjects);
    const old = await store.scan(hotRows, { to: [now - shownHours] }, { limit: removedAtOnce });
    await store.commit([
      {
        writes: [
          {
            kind: 'put',
            collection: hotRows,
            key: [now, name],
            value: { objects: [...this.#counted.values()].map(withoutUndefined) },
          },
          ...old.entries.map(({ key }) => ({ kind: 'remove' as const, collection: hotRows, key })),
        ],
      },
    ]);
  }

  /** Those of all processes, the hottest first. */
  async list(): Promise<readonly HotObject[]> {
    await this.write();
    const { store, clock } = this.#parts;
    await store.declare(hotRows);
    const sums = new Map<string, HotObject>();
    const from = [Math.floor(clock.now() / hour) - shownHours + 1];
    let cursor: string | undefined;
    do {
      const page = await store.scan(hotRows, { from }, { cursor });
      for (const { value } of page.entries)
        for (const { id, type, conflicts } of value.objects) {
          const before = sums.get(id);
          sums.set(id, { id, type: type ?? before?.type, conflicts: (before?.conflicts ?? 0) + conflicts });
        }
      ({ cursor } = page);
    } while (cursor !== undefined);
    return [...commonest(sums, maxObjects).values()];
  }
}

function withoutUndefined({ type, ...rest }: HotObject): HotObject {
  return type === undefined ? (rest as HotObject) : { type, ...rest };
}
