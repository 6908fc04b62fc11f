// Changes that are made durable later, together. Each is kept as what it does, not as its result, so that a patch does not undo what
// other processes have changed until it is applied.
import type { Entries, Wish } from './entries.ts';

/** What is under a key. */
export interface Held {
  readonly value: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expires: number | null;
}

export interface Change {
  /** It does not matter what was there before. */
  readonly replaces: boolean;
  apply(current: Held | undefined): Wish;
}

export class Buffered {
  readonly #entries: Entries;
  #changes = new Map<string, Change[]>();
  /** Those that are being made durable; they still count until they are. */
  #leaving = new Map<string, Change[]>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  get isEmpty(): boolean {
    return this.#changes.size === 0 && this.#leaving.size === 0;
  }

  has(key: string): boolean {
    return this.#changes.has(key) || this.#leaving.has(key);
  }

  add(key: string, change: Change): void {
    const changes = this.#changes.get(key);
    if (changes === undefined || change.replaces) this.#changes.set(key, [change]);
    else changes.push(change);
  }

  /** What is under a key once its changes are durable. */
  over(key: string, current: Held | undefined): Held | undefined {
    const changes = [...(this.#leaving.get(key) ?? []), ...(this.#changes.get(key) ?? [])];
    return changes.reduce<Held | undefined>((held, change) => after(held, change.apply(held)), current);
  }

  /** Makes everything durable that was added before. What fails is tried again with the next flush. */
  flush(): Promise<void> {
    const next = this.#flushing.then(() => this.#flush());
    this.#flushing = next.catch(() => undefined);
    return next;
  }

  async #flush(): Promise<void> {
    const leaving = this.#changes;
    if (leaving.size === 0) return;
    this.#changes = new Map();
    this.#leaving = leaving;
    const results = await Promise.allSettled(
      [...leaving].map(async ([key, changes]) => {
        await this.#entries.change([key], ([found]) => [combined(changes, found)]);
        leaving.delete(key);
      }),
    );
    for (const [key, changes] of leaving) {
      const later = this.#changes.get(key);
      if (later?.[0]?.replaces !== true) this.#changes.set(key, [...changes, ...(later ?? [])]);
    }
    this.#leaving = new Map();
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

/** Several changes as one. */
function combined(
  changes: readonly Change[],
  found:
    | { readonly value: unknown; readonly metadata: Held['metadata']; readonly expires: Date | undefined }
    | undefined,
): Wish {
  const before: Held | undefined = found && {
    value: found.value,
    metadata: found.metadata,
    expires: found.expires?.getTime() ?? null,
  };
  const held = changes.reduce<Held | undefined>((current, change) => after(current, change.apply(current)), before);
  if (held === undefined) return before === undefined ? { kind: 'keep' } : { kind: 'remove' };
  return { kind: 'put', ...held };
}

function after(current: Held | undefined, wish: Wish): Held | undefined {
  if (wish.kind === 'keep') return current;
  return wish.kind === 'remove' ? undefined : { value: wish.value, metadata: wish.metadata, expires: wish.expires };
}
