// What agents need of the kit they are opened with, in one process.
import type { Clock } from '../../base/clock.ts';
import { changeJob, delivery, sendMessage, type Jobs } from '../../jobs/door.ts';
import { mustCommit, scanAll, type Store } from '../../store/door.ts';
import type { Models } from '../../models/door.ts';
import { chatRows, definitionRows, type ChatItem } from '../chat/item.ts';
import type { JobDefinition } from '../definition.ts';
import { AgentSettingsError } from '../errors.ts';
import type { Log } from '../log.ts';
import { loadText, type CallContext } from '../../workspace/door.ts';
import { chatOf, dialogOf, type DialogPair } from '../conversation.ts';
import type { MemoryBinding } from '../memory/binding.ts';
import { bindingOf } from '../memory/granted.ts';
import type { Memory } from '../memory/memory.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import type { MemoryRuntime } from '../tools/memory-tools.ts';
import { Deltas } from './deltas.ts';
import type { AgentInput } from './input.ts';
import { loopStateOf, type LoopState } from './state.ts';
import { reminderRows, type Reminder } from '../reminder.ts';
import type { SystemRuntime } from '../tools/system-tools.ts';
import type { JobFailure } from '../tools/tool.ts';

/** What the runtime needs of an agent: its description for other agents, and a handler for failed jobs. */
export interface RuntimeAgent {
  readonly role: string;
  readonly description: string;
  readonly agent: {
    readonly capabilities: readonly string[];
    jobFailed(failure: JobFailure, call: CallContext, again: boolean): Promise<void>;
  };
}

export interface RuntimeParts {
  readonly jobs: Jobs;
  readonly agents: ReadonlyMap<string, RuntimeAgent>;
  readonly models: () => Models;
  readonly memory: Memory;
  readonly log: Log;
  readonly examplesFolder: string | undefined;
  /** Submits a job with a message; returns its id. */
  readonly startThread: SystemRuntime['startThread'];
}

export class AgentRuntime implements SystemRuntime, MemoryRuntime {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly examplesFolder: string | undefined;
  /** Definitions this process knows, by their hashes. They never change. */
  readonly definitions = new Map<string, JobDefinition>();
  /** Agents of this process by their roles. */
  readonly agents: ReadonlyMap<string, RuntimeAgent>;
  /** Values that calls of tasks brought along, for programs that may keep anything. */
  readonly shared = new Map<string, unknown>();
  /** Pieces of replies, for those who listen. */
  readonly deltas: Deltas;
  readonly #models: () => Models;
  readonly #jobs: Jobs;
  readonly #memory: Memory;
  readonly #startThread: SystemRuntime['startThread'];

  constructor(parts: RuntimeParts) {
    const { store, clock } = parts.jobs.system;
    this.store = store;
    this.clock = clock;
    this.deltas = new Deltas(store);
    this.#jobs = parts.jobs;
    this.#models = parts.models;
    this.#memory = parts.memory;
    this.#startThread = parts.startThread;
    this.agents = parts.agents;
    this.log = parts.log;
    this.examplesFolder = parts.examplesFolder;
  }

  get models(): Models {
    return this.#models();
  }

  /** The agents of this process, and those others have told of. */
  roles(): ReturnType<SystemRuntime['roles']> {
    const own = [...this.agents.values()].map(({ role, description, agent }) => ({
      role,
      description,
      capabilities: agent.capabilities,
    }));
    const others = [...this.#jobs.system.roles.all()].flatMap(([role, { about }]) =>
      about === undefined || this.agents.has(role) ? [] : [{ role, ...about }],
    );
    return [...own, ...others];
  }

  /** What a job is bound to, of what is remembered across jobs. */
  async memoryOf(job: string): Promise<MemoryBinding | undefined> {
    const { shared } = this.#jobs.system;
    const known = await this.#jobs.system.read(job);
    if (known === undefined) return undefined;
    const input = shared.decode(await loadText(this.store, job, known.row.input)) as AgentInput | undefined;
    const bound = input && bindingOf(input, known.row.parent !== undefined);
    return bound && this.#memory.bound(bound.specifiers, bound.readonly === true);
  }

  /** Puts a notice into the inbox of a job. */
  async notify(job: string, body: unknown): Promise<void> {
    const { system } = this.#jobs;
    await changeJob(system, job, () =>
      delivery(system, job, { kind: 'notice', from: job, body: system.shared.encode(body, 'A notice') }),
    );
  }

  async isMute(job: string): Promise<boolean> {
    return (await this.#state(job))?.spoken !== undefined;
  }

  async style(job: string): Promise<ChatStyle | undefined> {
    return (await this.#state(job))?.style;
  }

  async variable(job: string, name: string): Promise<unknown> {
    const row = await this.#jobs.row(job);
    const workspace = this.#jobs.workspaceOf(row);
    return workspace === undefined ? (await this.#jobs.givenVariables(row))[name] : workspace.local(name);
  }

  async dialog(job: string): Promise<readonly DialogPair[]> {
    return dialogOf(await chatOf(this.store, job), loopStateOf(await this.#jobs.row(job)));
  }

  async say(job: string, message: string): Promise<void> {
    await sendMessage(this.#jobs.system, job, message);
  }

  startThread(...thread: Parameters<SystemRuntime['startThread']>): Promise<string> {
    return this.#startThread(...thread);
  }

  async #state(job: string): Promise<LoopState | null | undefined> {
    const known = await this.#jobs.system.read(job);
    return known && loopStateOf(known.row);
  }

  async definition(hash: string): Promise<JobDefinition> {
    const known = this.definitions.get(hash);
    if (known !== undefined) return known;
    const [entry] = await this.store.read(definitionRows, [[hash]]);
    if (entry === undefined)
      throw new AgentSettingsError(`The definition ${hash} of a job is not in the store.`, { hash });
    this.definitions.set(hash, entry.value);
    return entry.value;
  }

  /** What agents of a role are reminded of. */
  async reminder(role: string): Promise<Reminder | undefined> {
    const [entry] = await this.store.read(reminderRows, [[role]]);
    return entry?.value;
  }

  async keepReminder(role: string, reminder: Reminder | undefined): Promise<void> {
    const place = { collection: reminderRows, key: [role] } as const;
    await mustCommit(this.store, {
      writes: [reminder === undefined ? { kind: 'remove', ...place } : { kind: 'put', ...place, value: reminder }],
    });
  }

  /** Items of a conversation, from one number to another. */
  async items(job: string, from: number, upTo: number): Promise<ChatItem[]> {
    const items: ChatItem[] = [];
    const range = { from: [job, from], to: [job, upTo + 1] };
    for await (const { value } of scanAll(this.store, chatRows, range)) items.push(value);
    return items;
  }

  async item(job: string, number: number): Promise<ChatItem | undefined> {
    const [entry] = await this.store.read(chatRows, [[job, number]]);
    return entry?.value;
  }
}
