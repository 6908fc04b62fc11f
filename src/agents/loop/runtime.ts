// What agents need of the kit they are opened with, in one process.
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Models } from '../../models/models.ts';
import { mustCommit } from '../../store/must-commit.ts';
import { scanAll } from '../../store/scan-all.ts';
import { chatRows, definitionRows, type ChatItem } from '../chat/item.ts';
import type { JobDefinition } from '../definition.ts';
import { AgentSettingsError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { CallContext } from '../../workspace/call-options.ts';
import type { MemoryBinding } from '../memory/binding.ts';
import { reminderRows, type Reminder } from '../reminder.ts';
import type { SystemRuntime } from '../tools/system-tools.ts';
import type { JobFailure } from '../tools/tool.ts';
import { Deltas } from './deltas.ts';

function notOpen(): Promise<never> {
  return Promise.reject(new Error('The kit is not open yet.'));
}

/** An agent, as far as it is told of jobs that failed. */
export interface ErrorHandlers {
  readonly role: string;
  readonly description: string;
  readonly capabilities: readonly string[];
  jobFailed(failure: JobFailure, call: CallContext, again: boolean): Promise<void>;
}

export class AgentRuntime {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly examplesFolder: string | undefined;
  /** Definitions this process knows, by their hashes. They never change. */
  readonly definitions = new Map<string, JobDefinition>();
  /** Agents by their roles. */
  readonly agents = new Map<string, ErrorHandlers>();
  /** Values that calls of tasks brought along, for programs that may keep anything. */
  readonly shared = new Map<string, unknown>();
  /** Pieces of replies, for those who listen. */
  readonly deltas: Deltas;
  readonly #models: () => Models;
  /** What a job is bound to; set when the kit is open. */
  memoryOf: (job: string) => Promise<MemoryBinding | undefined> = () => Promise.resolve(undefined);
  /** What agents do with other jobs; set when the kit is open. */
  dialog: SystemRuntime['dialog'] = notOpen;
  startThread: SystemRuntime['startThread'] = notOpen;
  say: SystemRuntime['say'] = notOpen;
  /** Whether a job says nothing to anybody; set when the kit is open. */
  isMute: (job: string) => Promise<boolean> = notOpen;
  /** A variable of a job; set when the kit is open. */
  variable: (job: string, name: string) => Promise<unknown> = notOpen;
  /** The chat style of a job; set when the kit is open. */
  style: SystemRuntime['style'] = notOpen;
  /** Agents that processes have told of; set when the kit is open. */
  rolesElsewhere: SystemRuntime['roles'] = () => [];
  /** Puts a notice into the inbox of a job; set when the kit is open. */
  notify: (job: string, body: unknown) => Promise<void> = notOpen;

  constructor(
    store: Store,
    clock: Clock,
    models: () => Models,
    { log, examplesFolder }: { readonly log: Log; readonly examplesFolder: string | undefined },
  ) {
    this.store = store;
    this.clock = clock;
    this.deltas = new Deltas(store);
    this.#models = models;
    this.log = log;
    this.examplesFolder = examplesFolder;
  }

  get models(): Models {
    return this.#models();
  }

  roles(): ReturnType<SystemRuntime['roles']> {
    const own = [...this.agents.values()].map(({ role, description, capabilities }) => ({
      role,
      description,
      capabilities,
    }));
    return [...own, ...this.rolesElsewhere().filter(({ role }) => !this.agents.has(role))];
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
