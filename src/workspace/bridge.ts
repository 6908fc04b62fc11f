// Answers what guest code asks of the host during a slice. Every message is checked as if an enemy had written it, and
// every answer is text. An answer begins with '=' (a value), '!' (an error to throw) or '~' (a future to wait for).
import { createHash } from 'node:crypto';
import { StatekError } from '../base/error.ts';
import { LimitError } from './errors.ts';
import { exposureOf } from './exposure.ts';
import type { HandleTable } from './handle-table.ts';
import { changeCollection } from './live-collection.ts';
import type { Operation } from './operations.ts';
import { decodeWire } from './wire-decode.ts';
import { encodeWire } from './wire-encode.ts';
import { WireDamagedError } from './wire-errors.ts';

/** A synchronous function returned a promise. */
export class PromiseReturnedError extends StatekError {
  readonly code = 'PROMISE_RETURNED';
}

/** What the slice does with requests that concern more than one object. */
export interface SliceRequests {
  print(level: string, values: readonly unknown[]): void;
  /** Records a call of an asynchronous function, to be started after the commit; returns the future's number. */
  startCall(token: string, method: string, parametersMessage: string): number;
  /** Records a timer, signal or question. */
  startFuture(kind: string, parameters: unknown): number;
  /** Calls a guest function that was handed over with the call under way. */
  callBack(id: number, parametersMessage: string): string;
}

export interface BridgeLimits {
  readonly maxValueBytes: number;
}

export class Bridge {
  readonly #handles: HandleTable;
  readonly #requests: SliceRequests;
  readonly #limits: BridgeLimits;
  #depth = 0;

  constructor(handles: HandleTable, requests: SliceRequests, limits: BridgeLimits) {
    this.#handles = handles;
    this.#requests = requests;
    this.#limits = limits;
  }

  answer(operation: Operation, text: string): string {
    try {
      return this.#dispatch(operation, text);
    } catch (error) {
      // A limit is not the guest's to catch: it ends the slice.
      if (error instanceof LimitError) throw error;
      return `!${this.encode(crossing(error))}`;
    }
  }

  #dispatch(operation: Operation, text: string): string {
    switch (operation) {
      case 'shape':
        return `=${this.encode(this.#shape(text))}`;
      case 'get': {
        const end = text.indexOf('\n');
        return `=${this.encode(this.#get(text.slice(0, end), text.slice(end + 1)))}`;
      }
      case 'set': {
        const [token, name, value] = this.#parameters(text, 3);
        this.#set(String(token), String(name), value);
        return '=[["u"]]';
      }
      case 'call':
        return this.#call(text);
      case 'collection': {
        const [token, change, parameters] = this.#parameters(text, 3);
        const target = this.#handles.objectFor(String(token));
        if (!Array.isArray(parameters)) throw new WireDamagedError('A collection request has no parameters.');
        return `=${this.encode(changeCollection(target, exposureOf(target).form, String(change), parameters))}`;
      }
      case 'print': {
        const end = text.indexOf('\n');
        const values = this.#decode(text.slice(end + 1));
        this.#requests.print(text.slice(0, end), Array.isArray(values) ? values : []);
        return '=[["u"]]';
      }
      case 'future': {
        const [kind, parameters] = this.#parameters(text, 2);
        return `=[${this.#requests.startFuture(String(kind), parameters)}]`;
      }
      default:
        throw new WireDamagedError('There is no such request.');
    }
  }

  #shape(token: string): object {
    const exposure = exposureOf(this.#handles.objectFor(token));
    // Handles with the same members share their getters and methods in the guest, in whichever process they were made.
    return { ...exposure, kind: createHash('sha256').update(JSON.stringify(exposure)).digest('base64url') };
  }

  #get(token: string, name: string): unknown {
    const target = this.#handles.objectFor(token) as Record<string, unknown>;
    if (!exposureOf(target).fields.some((field) => field.name === name))
      throw new TypeError(`${exposureOf(target).name} has no field '${name}'.`);
    return target[name];
  }

  #set(token: string, name: string, value: unknown): void {
    const target = this.#handles.objectFor(token) as Record<string, unknown>;
    const field = exposureOf(target).fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new TypeError(`${exposureOf(target).name} has no field '${name}'.`);
    if (!field.writable) throw new TypeError(`The field '${name}' of ${exposureOf(target).name} is read-only.`);
    target[name] = value;
  }

  #call(text: string): string {
    const [token, method, parameters] = this.#parameters(text, 3);
    if (!Array.isArray(parameters)) throw new WireDamagedError('A call has no parameters.');
    const target = this.#handles.objectFor(String(token));
    const called = callable(target, String(method));
    if (isAsynchronous(called)) {
      // What it was called with is kept as it crossed, so that it can be started in any process.
      return `~${this.#requests.startCall(String(token), String(method), this.encode(parameters))}`;
    }
    this.#depth++;
    try {
      const result: unknown = Reflect.apply(called, method === '' ? undefined : target, parameters);
      if (result instanceof Promise) {
        result.catch(() => undefined);
        throw new PromiseReturnedError(
          `${describe(target, String(method))} returned a promise, but is not declared async. Declare it async, so that the call is recorded before it is made.`,
          { method },
        );
      }
      return `=${this.encode(iterated(result))}`;
    } finally {
      this.#depth--;
    }
  }

  #parameters(text: string, count: number): unknown[] {
    const values = this.#decode(text);
    if (!Array.isArray(values) || values.length !== count)
      throw new WireDamagedError(`A request needs ${count} parameters.`);
    return values;
  }

  #decode(text: string): unknown {
    return decodeWire(text, {
      maxBytes: this.#limits.maxValueBytes,
      handle: (token) => this.#handles.objectFor(token),
      callback: (id) => this.#callback(id),
    });
  }

  #callback(id: number): (...parameters: unknown[]) => unknown {
    const depth = this.#depth;
    return (...parameters) => {
      if (this.#depth <= depth)
        throw new TypeError('A function of the guest can be called only while the call it was handed to lasts.');
      return this.#decode(this.#requests.callBack(id, this.encode(parameters)));
    };
  }

  /** The message for a value of the host's. */
  encode(value: unknown): string {
    return encodeWire(value, {
      maxBytes: this.#limits.maxValueBytes,
      handleFor: (object) => this.#handles.tokenFor(object),
    });
  }
}

export function callable(target: object, method: string): (...parameters: unknown[]) => unknown {
  const exposure = exposureOf(target);
  if (method === '') {
    if (typeof target === 'function') return target as (...parameters: unknown[]) => unknown;
    throw new TypeError(`${exposure.name} is not a function.`);
  }
  if (!exposure.methods.includes(method)) throw new TypeError(`${exposure.name} has no method '${method}'.`);
  return (target as Record<string, (...parameters: unknown[]) => unknown>)[method] as (
    ...parameters: unknown[]
  ) => unknown;
}

const AsyncFunction = (async () => undefined).constructor;

function isAsynchronous(called: (...parameters: unknown[]) => unknown): boolean {
  return called instanceof AsyncFunction;
}

// Iterators are for one use and one process; what they give is not.
function iterated(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const isIterator = Symbol.iterator in result && typeof (result as { next?: unknown }).next === 'function';
  return isIterator ? [...(result as unknown as Iterable<unknown>)] : result;
}

// A host error is rebuilt in the guest from its name and message; nothing of the host goes with it.
function crossing(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function describe(target: object, method: string): string {
  const { name } = exposureOf(target);
  return method === '' ? name : `${name}.${method}`;
}
