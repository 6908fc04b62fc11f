// Where calls of tasks run: what a task needs of a kit, and where its variables stay.
import type { JobDef } from '../definition.ts';
import type { Job } from '../job.ts';
import type { JobDefOptions } from '../kinds/agent-options.ts';
import type { Language } from '../prompts/metadata.ts';

/** What a task is to its agent. */
export interface Task {
  readonly name: string;
  /** Code that runs before the first turn of a call. */
  readonly setup: string | undefined;
  instructions(language: Language): string;
  /** What is wrong with a result. */
  refused(value: unknown): string | undefined;
}

/** A kit, or what stands for one, as far as a task needs it. */
export interface TaskHost {
  /** An agent that is open there. */
  compiled(role: string): { readonly language: Language; createJobDef(options: JobDefOptions): JobDef } | undefined;
  submit(
    def: JobDef,
    options: {
      readonly workspace?: string;
      readonly vars?: Readonly<Record<string, unknown>>;
      readonly message: unknown;
    },
  ): Promise<Job>;
  answer(futureId: string, value: unknown): Promise<void>;
}

/** An agent, as far as its tasks need it. */
export interface TaskAgent {
  readonly role: string;
  readonly tasks: Map<string, Task>;
}

/** Where the variables of tasks stay. */
export interface TaskState {
  /** @internal Submits a call, after those of the same agent that were made before it. */
  submit(agent: TaskAgent, submit: (place: TaskPlace) => Promise<Job>): Promise<TaskCall>;
}

/** A call under way. */
export interface TaskCall {
  readonly place: TaskPlace;
  readonly job: Job;
}

export interface TaskPlace {
  readonly host: TaskHost;
  /** The workspace whose variables stay; undefined for one that goes with the call. */
  readonly workspace: string | undefined;
  /** Called once when the call is over; one that asks something is not over before it was answered. */
  over?(): Promise<void>;
  /** Keeps a value of the application for the program; undefined if only data can be kept. */
  readonly share: ((value: unknown) => string) | undefined;
}
