// Talks to the writer's thread: each call is a message, each answer settles a promise. The thread keeps the process
// alive only while an answer is due.
import { Worker } from 'node:worker_threads';
import { fromErrorMessage, StoreClosedError, StoreUnavailableError, StoreUnknownOutcomeError } from '../../errors.ts';
import type { DatabaseSettings } from '../database.ts';
import type { StoredLease } from '../../engine/stored.ts';
import type { KeptSession } from '../sessions/session-keeper.ts';
import {
  openingId,
  type SessionRequest,
  type WriterAnswer,
  type WriterMethod,
  type WriterRequest,
} from './writer-thread.ts';
import type { Writer } from './writer.ts';

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class WriterClient {
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #lost = new Map<string, (lease: StoredLease) => void>();
  #lastId = openingId;
  #ended: Error | undefined;
  #closing = false;
  #isOpen = false;

  /** Resolves when the thread has opened the file. What is asked of it earlier waits; if it cannot, that fails. */
  readonly opened: Promise<void>;

  constructor(settings: DatabaseSettings) {
    this.#thread = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: settings });
    this.#thread.on('message', (answer: WriterAnswer) => this.#settle(answer));
    const failed = (why: string, cause?: unknown): void => {
      const { file } = settings;
      const what = `The thread that writes ${file} ${why}.`;
      this.#end(
        new StoreUnknownOutcomeError(
          `${what} What was being committed may or may not be there. Open the store again.`,
          { file },
          cause,
        ),
        new StoreUnavailableError(`${what} Nothing was written; open the store again.`, { file }, cause),
      );
    };
    this.#thread.on('error', (error) => failed(`failed: ${String(error)}`, error));
    this.#thread.on('exit', (code) => {
      const closed = new StoreClosedError('The store was closed.');
      if (this.#closing) this.#end(closed, closed);
      else failed(`ended with code ${code}`);
    });
    this.opened = this.#open();
    // Whoever does not wait for it learns of a failure by what is asked for next.
    this.opened.catch(() => undefined);
  }

  /** It is open, and nothing was asked of it that it has not answered. */
  get isIdle(): boolean {
    return this.#isOpen && this.#pending.size === 0;
  }

  call<Method extends WriterMethod>(
    method: Method,
    ...parameters: Parameters<Writer[Method]>
  ): Promise<ReturnType<Writer[Method]>> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const request: WriterRequest = { id: ++this.#lastId, method, parameters };
    this.#thread.postMessage(request);
    return this.#expect(request.id) as Promise<ReturnType<Writer[Method]>>;
  }

  /** Begins a session on the thread; from then on `lost` hears of leases it could not keep. */
  async openSession(options: KeptSession, lost: (lease: StoredLease) => void): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    const id = ++this.#lastId;
    this.#lost.set(options.id, lost);
    this.#thread.postMessage({ id, session: 'open', options } satisfies SessionRequest);
    await this.#expect(id);
  }

  tellSession(request: Exclude<SessionRequest, { readonly session: 'open' }>): void {
    if (this.#ended === undefined) this.#thread.postMessage(request);
    if (request.session === 'close') this.#lost.delete(request.of);
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#thread.once('exit', resolve));
    if (this.#ended !== undefined) return;
    this.#closing = true;
    await this.call('close');
    this.#thread.ref();
    await exited;
  }

  async #open(): Promise<void> {
    try {
      await this.#expect(openingId);
      this.#isOpen = true;
    } catch (error) {
      await this.#thread.terminate();
      throw error;
    }
  }

  #expect(id: number): Promise<unknown> {
    if (this.#pending.size === 0) this.#thread.ref();
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  #settle(answer: WriterAnswer): void {
    if ('lost' in answer) {
      this.#lost.get(answer.of)?.(answer.lost);
      return;
    }
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (this.#pending.size === 0) this.#thread.unref();
    if (!('error' in answer)) {
      pending?.resolve(answer.result);
      return;
    }
    const error = fromErrorMessage(answer.error);
    pending?.reject(error);
    // At once: the thread would answer what it was asked meanwhile, and has no file to do it with.
    if (answer.id === openingId) this.#end(error, error);
  }

  /** What is under way ends with one error, what is asked for later with the other. */
  #end(underWay: Error, later: Error): void {
    this.#ended ??= later;
    for (const { reject } of this.#pending.values()) reject(underWay);
    this.#pending.clear();
  }
}
