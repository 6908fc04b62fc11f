// The connection pool. A connection on which anything fails is discarded and the next call gets a new one, so the engine
// recovers by itself when the server is back.
import { StoreClosedError, StoreUnavailableError, StoreUnknownOutcomeError } from '../errors.ts';
import type { Revision } from '../store.ts';
import { clientFor, type Client, type ClientLibrary } from './client.ts';
import {
  CommandTimeoutError,
  isAnswered,
  isLostConnection,
  isNoScript,
  isUnusableServer,
  storeFailure,
} from './failure.ts';
import type { SeenHistory } from './history.ts';
import type { ThreadSettings } from './options.ts';
import type { Script } from './scripts.ts';
import { checkServer, type Durability } from './server.ts';

export type Argument = string | Buffer;

/** The reply of a script after the state of the store. Texts are buffers. */
export type Reply = readonly unknown[];

export interface ScriptReply {
  readonly head: Revision;
  readonly horizon: Revision;
  readonly rest: Reply;
}

interface Pooled {
  readonly session: Session;
  /** When a connection is lost, older ones may be dead too; they are not used again. */
  readonly generation: number;
}

interface Idle extends Pooled {
  readonly since: number;
}

const idleMilliseconds = 30_000;

export class Connections {
  readonly #library: ClientLibrary;
  readonly #settings: ThreadSettings;
  readonly #uses = new Set<Promise<unknown>>();
  readonly #idle: Idle[] = [];
  readonly #waiting: (() => void)[] = [];
  #generation = 0;
  /** Connections in use or being opened. */
  #busy = 0;
  #cleanUp: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(library: ClientLibrary, settings: ThreadSettings) {
    this.#library = library;
    this.#settings = settings;
  }

  /** Runs `work` on a connection, which is dropped if it fails. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#counted(this.#use(work, false));
  }

  /** Like `use`, for idempotent work: if the connection turns out to be dead, retries once on another. */
  useWithRetry<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#counted(this.#use(work, true));
  }

  /** Waits for running work, then closes every connection. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled([...this.#uses]);
    clearTimeout(this.#cleanUp);
    for (const { session } of this.#idle.splice(0)) session.destroy();
  }

  async #use<T>(work: (session: Session) => Promise<T>, retry: boolean): Promise<T> {
    if (this.#closing) throw new StoreClosedError('The store is closed.');
    await this.#turn();
    let pooled: Pooled | undefined;
    let error: unknown;
    try {
      pooled = await this.#connection();
      const result = await work(pooled.session);
      this.#keep(pooled.session, pooled.generation);
      return result;
    } catch (failure) {
      error = failure;
      if (pooled !== undefined) this.#dropIfBroken(pooled.session, pooled.generation, failure);
    } finally {
      this.#leave();
    }
    if (!retry || pooled === undefined || !isLostConnection(error)) throw storeFailure(error, this.#settings.place);
    return this.#use(work, false);
  }

  // Closing waits for callers that still wait for a connection, so they are tracked here.
  #counted<T>(use: Promise<T>): Promise<T> {
    const counted = use.finally(() => this.#uses.delete(counted));
    this.#uses.add(counted);
    return counted;
  }

  /** Waits until fewer than `poolSize` connections are in use, and counts one more. */
  async #turn(): Promise<void> {
    const { poolSize, connectTimeout, place } = this.#settings;
    if (this.#busy < poolSize) {
      this.#busy++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(
          new StoreUnavailableError(
            `${place}: all ${poolSize} connections were in use for ${connectTimeout} ms. Raise poolSize, or run fewer operations at once.`,
            { place, poolSize },
          ),
        );
      }, connectTimeout);
      this.#waiting.push(enter);
    });
  }

  /** Whoever has waited longest is next, before anybody who comes now. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy--;
    else next();
  }

  async #connection(): Promise<Pooled> {
    for (let pooled = this.#idle.pop(); pooled !== undefined; pooled = this.#idle.pop()) {
      if (pooled.generation === this.#generation && pooled.session.isReady) {
        pooled.session.ref();
        return pooled;
      }
      pooled.session.destroy();
    }
    const generation = this.#generation;
    return { session: await Session.open(this.#library, this.#settings), generation };
  }

  #keep(session: Session, generation: number): void {
    if (generation !== this.#generation || !session.isReady || this.#closing) {
      session.destroy();
      return;
    }
    session.unref();
    this.#idle.push({ session, generation, since: performance.now() });
    this.#closeIdleLater();
  }

  #closeIdleLater(): void {
    if (this.#idle.length === 0) return;
    this.#cleanUp ??= setTimeout(() => {
      this.#cleanUp = undefined;
      const isOld = ({ since }: Idle): boolean => performance.now() - since >= idleMilliseconds;
      // The most recently used ones are at the end.
      while (this.#idle[0] !== undefined && isOld(this.#idle[0])) this.#idle.shift()?.session.destroy();
      this.#closeIdleLater();
    }, idleMilliseconds).unref();
  }

  #dropIfBroken(session: Session, generation: number, error: unknown): void {
    if (isAnswered(error) && !isUnusableServer(error)) {
      this.#keep(session, generation);
      return;
    }
    if (generation === this.#generation) this.#generation++;
    session.destroy();
  }
}

/** One connection in use. */
export class Session {
  readonly #client: Client;
  readonly #settings: ThreadSettings;
  readonly #durability: Durability;

  static async open(library: ClientLibrary, settings: ThreadSettings): Promise<Session> {
    const client = clientFor(library, settings);
    try {
      await within(client, settings.connectTimeout, client.connect());
      return new Session(
        client,
        settings,
        await within(client, settings.connectTimeout, checkServer(client, settings)),
      );
    } catch (error) {
      client.destroy();
      throw error;
    }
  }

  private constructor(client: Client, settings: ThreadSettings, durability: Durability) {
    this.#client = client;
    this.#settings = settings;
    this.#durability = durability;
  }

  get isReady(): boolean {
    return this.#client.isReady;
  }

  /** Lets the process end while the connection is idle. */
  unref(): void {
    this.#client.unref();
  }

  ref(): void {
    this.#client.ref();
  }

  destroy(): void {
    this.#client.destroy();
  }

  command<T>(words: readonly Argument[], extraMilliseconds = 0): Promise<T> {
    const { commandTimeout } = this.#settings;
    return within(this.#client, commandTimeout + extraMilliseconds, this.#client.sendCommand<T>(words));
  }

  /** Runs a script whose effect need not be durable when it returns. */
  async run(
    script: Script,
    history: SeenHistory,
    keys: readonly string[],
    words: readonly Argument[],
  ): Promise<ScriptReply> {
    try {
      return stateOf(history, await this.evaluate(script, keys, [...history.arguments(), ...words]));
    } catch (error) {
      const failure = storeFailure(error, this.#settings.place);
      history.failed(failure);
      throw failure === error || isLostConnection(error) ? error : failure;
    }
  }

  /** Runs a script and waits until its effect is durable. */
  async runDurably(
    script: Script,
    history: SeenHistory,
    keys: readonly string[],
    words: readonly Argument[],
  ): Promise<ScriptReply> {
    const reply = await this.run(script, history, keys, words);
    await this.durable();
    return reply;
  }

  /** Waits until everything written on this connection is durable. */
  async durable(): Promise<void> {
    if (this.#durability !== 'wait') return;
    const { commandTimeout, place } = this.#settings;
    const [local = 0] = await this.command<number[]>(['WAITAOF', '1', '0', String(commandTimeout)], commandTimeout);
    if (local >= 1) return;
    throw new StoreUnknownOutcomeError(
      `${place} wrote a commit, but did not sync it to its disk within ${commandTimeout} ms, so a crash may still undo it. Read the written keys before retrying.`,
      { place },
    );
  }

  evaluate(script: Script, keys: readonly string[], words: readonly Argument[]): Promise<Reply> {
    return evaluate((command) => this.command<Reply>(command), script, keys, words);
  }
}

/** Sends the script's hash, and its text only if the server does not know it. */
export async function evaluate(
  send: (command: readonly Argument[]) => Promise<Reply>,
  script: Script,
  keys: readonly string[],
  words: readonly Argument[],
): Promise<Reply> {
  const rest = [String(keys.length), ...keys, ...words];
  try {
    return await send(['EVALSHA', script.sha, ...rest]);
  } catch (error) {
    if (!isNoScript(error)) throw error;
  }
  return send(['EVAL', script.text, ...rest]);
}

function stateOf(history: SeenHistory, [head, mark, horizon, ...rest]: Reply): ScriptReply {
  history.saw(head as number, String(mark));
  return { head: head as number, horizon: horizon as number, rest };
}

/** Gives the connection up if there is no answer in time, because a late answer would belong to nobody. */
async function within<T>(client: Client, milliseconds: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CommandTimeoutError(`no answer within ${milliseconds} ms`));
      client.destroy();
    }, milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => undefined);
  }
}
