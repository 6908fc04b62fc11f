// One run of the command line: what it was told, the kit it opened, and how it ends.
import type { Statek } from '../kit/statek.ts';
import { NotFoundError } from '../workspace/errors.ts';
import {
  isStoreThere,
  loadApplication,
  mustHaveStore,
  shownLocation,
  type Application,
} from './application/application.ts';
import type { Interrupted } from './line/errors.ts';
import type { Output } from './output/output.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly store?: string | undefined;
  readonly config?: string | undefined;
  readonly storeOnly?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly verbose?: boolean | undefined;
}

export class Session {
  readonly out: Output;
  readonly options: GlobalOptions;
  /** Where it was started; paths on the command line are relative to it. */
  readonly folder: string;
  readonly #stopping = new AbortController();
  #application: Promise<Application> | undefined;
  #kit: Statek | undefined;
  /** Milliseconds that calls under way get when the kit is closed. */
  graceMilliseconds = 5000;

  constructor(out: Output, options: GlobalOptions, folder: string) {
    this.out = out;
    this.options = options;
    this.folder = folder;
  }

  /** Aborted when the process is to end. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  interrupt(reason: Interrupted): void {
    this.#stopping.abort(reason);
  }

  application(): Promise<Application> {
    const { store, config, storeOnly } = this.options;
    this.#application ??= loadApplication({ folder: this.folder, store, config, storeOnly });
    return this.#application;
  }

  /** The opened kit. `look`: a store that was named and is not there is an error, instead of being made. */
  async kit(purpose: 'look' | 'work'): Promise<Statek> {
    if (this.#kit !== undefined) return this.#kit;
    const application = await this.application();
    const { location, source } = mustHaveStore(application);
    if (purpose === 'look' && source !== 'configuration file' && typeof location === 'string')
      if (isStoreThere(location) === false)
        throw new NotFoundError(`There is no store at ${shownLocation(location)}. Check the path.`, { location });
    const { Statek: Kit } = await import('../kit/statek.ts');
    this.#kit = await Kit.open({ ...application.config, store: location });
    return this.#kit;
  }

  /** What a promise gives, unless the process is to end before; then it throws `Interrupted`. */
  async unlessInterrupted<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this;
    let stop = (): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason as Interrupted);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
    work.catch(() => undefined);
    try {
      return await Promise.race([work, stopped]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    const kit = this.#kit;
    this.#kit = undefined;
    if (kit === undefined) return;
    await kit.close({ graceMilliseconds: this.graceMilliseconds });
    // A store that the configuration opened is closed with it.
    const { store } = kit;
    await store.close().catch(() => undefined);
  }
}
