// How a function of the application is to be called: what may be done again, how long it may take, who must agree first.
import {
  choiceOption,
  InvalidOptionError,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../../base/options.ts';
import { parametersOf, placed } from './function-parameters.ts';

/** How often a failed call, or a failed job, is tried again, and with which pauses. */
export interface RetryOptions {
  /** How often it is called in all. */
  readonly attempts: number;
  /** The pause before the second attempt, in milliseconds; it doubles with each further one. Default: 1,000. */
  readonly backoff?: number | undefined;
  /** The longest pause, in milliseconds; default: 60,000. */
  readonly longest?: number | undefined;
}

/** Who shares outcomes. A workspace by itself counts as a job, and its role as an agent. */
export type CacheScope = 'job' | 'agent' | 'kit';

/** How calls of a function are made: recorded, repeated, approved, cached. Options of `tool(…)`. */
export interface CallOptions {
  /** The call is recorded before it is made, and made after the slice, though the function is not declared async. */
  readonly effect?: boolean | undefined;
  /** Calling it twice with the same `idempotencyKey` is the same as calling it once: after a crash it is called again. */
  readonly idempotent?: boolean | undefined;
  /** What becomes of a call that may have been made or not: its `await` throws (the default), or a person decides. */
  readonly onUnknown?: 'throw' | 'ask' | undefined;
  /** Milliseconds after which an attempt has failed. */
  readonly timeout?: number | undefined;
  /** A call that throws is made again; default: it is not. */
  readonly retry?: RetryOptions | undefined;
  /** Somebody has to agree before the call is made: always, or unless this returns `false` for what the tool is given. */
  readonly approval?: 'always' | ((...parameters: readonly unknown[]) => boolean) | undefined;
  /**
   * How long an outcome is good for other calls with the same parameters, in milliseconds, and whose: those of the same
   * job, of jobs of the same agent, or all of the kit, where tools of one name are one tool. By default a tool of an
   * agent is shared by its jobs, and a service by everybody. Outcomes of another `version` do not count. Calls with the
   * same parameters wait for the one that is under way, in all processes, and are made again only if it fails.
   */
  readonly cache?:
    | {
        readonly ttl: number;
        readonly scope?: 'job' | 'agent' | 'kit' | undefined;
        readonly version?: string | number | undefined;
      }
    | undefined;
  /** How many calls of it one process makes at once. */
  readonly concurrency?: number | undefined;
}

/** What a call knows of itself. */
export interface CallContext {
  /** The workspace it was asked for in; for a job, the job's id. */
  readonly workspace: string;
  /** The same for every attempt of one call, and for no other call. */
  readonly idempotencyKey: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborts when the attempt's time is over or the call is cancelled. */
  readonly abortSignal: AbortSignal;
}

/**
 * How far the parameters of a call have come: as they were given, bound to the names the function has for them, or checked
 * and as the function takes them.
 */
export type ParameterStage = 'given' | 'named' | 'checked';

/** What every call of a tool passes before anything else sees its parameters. */
export interface ToolDoor {
  /** Binds what was given, by position and by name, to the names the tool has for it. */
  bind(positional: readonly unknown[], named: Readonly<Record<string, unknown>> | undefined): readonly unknown[];
  /** The bound parameters as the tool takes them; throws what its caller has to know. */
  check(named: readonly unknown[]): readonly unknown[];
}

const optionsByFunction = new WeakMap<object, CallOptions>();
const doors = new WeakMap<object, ToolDoor>();
const executed = new WeakMap<object, (parameters: readonly unknown[], call: CallContext) => unknown>();

/** The names of `CallOptions`. */
export const callOptionNames: OptionNames<CallOptions> = {
  effect: true,
  idempotent: true,
  onUnknown: true,
  timeout: true,
  retry: true,
  approval: true,
  cache: true,
  concurrency: true,
};
const longest = 365 * 24 * 3_600_000;
const cacheScopes: readonly CacheScope[] = ['job', 'agent', 'kit'];

/** A function for guest code that is told of the call, and of everything it was called with. */
export function toolOver(
  name: string,
  options: CallOptions,
  execute: (parameters: readonly unknown[], call: CallContext) => unknown,
  door?: ToolDoor,
): (...parameters: unknown[]) => unknown {
  refuseUnknownOptions(`tool '${name}'`, options, callOptionNames);
  check(name, options);
  const called: (...parameters: unknown[]) => unknown = {
    [name]: (...parameters: unknown[]): unknown => callWith(called, undefined, parameters, outsideOfWorkspaces),
  }[name] as (...parameters: unknown[]) => unknown;
  optionsByFunction.set(called, options);
  executed.set(called, execute);
  if (door !== undefined) doors.set(called, door);
  return called;
}

/** Whether a function is declared async. */
export function isAsync(called: unknown): boolean {
  return called instanceof AsyncFunction;
}

export function callOptionsOf(called: object): CallOptions {
  return optionsByFunction.get(called) ?? {};
}

/** Binds the parameters of a call to the names the function has for them. */
export function bindParameters(
  called: (...parameters: unknown[]) => unknown,
  positional: readonly unknown[],
  named?: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const door = doors.get(called);
  if (door !== undefined) return door.bind(positional, named);
  return named === undefined ? positional : placed(parametersOf(called), positional, named);
}

/** Bound parameters as the function takes them. A function without a schema takes them as they are. */
export function checkParameters(called: object, named: readonly unknown[]): readonly unknown[] {
  return doors.get(called)?.check(named) ?? named;
}

/**
 * Whether a person has to agree to a call. Only a function that says `false` in so many words lets a call pass: one that
 * throws, or says nothing, has not looked at it.
 */
export function needsApproval({ approval }: CallOptions, parameters: readonly unknown[]): boolean {
  if (approval === undefined || approval === 'always') return approval === 'always';
  try {
    const verdict: unknown = approval(...parameters);
    if (verdict instanceof Promise) verdict.catch(() => undefined);
    return verdict !== false;
  } catch {
    return true;
  }
}

/** Calls a function; a tool is also told of the call. */
export function callWith(
  called: (...parameters: unknown[]) => unknown,
  target: unknown,
  parameters: readonly unknown[],
  call: CallContext,
  stage: ParameterStage = 'given',
): unknown {
  const execute = executed.get(called);
  if (execute === undefined) return Reflect.apply(called, target, parameters);
  const named = stage === 'given' ? bindParameters(called, parameters) : parameters;
  return execute(stage === 'checked' ? named : checkParameters(called, named), call);
}

const AsyncFunction = (async () => undefined).constructor;

/** The application called the tool itself. */
const outsideOfWorkspaces: CallContext = {
  workspace: '',
  idempotencyKey: '',
  attempt: 1,
  abortSignal: new AbortController().signal,
};

function check(name: string, { effect, onUnknown, timeout, retry, cache, concurrency, approval }: CallOptions): void {
  const where = `tool '${name}'`;
  if (onUnknown !== undefined) choiceOption(where, 'onUnknown', onUnknown, ['throw', 'ask']);
  if (approval !== undefined && approval !== 'always' && typeof approval !== 'function')
    throw new InvalidOptionError(`${where}: 'approval' is 'always' or a function.`, { name: 'approval' });
  if (approval !== undefined && effect === false)
    throw new InvalidOptionError(
      `${where}: 'approval' needs a call that can wait for it. Leave 'effect: false' out, or 'approval'.`,
      { name: 'effect' },
    );
  if (timeout !== undefined) wholeNumberOption(where, 'timeout', timeout, 1, longest);
  if (concurrency !== undefined) wholeNumberOption(where, 'concurrency', concurrency, 1, 1_000_000);
  if (cache !== undefined) {
    refuseUnknownOptions(`${where}: cache`, cache, { ttl: true, scope: true, version: true });
    if (cache.scope !== undefined) choiceOption(where, 'cache.scope', cache.scope, cacheScopes);
    wholeNumberOption(where, 'cache.ttl', cache.ttl, 1, longest);
    if (cache.version !== undefined && typeof cache.version !== 'string' && typeof cache.version !== 'number')
      throw new InvalidOptionError(`${where}: 'cache.version' is a text or a number.`, { name: 'cache.version' });
    if (effect === false)
      throw new InvalidOptionError(
        `${where}: 'cache' needs a call that is recorded. Leave 'effect: false' out, or 'cache'.`,
        { name: 'effect' },
      );
  }
  if (retry === undefined) return;
  refuseUnknownOptions(`${where}: retry`, retry, { attempts: true, backoff: true, longest: true });
  wholeNumberOption(where, 'retry.attempts', retry.attempts, 1, 1000);
  if (retry.backoff !== undefined) wholeNumberOption(where, 'retry.backoff', retry.backoff, 0, longest);
  if (retry.longest !== undefined) wholeNumberOption(where, 'retry.longest', retry.longest, 0, longest);
}

/** The pause after a failed attempt, or undefined if there is to be no other. */
export function pauseAfter(retry: RetryOptions | undefined, attempt: number): number | undefined {
  if (retry === undefined || attempt >= retry.attempts) return undefined;
  return Math.min((retry.backoff ?? 1000) * 2 ** Math.min(attempt - 1, 30), retry.longest ?? 60_000);
}
