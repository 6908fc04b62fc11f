// Reads that block the thread until they are answered. For code that cannot await and needs a row that is not loaded, when
// running it again for each such row would cost more than blocking.
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import type { BlockingEngineReads, EnginePage, EngineScan, KnownCollection } from '../engine.ts';
import { fromErrorMessage, StoreClosedError, StoreUnavailableError } from '../../errors.ts';
import type { EncodedKey } from '../../key.ts';
import type { Revision } from '../../store.ts';
import type { StoredEntry } from '../stored.ts';
import type { BlockingAnswer, BlockingRequest, BlockingThreadData } from './messages.ts';

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly answers: Int32Array;
}

/** What is needed to start the thread of an engine. */
export interface BlockingThread {
  /** A file that calls `answerReads`. */
  readonly file: URL;
  /** Sent to the thread. */
  readonly settings: object;
  /** How long the thread itself may take until it answers. */
  readonly maxMilliseconds: number;
}

export class BlockingReads implements BlockingEngineReads {
  readonly #options: BlockingThread;
  #thread: Thread | undefined;
  #isClosed = false;

  /** Undefined if the settings cannot be sent to another thread, such as a password function. */
  static tryCreate(thread: BlockingThread): BlockingReads | undefined {
    try {
      return new BlockingReads({ ...thread, settings: structuredClone(thread.settings) });
    } catch {
      return undefined;
    }
  }

  private constructor(options: BlockingThread) {
    this.#options = options;
  }

  read(
    collection: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): readonly (StoredEntry | undefined)[] {
    return this.#ask({ method: 'read', collection, keys, at }) as readonly (StoredEntry | undefined)[];
  }

  scan(collection: KnownCollection, scan: EngineScan): EnginePage {
    return this.#ask({ method: 'scan', collection, scan }) as EnginePage;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.worker.terminate();
  }

  #ask(request: BlockingRequest): unknown {
    if (this.#isClosed) throw new StoreClosedError('The store is closed.');
    const { port, answers } = (this.#thread ??= this.#start());
    const before = Atomics.load(answers, 0);
    port.postMessage(request);
    // The thread has its own timeouts; this one is for a thread that died.
    const maxWait = this.#options.maxMilliseconds + 5000;
    if (Atomics.wait(answers, 0, before, maxWait) === 'timed-out') {
      this.#drop();
      throw new StoreUnavailableError(
        `The database did not answer within ${maxWait} ms. Check that the server is running and reachable.`,
      );
    }
    const answer = receiveMessageOnPort(port)?.message as BlockingAnswer;
    if ('error' in answer) throw fromErrorMessage(answer.error);
    return answer.value;
  }

  #start(): Thread {
    const { port1, port2 } = new MessageChannel();
    const answers = new Int32Array(new SharedArrayBuffer(4));
    const workerData: BlockingThreadData = { settings: this.#options.settings, port: port2, answers };
    const worker = new Worker(this.#options.file, { workerData, transferList: [port2] });
    // The thread must neither keep the process alive nor end it; its errors reach the caller.
    worker.unref();
    worker.on('error', () => this.#drop());
    port1.unref();
    return { worker, port: port1, answers };
  }

  #drop(): void {
    void this.#thread?.worker.terminate();
    this.#thread = undefined;
  }
}
