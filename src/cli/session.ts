// One run of the command line: its options, the kit it opened, and its interruption.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Statek } from '../kit/statek.ts';
import { NotFoundError } from '../workspace/errors.ts';
import {
  isPath,
  storeExists,
  loadApplication,
  mustHaveStore,
  shownLocation,
  type Application,
} from './application/application.ts';
import { configNames } from './application/find-config.ts';
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

export type TypedInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

export class Session {
  readonly out: Output;
  readonly options: GlobalOptions;
  /** The working directory at the start; paths on the command line are relative to it. */
  readonly folder: string;
  /** Where answers to prompts are read; undefined if nobody can be prompted. */
  readonly input: TypedInput | undefined;
  readonly #interruption = new AbortController();
  #application: Promise<Application> | undefined;
  #kit: Statek | undefined;
  /** How long running calls may take to finish when the kit is closed. */
  graceMilliseconds = 5000;

  constructor(out: Output, options: GlobalOptions, folder: string, input?: TypedInput) {
    this.out = out;
    this.options = options;
    this.folder = folder;
    this.input = input;
  }

  /** Aborted by ^C, SIGTERM, or a closed output. */
  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  interrupt(reason: Interrupted): void {
    this.#interruption.abort(reason);
  }

  application(): Promise<Application> {
    const { store, config, storeOnly } = this.options;
    this.#application ??= loadApplication({ folder: this.folder, store, config, storeOnly });
    return this.#application;
  }

  /** Uses a project or a store that an argument names, instead of those of the working directory. */
  openAt(place: string): void {
    const path = resolve(this.folder, place);
    const isProject = isPath(place) && configNames.some((name) => existsSync(join(path, name)));
    const { store, config, storeOnly } = this.options;
    this.#application = loadApplication(
      isProject ? { folder: path, store, storeOnly } : { folder: this.folder, store: place, config, storeOnly },
    );
  }

  /** Opens the kit on first use. With `look`, a missing store is an error; with `work`, it is created. */
  async kit(purpose: 'look' | 'work'): Promise<Statek> {
    if (this.#kit !== undefined) return this.#kit;
    const application = await this.application();
    const { location, source } = mustHaveStore(application);
    if (purpose === 'look' && source !== 'configuration file' && typeof location === 'string')
      if (storeExists(location) === false)
        throw new NotFoundError(`No store found at ${shownLocation(location)}. Check the path.`, { location });
    const { Statek: Kit } = await import('../kit/statek.ts');
    this.#kit = await Kit.open({ ...application.config, store: location });
    this.out.redactor = this.#kit.redactor;
    return this.#kit;
  }

  /** Waits for a promise; throws `Interrupted` if the process is interrupted first. */
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
    // The kit leaves a store open that the configuration file opened itself.
    const { store } = kit;
    await store.close().catch(() => undefined);
  }
}
