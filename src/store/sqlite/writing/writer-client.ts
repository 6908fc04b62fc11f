// The client of the writer thread: each call is a message, each answer settles a promise. The thread keeps the process
// alive only while an answer is pending.
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

  /** Resolves when the thread has opened the file. Earlier calls wait for it, and fail if it fails. */
  readonly opened: Promise<void>;

  constructor(settings: DatabaseSettings) {
    this.#thread = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: settings });
    this.#thread.on('message', (answer: WriterAnswer) => this.#settle(answer));
    const failed = (why: string, cause?: unknown): void => {
      const { file } = settings;
      const what = `The writer thread of ${file} ${why}.`;
      this.#end(
        new StoreUnknownOutcomeError(
          `${what} Running commits may or may not have happened. Reopen the store.`,
          { file },
          cause,
        ),
        new StoreUnavailableError(`${what} Nothing was written; reopen the store.`, { file }, cause),
      );
    };
    this.#thread.on('error', (error) => failed(`failed: ${String(error)}`, error));
    this.#thread.on('exit', (code) => {
      const closed = new StoreClosedError('The store is closed.');
      if (this.#closing) this.#end(closed, closed);
      else failed(`ended with code ${code}`);
    });
    this.opened = this.#open();
    // A caller that does not await this gets the error from its next call.
    this.opened.catch(() => undefined);
  }

  /** The thread is open and has no pending calls. */
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

  /** Opens a session on the thread. `lost` is called for each lease it could not keep. */
  async openSession(options: KeptSession, lost: (lease: StoredLease) => void): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    const id = ++this.#lastId;
    this.#lost.set(options.id, lost);
    this.#thread.postMessage({ id, session: 'open', options } satisfies SessionRequest);
    await this.#expect(id);
  }

  sendToSession(request: Exclude<SessionRequest, { readonly session: 'open' }>): void {
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
    // Reject pending calls now: without a file, the thread cannot answer them.
    if (answer.id === openingId) this.#end(error, error);
  }

  /** Rejects pending calls with one error and later calls with the other. */
  #end(pendingError: Error, laterError: Error): void {
    this.#ended ??= laterError;
    for (const { reject } of this.#pending.values()) reject(pendingError);
    this.#pending.clear();
  }
}
