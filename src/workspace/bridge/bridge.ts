// Answers what guest code asks of the host during a slice. Every message is checked as if an enemy had written it, and
// every answer is text. An answer begins with '=' (a value), '!' (an error to throw) or '~' (a future to wait for).
import { createHash } from 'node:crypto';
import { StatekError } from '../../base/error.ts';
import { bindParameters, callOptionsOf, callWith, checkParameters, isAsync, needsApproval } from './call-options.ts';
import { LimitError, NotDurableError, ReadOnlyError } from '../errors.ts';
import { refuseOtherThanMember } from './enum-fields.ts';
import type { Exposure } from './exposed.ts';
import { exposureOf, isExposed } from './exposure.ts';
import { nameGuestFunction } from '../variables/guest-functions.ts';
import { constructorParametersOf, placed } from './function-parameters.ts';
import { BindingMissingError, type HandleTable } from './handle-table.ts';
import { nodeOf, Query, type ObjectGraph } from '../../objects/door.ts';
import { changeCollection, changeRecord, readRecord, writeRecord } from './live-collection.ts';
import { accessTo } from './object-exposure.ts';
import type { Operation, Plain, PlainOperation } from './operations.ts';
import { cutText } from '../wire/render.ts';
import type { RecordedCall } from '../rows.ts';
import { decodeWire, refuseLarge, type DecodeOptions } from '../wire/decode.ts';
import { encodeWire } from '../wire/encode.ts';
import { WireDamagedError } from '../wire/errors.ts';
import { receivedMessage, type WireMessage } from '../wire/wire.ts';

/** A synchronous function returned a promise. */
export class PromiseReturnedError extends StatekError {
  readonly code = 'PROMISE_RETURNED';
}

/** What the slice does with requests that concern more than one object. */
export interface SliceRequests {
  print(level: string, values: readonly unknown[]): void;
  /** Records a call of an asynchronous function, to be started after the commit; returns the future's number. */
  startCall(call: RecordedCall, needsApproval: boolean): number;
  /** Notes a call of a synchronous tool, for the journal of the slice. */
  called(
    token: string,
    call: { parameters(): WireMessage; readonly failed: boolean; readonly value: WireMessage; readonly began: number },
  ): void;
  /** The time, by the clock of the kit. */
  now(): number;
  /** Records a timer, signal or question. */
  startFuture(kind: string, parameters: unknown): number;
  /** Takes work the host did off the CPU time of the program, in units of ten nanoseconds. */
  spend(units: number): void;
  /** Ends the slice if its time is used up, or will be after so many milliseconds. */
  refuseIfOver(after?: number): void;
  /** Calls a guest function that was handed over with the call under way. */
  callBack(id: number, parameters: WireMessage): WireMessage;
}

export interface BridgeOptions {
  /** Told to tools that are called. */
  readonly workspace: string;
  readonly maxValueBytes: number;
  /** The durable objects whose changes belong to the slice. */
  readonly graph: ObjectGraph;
  /** The role whose code runs; classes may withhold members from it. */
  readonly role: string | undefined;
  /** Why an object cannot be used, if only durable ones can. */
  readonly refuseOthers?: ((token: string) => void) | undefined;
}

type NamedParameters = Readonly<Record<string, unknown>> | undefined;

const shapes = new WeakMap<Exposure, object>();

export class Bridge {
  readonly #handles: HandleTable;
  readonly #requests: SliceRequests;
  readonly #options: BridgeOptions;
  readonly #callbacks = new WeakSet<object>();
  readonly #refuseIfOver: (after?: number) => void;
  #depth = 0;

  constructor(handles: HandleTable, requests: SliceRequests, options: BridgeOptions) {
    this.#handles = handles;
    this.#requests = requests;
    this.#refuseIfOver = (after) => requests.refuseIfOver(after);
    this.#options = options;
  }

  answer(operation: Operation, text: string): string {
    return this.#within(() => this.#dispatch(operation, text));
  }

  answerPlain(operation: PlainOperation, values: readonly Plain[]): Plain {
    return this.#within(() => this.#dispatchPlain(operation, values));
  }

  #within<Answer>(dispatch: () => Answer): Answer | string {
    const transaction = this.#options.graph.transactionNow();
    // What must not stand goes no further, whoever caught what it was told.
    refuseDoomed(transaction);
    const savepoint = transaction.savepoint();
    try {
      return dispatch();
    } catch (error) {
      refuseDoomed(transaction);
      // What was asked for failed: what it changed of durable objects until then is undone.
      transaction.rollbackTo(savepoint);
      if (endsSlice(error)) throw error;
      return `!${this.encode(crossing(error, this.#options.maxValueBytes))}`;
    }
  }

  #dispatch(operation: Operation, text: string): string {
    switch (operation) {
      case 'shape':
        return `=${this.encode(this.#shape(text))}`;
      case 'get': {
        const end = text.indexOf('\n');
        const [token, name] = [text.slice(0, end), text.slice(end + 1)];
        return this.#field(token, name, (value) => `=${this.encode(value)}`);
      }
      case 'set': {
        const [token, name, value] = this.#parameters(text, 3);
        this.#set(String(token), String(name), value);
        return '=[["u"]]';
      }
      case 'call':
        return this.#call(...this.#callParts(text), (_value, message) => `=${message()}`);
      case 'collection':
        return `=${this.encode(this.#collection(text))}`;
      case 'construct':
        return `=${this.encode(this.#construct(text))}`;
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

  #dispatchPlain(operation: PlainOperation, [token, name, ...parameters]: readonly Plain[]): Plain {
    if (typeof token !== 'string' || typeof name !== 'string')
      throw new WireDamagedError('A request names an object and what is wanted of it.');
    if (operation === 'read')
      return this.#field(token, name, (value) => this.#plainAnswer(value, () => this.encode(value)));
    let size = 0;
    for (const value of parameters) if (typeof value === 'string') size += value.length;
    refuseLarge(size, this.#options.maxValueBytes);
    return this.#call(token, name, parameters, undefined, (value, message) => this.#plainAnswer(value, message));
  }

  /** A value as it is, if it is primitive and small; else its message. */
  #plainAnswer(value: unknown, message: () => WireMessage): Plain {
    switch (typeof value) {
      case 'number':
      case 'boolean':
      case 'undefined':
        return value;
      case 'string':
        // A character takes at most six bytes in a message.
        if (value.length * 6 < this.#options.maxValueBytes) return `"${value}`;
        break;
      default:
        if (value === null) return null;
    }
    return `=${message()}`;
  }

  /** The answer to a question for a field, which may be the name of a method. */
  #field<Answer>(token: string, name: string, answer: (value: unknown) => Answer): Answer | string {
    const value = this.#get(token, name);
    return typeof value === 'function' && this.#isMethod(token, name) ? `&${this.encode(value)}` : answer(value);
  }

  #shape(token: string): object {
    const exposure = this.#exposureOf(this.#objectFor(token));
    let shape = shapes.get(exposure);
    if (shape === undefined) {
      // Handles with the same members share their getters and methods in the guest, in whichever process they were made.
      const kind = createHash('sha256').update(JSON.stringify(exposure)).digest('base64url');
      shapes.set(exposure, (shape = { ...exposure, kind }));
    }
    return shape;
  }

  #exposureOf(target: object): Exposure {
    return exposureOf(target, this.#options.role);
  }

  #objectFor(token: string): object {
    this.#options.refuseOthers?.(token);
    return this.#handles.objectFor(token);
  }

  #collection(text: string): unknown {
    const [token, change, parameters] = this.#parameters(text, 3);
    const target = this.#objectFor(String(token));
    if (!Array.isArray(parameters)) throw new WireDamagedError('A collection request has no parameters.');
    const exposure = this.#exposureOf(target);
    if (exposure.form === 'record')
      return changeRecord(target, exposure.name, accessTo(target, this.#options.role), String(change), parameters);
    this.#requests.spend(workOf(target, String(change), parameters));
    return changeCollection(target, exposure, String(change), parameters);
  }

  /** Makes an object of a durable class, as part of the slice. */
  #construct(text: string): unknown {
    const [token, positional, named] = this.#namedParameters(text, 1);
    const target = this.#objectFor(String(token));
    const { form, name } = this.#exposureOf(target);
    if (form !== 'class' || typeof target !== 'function') throw new TypeError(`${name} is not a class.`);
    this.#depth++;
    try {
      const parameters =
        named === undefined ? positional : placed(constructorParametersOf(target as never), positional, named);
      return Reflect.construct(target, parameters) as unknown;
    } finally {
      this.#depth--;
    }
  }

  #get(token: string, name: string): unknown {
    const target = this.#objectFor(token) as Record<string, unknown>;
    const exposure = this.#exposureOf(target);
    if (exposure.form === 'record') return readRecord(target, accessTo(target, this.#options.role), name);
    if (!exposure.fields.some((field) => field.name === name))
      throw new TypeError(`${exposure.name} has no field '${name}'.`);
    return target[name];
  }

  /** A program that met an object before its class got a method asks for it as for a field. */
  #isMethod(token: string, name: string): boolean {
    const { form, methods } = this.#exposureOf(this.#objectFor(token));
    return form === 'record' && methods.includes(name);
  }

  #set(token: string, name: string, value: unknown): void {
    const target = this.#objectFor(token) as Record<string, unknown>;
    const exposure = this.#exposureOf(target);
    if (exposure.form === 'record') {
      writeRecord(target, exposure.name, accessTo(target, this.#options.role), name, value);
      return;
    }
    const field = exposure.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new TypeError(`${exposure.name} has no field '${name}'.`);
    if (!field.writable) throw new TypeError(`The field '${name}' of ${exposure.name} is read-only.`);
    refuseOtherThanMember(target, name, value, exposure.name);
    target[name] = value;
  }

  #call<Answer>(
    token: string,
    method: string,
    positional: readonly unknown[],
    named: NamedParameters,
    answer: (value: unknown, message: () => WireMessage) => Answer,
  ): Answer | string {
    const target = this.#objectFor(token);
    const called = callable(target, method, this.#options.role);
    const bound = bindParameters(called, positional, named);
    const parameters = checkParameters(called, bound);
    const options = callOptionsOf(called);
    if (options.effect ?? isAsync(called)) {
      const call = { token: this.#durableToken(target, target), method, ...this.#recorded(target, bound, parameters) };
      return `~${this.#requests.startCall(call, needsApproval(options, parameters))}`;
    }
    const began = method === '' ? this.#requests.now() : 0;
    this.#depth++;
    try {
      const result = callWith(
        called,
        method === '' ? undefined : target,
        parameters,
        {
          workspace: this.#options.workspace,
          idempotencyKey: '',
          attempt: 1,
          abortSignal: never,
        },
        'checked',
      );
      if (isThenable(result)) {
        result.then(undefined, () => undefined);
        throw new PromiseReturnedError(
          `${describe(target, method)} returned a promise, but is not declared async. Declare it async, so that the call is recorded before it is made.`,
          { method },
        );
      }
      const value = iterated(result);
      if (method !== '') return answer(value, () => this.encode(value));
      const message = this.encode(value);
      this.#note(token, parameters, { failed: false, value: message, began });
      return answer(value, () => message);
    } catch (error) {
      refuseDoomed(this.#options.graph.transactionNow());
      if (method === '' && !endsSlice(error)) {
        const value = this.encode(crossing(error, this.#options.maxValueBytes));
        this.#note(token, parameters, { failed: true, value, began });
      }
      throw error;
    } finally {
      this.#depth--;
    }
  }

  /** Tools are functions; methods of objects are the program's own business. */
  #note(
    token: string,
    parameters: readonly unknown[],
    outcome: { readonly failed: boolean; readonly value: WireMessage; readonly began: number },
  ): void {
    this.#requests.called(token, { ...outcome, parameters: () => this.encode(parameters) });
  }

  /** Object, method and parameters of a call. */
  #callParts(text: string): [string, string, readonly unknown[], NamedParameters] {
    const [token, method, positional, named] = this.#namedParameters(text, 2);
    return [String(token), String(method), positional, named];
  }

  /** What a request begins with, so many values, then its parameters; a language that has keyword arguments gives them apart. */
  #namedParameters(text: string, before: 1): [unknown, readonly unknown[], NamedParameters];
  #namedParameters(text: string, before: 2): [unknown, unknown, readonly unknown[], NamedParameters];
  #namedParameters(text: string, before: number): unknown[] {
    const parts = this.#decode(text, (id, name) => this.#callback(id, name));
    const values: unknown[] = Array.isArray(parts) ? parts : [];
    const [positional, named] = values.slice(before);
    if (!Array.isArray(positional)) throw new WireDamagedError('A call has no parameters.');
    if (named !== undefined && (typeof named !== 'object' || named === null))
      throw new WireDamagedError('The named parameters of a call are an object.');
    return [...values.slice(0, before), positional, named];
  }

  /**
   * What a call is made with, so that any process can start it: the checked parameters. A schema may make something of them
   * that cannot be persisted; then they are kept as they were bound, and checked again when the call is made.
   */
  #recorded(
    target: object,
    bound: readonly unknown[],
    checked: readonly unknown[],
  ): Pick<RecordedCall, 'parameters' | 'stage'> {
    try {
      return { parameters: this.#encodeDurable(target, checked), stage: 'checked' };
    } catch {
      return { parameters: this.#encodeDurable(target, bound), stage: 'named' };
    }
  }

  /** The call is made after the slice, perhaps in another process: what it needs must be found again there. */
  #encodeDurable(called: object, parameters: readonly unknown[]): WireMessage {
    return encodeWire(parameters, {
      maxBytes: this.#options.maxValueBytes,
      refuseIfOver: this.#refuseIfOver,
      handleFor: (object) => this.#durableToken(called, object),
    });
  }

  #durableToken(called: object, object: object): string {
    if (this.#callbacks.has(object))
      throw new TypeError('A function of the guest cannot be handed to an asynchronous function.');
    const token = this.#handles.tokenFor(object);
    if (this.#handles.isDurable(token)) return token;
    const what =
      object === called ? '' : typeof object === 'function' ? 'given a function ' : `given ${exposureOf(object).name} `;
    throw new NotDurableError(
      `An async function of ${exposureOf(called).name} cannot be called ${what}here: it runs after this slice, perhaps in another process, where only services and the application's variables can be found again.`,
    );
  }

  #parameters(text: string, count: number, callback: DecodeOptions['callback'] = noCallback): unknown[] {
    const values = this.#decode(text, callback);
    if (!Array.isArray(values) || values.length !== count)
      throw new WireDamagedError(`A request needs ${count} parameters.`);
    return values;
  }

  #decode(text: string, callback: DecodeOptions['callback'] = noCallback): unknown {
    return decodeWire(receivedMessage(text), {
      maxBytes: this.#options.maxValueBytes,
      refuseIfOver: this.#refuseIfOver,
      handle: (token) => this.#objectFor(token),
      callback,
    });
  }

  #callback(id: number, name: string): (...parameters: unknown[]) => unknown {
    const depth = this.#depth;
    const called = (...parameters: unknown[]): unknown => {
      if (this.#depth <= depth)
        throw new TypeError('A function of the guest can be called only while the call it was handed to lasts.');
      return this.#decode(this.#requests.callBack(id, this.encode(parameters)));
    };
    this.#callbacks.add(called);
    return nameGuestFunction(called, name);
  }

  /** The message for a value of the host's. */
  encode(value: unknown): WireMessage {
    return encodeWire(value, {
      maxBytes: this.#options.maxValueBytes,
      refuseIfOver: this.#refuseIfOver,
      handleFor: (object) => this.#handles.tokenFor(object),
    });
  }
}

function refuseDoomed({ doom }: { readonly doom: Error | undefined }): void {
  if (doom !== undefined) throw doom;
}

export function callable(target: object, method: string, role?: string): (...parameters: unknown[]) => unknown {
  const exposure = exposureOf(target, role);
  if (method === '') {
    if (typeof target === 'function' && exposure.form !== 'class')
      return target as (...parameters: unknown[]) => unknown;
    throw new TypeError(`${exposure.name} is not a function.`);
  }
  if (!exposure.methods.includes(method)) throw new TypeError(`${exposure.name} has no method '${method}'.`);
  return (target as Record<string, (...parameters: unknown[]) => unknown>)[method] as (
    ...parameters: unknown[]
  ) => unknown;
}

/** A call within a slice is over before anybody could abort it. */
const never = new AbortController().signal;

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

// Iterators are for one use and one process; what they give is not. An object that can do more than be iterated stays one.
function iterated(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || Array.isArray(result) || isExposed(result)) return result;
  if (nodeOf(result) !== undefined || result instanceof Query) return result;
  if (result instanceof Map || result instanceof Set || ArrayBuffer.isView(result) || !(Symbol.iterator in result))
    return result;
  const isIterator = typeof (result as { next?: unknown }).next === 'function';
  const { fields, methods } = exposureOf(result);
  return isIterator || (fields.length === 0 && methods.length === 0) ? [...(result as Iterable<unknown>)] : result;
}

// A host error is rebuilt in the guest from its name, message and code; nothing of the host goes with it. Its text may be
// made from what guest code gave, so it is cut to what can always cross.
function crossing(error: unknown, maxBytes: number): Error {
  const longest = Math.min(20_000, Math.floor(maxBytes / 32));
  try {
    const known: { name: unknown; message: unknown; code?: unknown } =
      error instanceof Error ? error : new Error(String(error));
    const { name, message, code } = known;
    const crossed: Error & { code?: unknown } = new Error(cutText(String(message), longest));
    crossed.name = cutText(String(name), 100);
    if (typeof code === 'number' || (typeof code === 'string' && code.length <= 100)) crossed.code = code;
    return crossed;
  } catch {
    return new Error('The application threw something that cannot be told.');
  }
}

function noCallback(): never {
  throw new TypeError('A function can be handed to the application only as an argument of a call.');
}

/** Maps and sets have no way to their middle but through everything before it. */
function workOf(target: object, change: string, [start]: readonly unknown[]): number {
  if (change !== 'page' || Array.isArray(target) || typeof start !== 'number') return 0;
  return Math.min(start, (target as { size?: number }).size ?? 0);
}

function describe(target: object, method: string): string {
  const { name } = exposureOf(target);
  return method === '' ? name : `${name}.${method}`;
}

/** A limit is not the guest's to catch, nor is what this process lacks or the past does not have. */
function endsSlice(error: unknown): boolean {
  return error instanceof LimitError || error instanceof BindingMissingError || error instanceof ReadOnlyError;
}
