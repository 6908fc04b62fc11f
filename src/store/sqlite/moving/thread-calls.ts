// Calls from one thread to another: methods of an object that lives there, answered one after another.
import { Worker, type MessagePort } from 'node:worker_threads';
import { fromErrorMessage, StoreUnavailableError, toErrorMessage, type ErrorMessage } from '../../errors.ts';

interface Call {
  readonly method: string;
  readonly parameters: readonly unknown[];
}

type Answer = { readonly result: unknown } | { readonly error: ErrorMessage };

type Method = (...parameters: readonly unknown[]) => unknown;

/** Serves the methods of what `open` returns; the first answer tells whether it could be opened. `close` ends the thread. */
export function serveCalls(port: MessagePort, open: () => object, translated: (error: unknown) => unknown): void {
  let served: object | undefined;
  const answer = (action: () => unknown): void => {
    let message: Answer;
    try {
      message = { result: action() };
    } catch (error) {
      message = { error: toErrorMessage(translated(error)) };
    }
    port.postMessage(message);
  };
  answer(() => {
    served = open();
    return undefined;
  });
  port.on('message', ({ method, parameters }: Call) => {
    answer(() => (served as Record<string, Method | undefined> | undefined)?.[method]?.(...parameters));
    if (method === 'close') port.close();
  });
}

/** The other side. Calls wait for one another. */
export class ThreadCalls {
  readonly #thread: Worker;
  readonly #name: string;
  #last: Promise<unknown>;
  #settle: { resolve(result: unknown): void; reject(error: Error): void } | undefined;
  #ended: Error | undefined;

  constructor(file: URL, workerData: unknown, name: string) {
    this.#name = name;
    this.#thread = new Worker(file, { workerData });
    this.#thread.on('message', (answer: Answer) => {
      if ('error' in answer) this.#settle?.reject(fromErrorMessage(answer.error));
      else this.#settle?.resolve(answer.result);
    });
    this.#thread.on('error', (error) => this.#end(String(error)));
    this.#thread.on('exit', (code) => this.#end(`ended with code ${code}`));
    this.#last = this.#answered();
    this.#last.catch(() => undefined);
  }

  /** Rejects if the other side could not open what it serves. */
  get opened(): Promise<unknown> {
    return this.#last;
  }

  call<Result>(method: string, ...parameters: readonly unknown[]): Promise<Result> {
    const result = this.#last.then(() => {
      if (this.#ended !== undefined) throw this.#ended;
      this.#thread.postMessage({ method, parameters } satisfies Call);
      return this.#answered();
    });
    this.#last = result.catch(() => undefined);
    return result as Promise<Result>;
  }

  async close(): Promise<void> {
    try {
      await this.call('close');
    } catch {
      // It has ended already.
    } finally {
      await this.#thread.terminate();
    }
  }

  #answered(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  #end(why: string): void {
    this.#ended ??= new StoreUnavailableError(`${this.#name}: ${why}.`);
    this.#settle?.reject(this.#ended);
  }
}
