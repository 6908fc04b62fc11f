// Declarations of what every TypeScript program finds, for an editor and a compiler: `statek types` writes them beside
// programs. The checker of agents' code has its own list, which is more lenient.

export const guestGlobals = `/** Prints values: a line of the console, which is kept. */
declare function print(...values: unknown[]): void;

/** Prints the variables of the program. */
declare function printLocals(): void;

declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  trace(...values: unknown[]): void;
  dir(value: unknown): void;
  table(value: unknown): void;
  group(...values: unknown[]): void;
  groupEnd(): void;
  assert(condition: unknown, ...values: unknown[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
};

/** Waits so many milliseconds; a second or a year, nothing is in memory meanwhile. */
declare function sleep(milliseconds: number): Promise<void>;

/** Waits until a moment. */
declare function until(moment: Date | string | number): Promise<void>;

/** How long to wait, in milliseconds; then a TimeoutError is thrown. */
interface WaitOptions {
  timeout?: number;
}

/** Waits for a signal of this name, and gives what it was sent with. */
declare function signal<Payload = any>(name: string, options?: WaitOptions): Promise<Payload>;

/** Asks a person, and gives the answer. */
declare function ask<Answer = any>(question: string, details?: unknown, options?: WaitOptions): Promise<Answer>;

/** Asks whoever gave the work for something that is missing. */
declare function clarify<Answer = any>(question: string, options?: WaitOptions): Promise<Answer>;

/** Waits until a person agrees; throws an error with the name 'DeniedError' if they do not. */
declare function approve(what: string, details?: unknown, options?: WaitOptions): Promise<true>;

/** What another job is given. */
interface DelegateOptions extends WaitOptions {
  message?: unknown;
  input?: unknown;
  vars?: Record<string, unknown>;
  [option: string]: unknown;
}

/** Gives work to another role, waits, and gives its result. It has only the variables it is given. */
declare function delegate<Result = any>(role: string, options?: DelegateOptions): Promise<Result>;

/** The same, to one that sends nothing to anybody: what it would have said is the result. */
declare function delegateMute<Result = any>(role: string, options?: DelegateOptions): Promise<Result>;

/** The same for many in one durable write; all results, or the first failure. */
declare function delegateAll<Result = any>(role: string, all: DelegateOptions[]): Promise<Result[]>;

/** The same, to one that stays there to be talked with. */
declare function delegateDialog(role: string, options?: DelegateOptions): Promise<Conversation>;

interface Conversation {
  id: string;
  answer: any;
  /** Says more, and gives the answer. */
  say(message: unknown): Promise<any>;
}

/** A job that was started and is not waited for, as it was when it was looked at. */
interface Subtask {
  id: string;
  state: string;
  outcome?: 'completed' | 'failed' | 'cancelled' | 'limit';
  result?: any;
  error?: string;
}

/** Starts another job without waiting for it; its end arrives as a notice. */
declare function startSubtask(role: string, options?: DelegateOptions): Promise<Subtask>;

/** How a subtask is doing; undefined if there is none of this id. */
declare function findSubtask(task: string | Subtask): Promise<Subtask | undefined>;

/** In a subtask: answers whoever started it, and goes on. */
declare function completeSubtask(value?: unknown): Promise<void>;

/** Ends the job; the value is its result. */
declare function exit(value?: unknown): never;

/** Ends the job: it could not be done. */
declare function fail(reason?: unknown): never;
`;
