// Whether a thread still comes to its event loop, told to another thread: a process that makes no progress must give up what
// it holds, however well its other threads are.

const beatsPerLease = 8;

/** On the thread that is watched. */
export class ProgressBeat {
  readonly shared = new SharedArrayBuffer(8);
  readonly #words = new Int32Array(this.shared);
  readonly #timer: NodeJS.Timeout;

  constructor(leaseMilliseconds: number) {
    const beat = (): void => void Atomics.add(this.#words, 0, 1);
    this.#timer = setInterval(beat, Math.max(10, leaseMilliseconds / beatsPerLease));
    this.#timer.unref();
  }

  /** What begins now may take so long before the next beat. */
  allow(milliseconds: number): void {
    Atomics.store(this.#words, 1, Math.min(milliseconds, 2 ** 31 - 1));
    Atomics.add(this.#words, 0, 1);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** On the thread that watches. */
export class ProgressWatch {
  readonly #words: Int32Array;
  readonly #patienceMilliseconds: number;
  #last = -1;
  #since = performance.now();

  constructor(shared: SharedArrayBuffer, patienceMilliseconds: number) {
    this.#words = new Int32Array(shared);
    this.#patienceMilliseconds = patienceMilliseconds;
  }

  /** The other thread has come to its event loop within the time it is given. */
  isAlive(): boolean {
    const beats = Atomics.load(this.#words, 0);
    if (beats !== this.#last) {
      this.#last = beats;
      this.#since = performance.now();
    }
    return performance.now() - this.#since < Math.max(this.#patienceMilliseconds, Atomics.load(this.#words, 1));
  }
}
