// A new job: what it is given is checked, frozen and written down.
import { randomUUID } from 'node:crypto';
import {
  choiceOption,
  dateOption,
  described,
  InvalidOptionError,
  listOption,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../../base/options.ts';
import { currentTrace } from '../../base/telemetry.ts';
import {
  isVariableName,
  refuseName,
  refuseReservedNames,
  type LanguageName,
  type RetryOptions,
} from '../../workspace/door.ts';
import { placeFrom } from './job-changes.ts';
import { tenantLabel } from '../queue-place.ts';
import type { JobParent, JobRetry, JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';

/** What any job is submitted with, whether an agent or a driver works on it. */
export interface JobOptions {
  /**
   * The workspace it runs in, made if it is new; by default its own. A workspace takes one job at a time: others
   * wait, in the order in which they were submitted. When a job ends, the variables stay.
   */
  readonly workspace?: string | undefined;
  /** Submitting the same job twice under one id makes one job. Default: a random one. */
  readonly id?: string | undefined;
  /** What the driver is given: data and services. */
  readonly input?: unknown;
  /** Variables of the job's workspace: data and services. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  /** A first message in its inbox. */
  readonly message?: unknown;
  /** From -100 to 100; default: 0. A step of priority is worth 30 seconds of waiting. */
  readonly priority?: number | undefined;
  /** Not before this time. */
  readonly startAt?: Date | undefined;
  /** A job that is not done by then ends with the outcome `limit`. */
  readonly deadline?: Date | undefined;
  /** Words to find it by: `kit.jobs({ label })`. */
  readonly labels?: readonly string[] | undefined;
  /** A job that fails is tried again from its beginning, in the same workspace. */
  readonly retry?: RetryOptions | undefined;
  /** What becomes of it when the job that started it ends: default: `cancel`, for a subtask `keep`. */
  readonly whenParentEnds?: 'cancel' | 'keep' | undefined;
  /** Milliseconds after its end until it is deleted. */
  readonly keepFor?: number | undefined;
}

const optionNames: OptionNames<JobOptions> = {
  workspace: true,
  id: true,
  input: true,
  vars: true,
  message: true,
  priority: true,
  startAt: true,
  deadline: true,
  labels: true,
  retry: true,
  whenParentEnds: true,
  keepFor: true,
};

const longest = 365 * 24 * 3_600_000;

export function newJob(
  system: JobSystem,
  role: string,
  options: JobOptions,
  where: string,
  more: { readonly parent?: JobParent | undefined; readonly turn?: JobRow['turn'] } = {},
): JobRow {
  refuseUnknownOptions(where, options, optionNames);
  const { id = randomUUID(), priority = 0, labels = [], startAt, deadline, vars = {}, keepFor = system.keep } = options;
  if (typeof id !== 'string' || id === '' || id.length > 180 || !id.isWellFormed())
    throw new InvalidOptionError(`${where}: a job's id has 1 to 180 characters, none of them half of a pair.`, {
      name: 'id',
    });
  if (options.workspace !== undefined) refuseName(options.workspace);
  const { parent, turn } = more;
  // Said here, and not when nobody listens any more.
  if (!isRecord(vars))
    throw new InvalidOptionError(
      `${where}: option 'vars' must be an object of variables by name, as in { rooms: 3 }, not ${described(vars)}.`,
      { name: 'vars' },
    );
  for (const name of Object.keys(vars))
    if (!isVariableName(name))
      throw new InvalidOptionError(`${where}: '${name}' cannot be the name of a variable.`, { name: 'vars' });
  refuseReservedNames(where, Object.keys(vars), languageOf(system, role));
  checkLabels(where, labels);
  wholeNumberOption(where, 'priority', priority, -100, 100);
  if (keepFor !== undefined) wholeNumberOption(where, 'keepFor', keepFor, 0, longest * 100);
  const { whenParentEnds = 'cancel' } = options;
  choiceOption(where, 'whenParentEnds', whenParentEnds, ['cancel', 'keep']);
  const now = system.clock.now();
  const start = timeOf(where, 'startAt', startAt);
  const end = timeOf(where, 'deadline', deadline);
  const isLater = start !== undefined && start > now;
  const trace = currentTrace();
  // Who submits it knows the new code already, so older code would not do.
  const needs = system.versionOf(role);
  return {
    id,
    role,
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    ...(turn === undefined ? {} : { turn }),
    input: system.shared.encode(options.input, `${where}: the input`),
    vars: system.shared.encodeVariables(vars, where),
    ...(parent === undefined ? {} : { parent }),
    whenParentEnds,
    ...(trace === undefined ? {} : { trace }),
    priority,
    labels: [...new Set(labels)],
    created: now,
    updated: now,
    status: 'READY',
    at: isLater || typeof turn === 'number' ? null : placeFrom({ priority }, system.moment()),
    timers: {
      ...(isLater ? { start } : {}),
      ...(end === undefined ? {} : { deadline: end }),
    },
    state: null,
    action: null,
    turns: 0,
    messages: { next: options.message === undefined ? 1 : 2, read: 0 },
    nextCall: 1,
    nextEvent: 1,
    ...(needs === undefined ? {} : { needs }),
    failures: 0,
    crashes: 0,
    mishaps: 0,
    ...(options.retry === undefined ? {} : { retry: retryOf(where, options.retry) }),
    ...(keepFor === undefined ? {} : { keep: keepFor }),
  };
}

/** Lists have indexes for names, and a map has no names at all. */
function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map);
}

/** Refuses what cannot be the labels of a job. */
export function checkLabels(where: string, labels: readonly string[]): void {
  for (const label of listOption<unknown>(where, 'labels', labels))
    if (typeof label !== 'string' || label === '' || label.length > 200)
      throw new InvalidOptionError(`${where}: labels are texts of 1 to 200 characters.`, { name: 'labels' });
  const tenants = labels.filter((label) => label.startsWith(tenantLabel));
  if (tenants.length > 1 || tenants.some((label) => label.length === tenantLabel.length || label.length > 107))
    throw new InvalidOptionError(
      `${where}: a job has at most one label '${tenantLabel}…', with a name of 1 to 100 characters.`,
      { name: 'labels' },
    );
}

/** The language of a role's programs, if it is the same for all its jobs and known here. */
function languageOf(system: JobSystem, role: string): LanguageName | undefined {
  const driver = system.drivers.get(role);
  if (driver === undefined || typeof driver.language === 'function') return undefined;
  return driver.language ?? 'typescript';
}

function retryOf(where: string, retry: RetryOptions): JobRetry {
  refuseUnknownOptions(`${where}: retry`, retry, { attempts: true, backoff: true, longest: true });
  wholeNumberOption(where, 'retry.attempts', retry.attempts, 1, 1000);
  if (retry.backoff !== undefined) wholeNumberOption(where, 'retry.backoff', retry.backoff, 0, longest);
  if (retry.longest !== undefined) wholeNumberOption(where, 'retry.longest', retry.longest, 0, longest);
  const { attempts, backoff, longest: maxPause } = retry;
  return {
    attempts,
    ...(backoff === undefined ? {} : { backoff }),
    ...(maxPause === undefined ? {} : { longest: maxPause }),
  };
}

function timeOf(where: string, name: string, given: unknown): number | undefined {
  if (given === undefined) return undefined;
  return dateOption(where, name, given).getTime();
}
