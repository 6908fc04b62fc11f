// Lets one thread see whether another still reaches its event loop: a process whose main thread makes no progress must
// lose its leases, even if its other threads are fine.

const beatsPerLease = 8;

/** Used by the watched thread. */
export class ProgressBeat {
  readonly shared = new SharedArrayBuffer(8);
  readonly #words = new Int32Array(this.shared);
  readonly #timer: NodeJS.Timeout;

  constructor(leaseMilliseconds: number) {
    const beat = (): void => void Atomics.add(this.#words, 0, 1);
    this.#timer = setInterval(beat, Math.max(10, leaseMilliseconds / beatsPerLease));
    this.#timer.unref();
  }

  /** Announces that the next beat may take this long. */
  allow(milliseconds: number): void {
    Atomics.store(this.#words, 1, Math.min(milliseconds, 2 ** 31 - 1));
    Atomics.add(this.#words, 0, 1);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Used by the watching thread. */
export class ProgressWatch {
  readonly #words: Int32Array;
  readonly #patienceMilliseconds: number;
  #last = -1;
  #since = performance.now();

  constructor(shared: SharedArrayBuffer, patienceMilliseconds: number) {
    this.#words = new Int32Array(shared);
    this.#patienceMilliseconds = patienceMilliseconds;
  }

  /** Whether the other thread has reached its event loop in time. */
  isAlive(): boolean {
    const beats = Atomics.load(this.#words, 0);
    if (beats !== this.#last) {
      this.#last = beats;
      this.#since = performance.now();
    }
    return performance.now() - this.#since < Math.max(this.#patienceMilliseconds, Atomics.load(this.#words, 1));
  }
}
