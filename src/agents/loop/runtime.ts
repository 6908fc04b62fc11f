// What agents need of the kit they are opened with, in one process.
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Models } from '../../models/models.ts';
import type { ModelDelta } from '../../models/request.ts';
import { scanAll } from '../../store/scan-all.ts';
import { chatRows, definitionRows, type ChatItem } from '../chat/item.ts';
import type { JobDefinition } from '../definition.ts';
import { AgentSettingsError } from '../errors.ts';
import type { CallContext } from '../../workspace/call-options.ts';
import type { MemoryBinding } from '../memory/binding.ts';
import type { SystemRuntime } from '../tools/system-tools.ts';
import type { JobFailure } from '../tools/tool.ts';

export type DeltaListener = (delta: ModelDelta) => void;

function notOpen(): Promise<never> {
  return Promise.reject(new Error('The kit is not open yet.'));
}

/** An agent, as far as it is told of jobs that failed. */
export interface ErrorHandlers {
  readonly role: string;
  readonly description: string;
  readonly hasErrorHandlers: boolean;
  jobFailed(failure: JobFailure, call: CallContext): Promise<void>;
}

export class AgentRuntime {
  readonly store: Store;
  readonly clock: Clock;
  /** Definitions this process knows, by their hashes. They never change. */
  readonly definitions = new Map<string, JobDefinition>();
  /** Agents by their roles. */
  readonly agents = new Map<string, ErrorHandlers>();
  /** Values that calls of tasks brought along, for programs that may keep anything. */
  readonly shared = new Map<string, unknown>();
  readonly #models: () => Models;
  readonly #listeners = new Map<string, Set<DeltaListener>>();
  /** What a job is bound to; set when the kit is open. */
  memoryOf: (job: string) => Promise<MemoryBinding | undefined> = () => Promise.resolve(undefined);
  /** What agents do with other jobs; set when the kit is open. */
  dialog: SystemRuntime['dialog'] = notOpen;
  startThread: SystemRuntime['startThread'] = notOpen;
  say: SystemRuntime['say'] = notOpen;
  /** Puts a notice into the inbox of a job; set when the kit is open. */
  notify: (job: string, body: unknown) => Promise<void> = notOpen;

  constructor(store: Store, clock: Clock, models: () => Models) {
    this.store = store;
    this.clock = clock;
    this.#models = models;
  }

  get models(): Models {
    return this.#models();
  }

  roles(): readonly { readonly role: string; readonly description: string }[] {
    return [...this.agents.values()].map(({ role, description }) => ({ role, description }));
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

  /** Tells those who listen in this process; nothing of it is kept. */
  tell(job: string, delta: ModelDelta): void {
    for (const listener of this.#listeners.get(job) ?? []) {
      try {
        listener(delta);
      } catch (error) {
        process.emitWarning(`A listener to the replies of '${job}' threw: ${String(error)}`, 'StatekWarning');
      }
    }
  }

  listen(job: string, listener: DeltaListener): () => void {
    const listeners = this.#listeners.get(job) ?? new Set();
    this.#listeners.set(job, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(job);
    };
  }
}
