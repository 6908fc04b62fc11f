// A driver decides what a job does next. It is a plain synchronous function of what is in the store: it keeps nothing in
// memory, waits for nothing and has no effects, so that any process can go on with any job at any time. What takes time
// or calls another system it asks for, and is told the outcome in the next turn.
//
//     const greeter: Driver = {
//       role: 'greeter',
//       next: ({ event, input }) =>
//         event.kind === 'begin' ? { run: `'Hello, ' + ${JSON.stringify(input)}` } : { finish: event.step.value },
//     };
import {
  choiceOption,
  described,
  InvalidOptionError,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../base/options.ts';
import type { Json } from '../history/door.ts';
import type { Write } from '../store/door.ts';
import {
  callOptionsOf,
  languageNames,
  type CallContext,
  type LanguageName,
  type WorkspaceLimits,
} from '../workspace/door.ts';
import { onChangeRules, versionOption, type OnChange } from './code-version.ts';
import type { JobError, JobRestart } from './rows.ts';
import type { JobOutcome } from './states.ts';

/** Why the driver is asked: the job began, a step or call of its own ended, a message or a time came, or the program ended the job. */
export type TurnEvent =
  /** The job begins, or is tried again. */
  | { readonly kind: 'begin' }
  /** A step of the job's workspace is over. */
  | {
      readonly kind: 'step';
      readonly step: {
        readonly number: number;
        readonly status: 'done' | 'failed';
        readonly value: unknown;
        /** The value as the language itself writes it; undefined where it leaves that to the reader. */
        readonly shown?: string | undefined;
        readonly error: JobError | undefined;
        /** The lines it printed. */
        readonly console: readonly string[];
        readonly commit: string | undefined;
      };
    }
  /** A call of the driver's is over. */
  | {
      readonly kind: 'call';
      readonly call: {
        readonly name: string;
        readonly failed: boolean;
        readonly value: unknown;
        readonly error: JobError | undefined;
      };
    }
  /** A message came while it waited, or reopened the job. */
  | { readonly kind: 'message' }
  /** The time came that it waited for, or somebody resumed the job after its end. */
  | { readonly kind: 'time' }
  /** The program called exit() or fail(); only drivers with `endings` are asked. */
  | {
      readonly kind: 'end';
      /** The step that ended the job. */
      readonly step: Extract<TurnEvent, { readonly kind: 'step' }>['step'];
      readonly end: {
        readonly outcome: 'completed' | 'failed';
        /** What exit() was given. */
        readonly value: unknown;
        /** What fail() was given. */
        readonly reason: string | undefined;
        /** What the program had asked for without waiting for it, and what is therefore never done: `pay(…)`. */
        readonly unmade: readonly string[];
      };
    };

/** A step of the job's workspace that is over. */
export type EndedStep = Extract<TurnEvent, { readonly kind: 'step' }>['step'];
/** A call of the driver's that is over. */
export type EndedCall = Extract<TurnEvent, { readonly kind: 'call' }>['call'];
/** What a program said when it ended its job. */
export type ProgramEnd = Extract<TurnEvent, { readonly kind: 'end' }>['end'];

/** Something that was said to a job. */
export interface JobMessage {
  readonly number: number;
  /** `notice`: a subtask has ended or answered; `body` tells of it. */
  readonly kind: 'message' | 'notice';
  readonly body: unknown;
  readonly from: string | undefined;
  readonly time: Date;
}

/** What a subtask looks like to the one who started it. */
export interface SubtaskState {
  readonly id: string;
  readonly state: string;
  readonly outcome?: string;
  readonly result?: unknown;
  readonly error?: string;
}

/** Which schedule submitted a job, and for which of its times: earlier than the job if that was made up for, or had to wait. */
export interface JobSchedule {
  readonly name: string;
  readonly due: Date;
}

/** What a driver is asked with: the job, what happened, and what the driver kept. */
export interface Turn<State extends Json = Json> {
  readonly job: {
    readonly id: string;
    readonly role: string;
    readonly parent: string | undefined;
    readonly labels: readonly string[];
    readonly created: Date;
    readonly deadline: Date | undefined;
    /** Counts tries of the job from 1. */
    readonly attempt: number;
    /** The schedule that submitted it, and the time of the schedule that it is for. */
    readonly schedule?: JobSchedule | undefined;
    /** It was started again because the code had changed: from which version to which, and the calls made before. */
    readonly restarted?: JobRestart | undefined;
  };
  readonly input: unknown;
  /** The variables it was given; only before the driver has kept anything. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** What the driver kept in its last turn; null at first. */
  readonly state: State | null;
  readonly event: TurnEvent;
  /** Messages that came since the last turn. They are taken with this turn, unless it says `keepMessages`. */
  readonly messages: readonly JobMessage[];
  /** How often the driver was asked since the job began or was reopened, this time included. */
  readonly turn: number;
  readonly now: Date;
}

/** What the job does next: run code, call something, wait, or end. */
export type NextAction<State extends Json = Json> = {
  /** What to keep until the next turn; default: what was kept before. */
  readonly state?: State | undefined;
  /** Messages of this turn are shown again in the next one. */
  readonly keepMessages?: boolean | undefined;
  /** The job ends with the outcome `limit` if it is not done by then, whatever it is doing. */
  readonly limit?: Date | undefined;
  /** @internal What else is to be written in the same commit. */
  readonly writes?: readonly Write[] | undefined;
} & (
  | { readonly run: string; readonly allOrNothing?: boolean | undefined; readonly warmup?: boolean | undefined }
  | { readonly call: string; readonly input?: unknown }
  /** Waits for a message, or until a time if that comes first. */
  | { readonly wait: 'message' | Date }
  | { readonly finish: unknown }
  | { readonly fail: string | JobError; readonly outcome?: 'failed' | 'limit' | undefined }
);

/**
 * Decides what the jobs of a role do next: a plain synchronous function of what is in the store. `State` is what it keeps
 * between turns: JSON, declared as a `type`. Functions of the state have types of methods, written `{ of(…) }['of']`, because a
 * kit takes drivers of any state: it gives each its own state back.
 */
export interface Driver<State extends Json = Json> {
  readonly role: string;
  /** Decides what to do next. Synchronous, and without effects of its own. */
  next(turn: Turn<State>): NextAction<State>;
  /** What the driver may call: functions, or tools made with `tool(…)`. The call is recorded before it is made. */
  readonly calls?: Readonly<Record<string, (input: never, call: CallContext) => unknown>> | undefined;
  /** Jobs of this role that one process works on at once. */
  readonly concurrency?: number | undefined;
  /** A message to a job that is completed starts it again. */
  readonly reopens?: boolean | undefined;
  /** The driver decides what becomes of exit() and fail(); without it the job ends at once. */
  readonly endings?: boolean | undefined;
  /** Variables of every workspace of this role, besides the job's own: data and services. A function makes them from what the driver keeps. */
  readonly vars?:
    | Readonly<Record<string, unknown>>
    | { of(state: State | null): Readonly<Record<string, unknown>> }['of']
    | undefined;
  /** Options that those who start a job of this role may give besides the usual ones; the driver finds them in its input. */
  readonly options?: readonly string[] | undefined;
  /** What others are told of the role, in every process. */
  readonly about?: { readonly description: string; readonly capabilities: readonly string[] } | undefined;
  /** What jobs that a job of this role starts find in their input, made from what its driver keeps. */
  inputForChildren?(state: State | null): Readonly<Record<string, unknown>> | undefined;
  /** Limits of every workspace of this role, or of one of them, made from what its driver keeps. */
  readonly limits?: Partial<WorkspaceLimits> | { of(state: State | null): Partial<WorkspaceLimits> }['of'] | undefined;
  /** What its jobs' programs are written in, or a function that tells it from what the driver keeps; default: TypeScript. */
  readonly language?: LanguageName | { of(state: State | null): LanguageName }['of'] | undefined;
  /** The version of its code, if it has another than the application: a whole number or dotted numbers. */
  readonly version?: string | number | undefined;
  /** What becomes of a job that an older version worked on: it goes on (default), starts again, or waits for that version. */
  readonly onChange?: OnChange | undefined;
  /** @internal Calls that cost money: they wait while the tenant of a job has used up its day. */
  readonly paidCalls?: readonly string[] | undefined;
  /** Milliseconds a job may take once it is resumed, made from what its driver keeps. */
  allowance?(state: State | null): number | undefined;
  /**
   * A job has ended without a result; called once, when that is in the store. `state` is what the driver kept. `again`: the
   * process died during an earlier call, so that some of it may have been done.
   */
  failed?(
    failure: {
      readonly id: string;
      readonly outcome: JobOutcome;
      readonly error: JobError;
      readonly state: State | null;
      readonly again: boolean;
    },
    call: CallContext,
  ): unknown;
}

/** A job that ended without a result. */
export type FailedJob<State extends Json = Json> = Parameters<NonNullable<Driver<State>['failed']>>[0];

const optionsOfPrograms = ['approval', 'cache', 'concurrency', 'onUnknown'] as const;

const memberNames: OptionNames<Driver> = {
  role: true,
  next: true,
  calls: true,
  concurrency: true,
  reopens: true,
  endings: true,
  vars: true,
  limits: true,
  options: true,
  about: true,
  inputForChildren: true,
  allowance: true,
  failed: true,
  language: true,
  version: true,
  onChange: true,
  paidCalls: true,
};

export function checkDriver(driver: Driver): void {
  if (typeof driver.role !== 'string' || driver.role === '' || driver.role.length > 100)
    throw new InvalidOptionError('A driver needs a role of 1 to 100 characters.', { name: 'role' });
  refuseUnknownOptions(`driver '${driver.role}'`, driver, memberNames);
  if (typeof driver.next !== 'function')
    throw new InvalidOptionError(`The driver '${driver.role}' needs a function 'next'.`, { name: 'next' });
  if (driver.concurrency !== undefined)
    wholeNumberOption(`driver '${driver.role}'`, 'concurrency', driver.concurrency, 1, 1_000_000);
  const { language, about } = driver;
  versionOption(`driver '${driver.role}'`, driver.version);
  if (driver.onChange !== undefined)
    choiceOption(`driver '${driver.role}'`, 'onChange', driver.onChange, onChangeRules);
  if (about !== undefined && (typeof about.description !== 'string' || !Array.isArray(about.capabilities)))
    throw new InvalidOptionError(`driver '${driver.role}': 'about' has a description and a list of capabilities.`, {
      name: 'about',
    });
  if (language !== undefined && typeof language !== 'function' && !languageNames.includes(language))
    throw new InvalidOptionError(`driver '${driver.role}': 'language' is one of ${languageNames.join(', ')}.`, {
      name: 'language',
    });
  for (const [name, called] of Object.entries(driver.calls ?? {})) refuseOptionsOfPrograms(driver.role, name, called);
}

/** What lets a person or another call decide is for programs, which wait for it like for anything else. */
function refuseOptionsOfPrograms(role: string, name: string, called: object): void {
  const options = callOptionsOf(called);
  const refused = optionsOfPrograms.filter((option) => options[option] !== undefined && options[option] !== 'throw');
  if (refused.length > 0)
    throw new InvalidOptionError(
      `The driver '${role}' cannot call '${name}' itself, because of its ${refused.join(', ')}. Let the job's program call it: give it to the program as a variable and return { run } instead of { call }.`,
      { role, call: name, options: refused },
    );
}

/** A driver whose jobs end with a result of a known type. */
export interface Program<Result> extends Driver {
  /** Never set: it carries the type of the result to `job.result()`. */
  readonly '~result'?: Result;
}

/**
 * A driver whose jobs are one program each: its value is the job's result. `program<number>({ … })` gives `job.result()` that
 * type; the value itself is not checked.
 *
 * @example
 * import { program, Statek } from 'statek';
 *
 * const double = program<number>({ role: 'double', source: (input) => `${String(input)} * 2` });
 * const kit = await Statek.open({ store: 'memory:', drivers: [double] });
 * console.log(await (await kit.submit(double, { input: 21 })).result()); // prints 42
 * await kit.close();
 */
export function program<Result = unknown>(options: {
  readonly role: string;
  /** The source, or a function of the job's input that gives it. */
  readonly source: string | ((input: unknown) => string);
  readonly concurrency?: number | undefined;
  /** What the source is written in; default: TypeScript. */
  readonly language?: LanguageName | undefined;
  /** The version of the source, if it has another than the application. */
  readonly version?: string | number | undefined;
  /** What becomes of a job that an older version worked on: it goes on (default), starts again, or waits for that version. */
  readonly onChange?: OnChange | undefined;
}): Program<Result> {
  refuseUnknownOptions('program', options, {
    role: true,
    source: true,
    concurrency: true,
    language: true,
    version: true,
    onChange: true,
  });
  const { role, source, concurrency, language, version, onChange } = options;
  if (typeof source !== 'string' && typeof source !== 'function')
    throw new InvalidOptionError(
      `program '${role}': option 'source' must be code as a text, or a function that returns it, not ${described(source)}.`,
      { name: 'source', role },
    );
  const sourceFor = (input: unknown): string => {
    if (typeof source === 'string') return source;
    const code: unknown = source(input);
    if (typeof code === 'string') return code;
    throw new InvalidOptionError(
      `program '${role}': the function 'source' must return code as a text, not ${described(code)}. It runs outside the program; what is to survive is part of the text.`,
      { name: 'source', role },
    );
  };
  return {
    role,
    ...(version === undefined ? {} : { version }),
    ...(onChange === undefined ? {} : { onChange }),
    ...(language === undefined ? {} : { language }),
    ...(concurrency === undefined ? {} : { concurrency }),
    next: ({ event, input }) => {
      if (event.kind !== 'step') return { run: sourceFor(input) };
      const { status, value, error } = event.step;
      return status === 'done' ? { finish: value } : { fail: error ?? 'The program failed.' };
    },
  };
}
