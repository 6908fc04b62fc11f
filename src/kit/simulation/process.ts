// A simulated process: what it sees of the world comes late, may be lost, and stops when it is frozen or dead. Nothing in
// it knows; a promise that a dead process waits for never resolves.
import type { Clock } from '../../base/clock.ts';
import type { SimulatedClock } from '../../base/simulated-clock.ts';
import { StoreUnknownOutcomeError, type FollowOptions, type Store } from '../../store/door.ts';
import type { Faults } from '../../jobs/door.ts';
import type { SeededRandom } from './random.ts';

export interface Hazards {
  /** How likely a call of the store is to be late, and by how many milliseconds at most. */
  readonly delay: number;
  readonly longestDelay: number;
  /** How likely the answer to a commit is to be lost, though it was made. */
  readonly lostAnswer: number;
  /** How likely the process is to die at each of the named points. */
  readonly death: number;
}

export const safe: Hazards = { delay: 0, longestDelay: 0, lostAnswer: 0, death: 0 };

const calls = ['declare', 'revision', 'read', 'scan', 'commit', 'claim', 'renew', 'release', 'prune'] as const;

export class SimulatedProcess {
  readonly clock: Clock;
  readonly store: Store;
  readonly faults: Faults;
  readonly #time: SimulatedClock;
  readonly #random: SeededRandom;
  #hazards: Hazards;
  readonly #inner: Store;
  #dead = false;
  #frozen: Promise<void> | undefined;
  #thaw: (() => void) | undefined;
  #whenDead: () => void = () => undefined;

  constructor(inner: Store, time: SimulatedClock, random: SeededRandom, hazards: Hazards) {
    this.#inner = inner;
    this.#time = time;
    this.#random = random;
    this.#hazards = hazards;
    this.clock = { now: () => time.now(), after: (milliseconds, action) => this.#after(milliseconds, action) };
    this.store = this.#storeSeenFromHere();
    this.faults = {
      hit: async () => {
        if (this.#random.chance(this.#hazards.death)) this.die();
        await this.#gate();
      },
    };
  }

  get isDead(): boolean {
    return this.#dead;
  }

  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  die(): void {
    if (this.#dead) return;
    this.#dead = true;
    void this.#inner.close().catch(() => undefined);
    this.#whenDead();
  }

  /** Does something when the process dies, or at once if it is dead. */
  whenDead(action: () => void): void {
    this.#whenDead = action;
    if (this.#dead) action();
  }

  freeze(): void {
    this.#frozen ??= new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  thaw(): void {
    this.#thaw?.();
    this.#frozen = undefined;
  }

  /** From now on nothing goes wrong with it any more; its store is as slow as before. */
  spare(): void {
    this.#hazards = { ...this.#hazards, lostAnswer: 0, death: 0 };
    this.thaw();
  }

  /** Passes while the process lives and moves. */
  async #gate(): Promise<void> {
    while (!this.#dead && this.#frozen !== undefined) await this.#frozen;
    if (this.#dead) await new Promise(() => undefined);
  }

  #after(milliseconds: number, action: () => void): () => void {
    let isOff = false;
    const cancel = this.#time.after(milliseconds, () => {
      void this.#gate().then(() => (isOff ? undefined : action()));
    });
    return () => {
      isOff = true;
      cancel();
    };
  }

  async #late(): Promise<void> {
    await this.#gate();
    if (!this.#random.chance(this.#hazards.delay)) return;
    const milliseconds = this.#random.below(this.#hazards.longestDelay);
    await new Promise<void>((resolve) => this.#time.after(milliseconds, resolve));
    await this.#gate();
  }

  #storeSeenFromHere(): Store {
    const overrides: Partial<Store> = {
      synchronous: undefined,
      features: { ...this.#inner.features, synchronousReads: false, volatileMessages: false },
      follow: (options: FollowOptions) => this.#follow(options),
      verify: () => this.#inner.verify(),
      close: async () => {
        await this.#gate();
        this.die();
      },
    };
    for (const name of calls) {
      const late = async (...parameters: unknown[]): Promise<unknown> => {
        await this.#late();
        const call = this.#inner[name] as (...given: unknown[]) => Promise<unknown>;
        const result = await call.apply(this.#inner, parameters);
        await this.#late();
        if (name === 'commit' && this.#random.chance(this.#hazards.lostAnswer))
          throw new StoreUnknownOutcomeError('The simulated store did not answer.');
        return result;
      };
      Object.assign(overrides, { [name]: late });
    }
    return overrides as Store;
  }

  async *#follow(
    options: FollowOptions,
  ): ReturnType<Store['follow']> extends AsyncIterable<infer Item> ? AsyncGenerator<Item> : never {
    await this.#gate();
    for await (const changes of this.#inner.follow(options)) {
      await this.#late();
      yield changes;
    }
  }
}
