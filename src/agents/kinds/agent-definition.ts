// An agent as the rest of the system sees it. Applications make one with `new Agent(…)` or one of its kinds.
import type { CallContext } from '../../workspace/door.ts';
import type { AgentOptions } from './agent-options.ts';
import type { AgentEnvironment } from '../environment.ts';
import type { PostProcessor } from '../post-processors.ts';
import type { Language } from '../prompts/metadata.ts';
import type { Reminder } from '../reminder.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import type { Task } from '../tasks/task-host.ts';
import type { MemoryRuntime } from '../tools/memory-tools.ts';
import type { Reader } from '../tools/reading-tools.ts';
import type { SystemRuntime, ToolOwner } from '../tools/system-tools.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { JobFailure } from '../tools/tool.ts';
import type { KnownTool } from '../tools/toolbox.ts';

export interface AgentDefinition {
  readonly role: string;
  readonly options: AgentOptions;
  readonly postProcessors: readonly PostProcessor[];
  /** @internal Tasks by their names. */
  readonly tasks: Map<string, Task>;
  /** What it was given to call; lists of tools that change are as they are now. */
  readonly tools: readonly KnownTool[];
  /** @internal Where tools come from that are not its own. */
  readonly toolSources: ReadonlySet<ToolSource>;
  /** What its tools can do, in words of the application. */
  readonly capabilities: readonly string[];
  /** @internal The chat style of its kind. */
  readonly ownStyle: ChatStyle | undefined;
  /** @internal What its models are reminded of; undefined if nothing was said, null if it was taken back. */
  readonly reminder: Reminder | null | undefined;
  /** @internal Prose of its replies goes to somebody. */
  readonly sends: boolean;
  /** @internal The function that sends prose to somebody. */
  readonly sender: object | undefined;
  /** @internal */
  send(text: string, call: CallContext): unknown;
  /** @internal Code that runs in every job before its first turn. */
  ownWarmup(language: Language, environment: AgentEnvironment): string;
  /** @internal Code that runs before every warmup, hidden from the model. */
  ownPrelude(language: Language): string;
  /** @internal What the system adds to its tools; without a runtime they can be described, and not called. */
  systemTools(owner: ToolOwner & Reader, runtime: (SystemRuntime & MemoryRuntime) | undefined): readonly KnownTool[];
  /** Something of its private context: by the name, or the name behind `_` or `__`. */
  getAdapter(name: string): unknown;
  /** @internal What is wrong with a result, if the job is a call of a task. */
  refusedResult(task: string | null, value: unknown): string | undefined;
  /** @internal Tells the tools that a job has failed; each of them, whatever the others do. */
  jobFailed(failure: JobFailure, call: CallContext, again: boolean): Promise<void>;
}

const made = new WeakSet<object>();

/** An agent says that it is one. */
export function registerAgent(agent: AgentDefinition): void {
  made.add(agent);
}

export function isAgent(value: unknown): value is AgentDefinition {
  return typeof value === 'object' && value !== null && made.has(value);
}
