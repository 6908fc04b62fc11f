// Everything that works on a store in one process, put together from the bottom up: store, history, objects, workspaces,
// jobs, agents. Each part is an ordinary object that gets what it needs in its constructor. A kit is made of these, and so is
// the place in which a task runs whose agent is open in no kit.
import { systemClock, type Clock } from '../base/clock.ts';
import { described, InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../base/options.ts';
import { Redactor, type RedactOptions } from '../base/redact.ts';
import { redactSpans } from '../base/telemetry.ts';
import { openHistory } from '../history/door.ts';
import {
  ActiveJobs,
  checkMaxQueueAge,
  Drivers,
  jobCollections,
  scheduleCollections,
  tenantCollections,
  JobOwners,
  Jobs,
  versionOption,
  type Driver,
  type Faults,
  type MaxQueueAge,
  type Restore,
} from '../jobs/door.ts';
import type { Models, ModelsOptions } from '../models/door.ts';
import { Objects, type DurableClass } from '../objects/door.ts';
import { openStore, refuseEncrypted, type Store } from '../store/door.ts';
import {
  buildQuestions,
  exposureOf,
  workspaceCollections,
  Workspaces,
  type WorkspacesOptions,
} from '../workspace/door.ts';
import type { AgentDefinition } from './kinds/agent-definition.ts';
import { Agents } from './agents.ts';
import { agentCollections, chatRows } from './chat/item.ts';
import { AgentEnvironment } from './environment.ts';
import { Log } from './log.ts';
import { restoreConversation } from './loop/restore.ts';
import { Memory } from './memory/memory.ts';
import { reminderRows } from './reminder.ts';
import type { SettingOptions } from './settings/settings.ts';

/** What the services are put together from. `StatekOptions` explains each for users. */
export interface ServicesOptions extends WorkspacesOptions {
  readonly store: string | Store;
  readonly agents?: readonly AgentDefinition[] | undefined;
  readonly classes?: readonly DurableClass[] | undefined;
  readonly services?: Readonly<Record<string, object>> | undefined;
  readonly models?: Models | ModelsOptions | undefined;
  readonly settings?: SettingOptions | undefined;
  readonly memory?: { readonly categories?: readonly string[] | undefined } | undefined;
  readonly drivers?: readonly Driver[] | undefined;
  readonly keepJobsFor?: number | undefined;
  readonly slowSliceMilliseconds?: number | undefined;
  readonly maxQueueAge?: MaxQueueAge | undefined;
  readonly version?: string | number | undefined;
  readonly redact?: RedactOptions | undefined;
  readonly objectCacheMegabytes?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly faults?: Faults | undefined;
}

export interface Services {
  readonly store: Store;
  readonly objects: Objects;
  readonly workspaces: Workspaces;
  readonly jobs: Jobs;
  readonly agents: Agents;
  /** Takes secrets out of what others are shown; undefined if nothing is to be taken out. */
  readonly redactor: Redactor | undefined;
  /** Ends that it is applied to spans. */
  readonly forgetRedactor: () => void;
  /** Ends all work, from the top down. */
  close(options?: { readonly graceMilliseconds?: number | undefined }): Promise<void>;
}

/** `isPrivate`: what is asked of the agents themselves does not come here. */
export async function openServices(options: ServicesOptions, isPrivate = false): Promise<Services> {
  refuseUnknownOptions('Statek.open: memory', options.memory ?? {}, { categories: true });
  refuseNoStore(options.store);
  const ownsStore = typeof options.store === 'string';
  const store = typeof options.store === 'string' ? await openStore(options.store) : options.store;
  try {
    const services = await servicesOn(store, options, isPrivate);
    return {
      ...services,
      close: async (closing) => {
        await closeServices(services, closing);
        if (ownsStore) await store.close();
      },
    };
  } catch (error) {
    if (ownsStore) await store.close();
    throw error;
  }
}

async function servicesOn(
  store: Store,
  options: ServicesOptions,
  isPrivate: boolean,
): Promise<Omit<Services, 'close'>> {
  const { clock = systemClock, objectCacheMegabytes = 64, keepJobsFor, slowSliceMilliseconds = 2000 } = options;
  refuseLive(options, store);
  if (keepJobsFor !== undefined)
    wholeNumberOption('Statek.open', 'keepJobsFor', keepJobsFor, 0, Number.MAX_SAFE_INTEGER);
  checkMaxQueueAge('Statek.open', options.maxQueueAge);
  wholeNumberOption('Statek.open', 'slowSliceMilliseconds', slowSliceMilliseconds, 0, Number.MAX_SAFE_INTEGER);
  await refuseEncrypted(store);
  await store.declare(
    ...workspaceCollections,
    ...jobCollections,
    ...scheduleCollections,
    ...tenantCollections,
    ...agentCollections,
    reminderRows,
  );
  await buildQuestions(store);
  const history = await openHistory(store, { clock });
  const objects = await Objects.open(store, {
    classes: options.classes,
    clock,
    cacheMegabytes: wholeNumberOption('Statek.open', 'objectCacheMegabytes', objectCacheMegabytes, 0, 65_536),
  });
  const services = new Map(Object.entries(options.services ?? {}));
  // Rules of classes that cannot hold are found now, and not when the first program meets an object.
  for (const one of [...(options.classes ?? []), ...services.values()]) exposureOf(one);
  const environment = AgentEnvironment.ofProcess(options.settings, clock);
  const { logLevel, logFormat, traceFile } = environment.settings.values;
  const redactor = Redactor.of('Statek.open', options.redact);
  const log = new Log({ level: logLevel, format: logFormat, traceFile, redactor });
  const restore: Restore = (restoring) => restoreConversation(store, restoring);
  const drivers = new Drivers(options.drivers, versionOption('Statek.open', options.version));
  const active = new ActiveJobs();
  const owners = new JobOwners({ store, clock, history, active, restore });
  const workspaces = new Workspaces({ store, clock, history, objects, services, owners }, options);
  const jobs = new Jobs(
    { workspaces, drivers, active, restore },
    {
      keep: keepJobsFor,
      faults: options.faults,
      owned: [chatRows],
      slowSliceMilliseconds,
      maxQueueAge: options.maxQueueAge,
      report: (level, text, data) => log.log(level, text, data),
    },
  );
  const memory = await Memory.open(store, { clock, ...options.memory });
  const { models, agents: given = [] } = options;
  const agents = new Agents({ jobs, drivers, services, environment, log, memory, models, agents: given });
  await jobs.system.announceRoles();
  if (!isPrivate) await agents.begin();
  const forgetRedactor = redactor === undefined ? () => undefined : redactSpans(redactor);
  return { store, objects, workspaces, jobs, agents, redactor, forgetRedactor };
}

async function closeServices(
  { workspaces, jobs, agents, forgetRedactor }: Omit<Services, 'close'>,
  options: { readonly graceMilliseconds?: number | undefined } = {},
): Promise<void> {
  refuseUnknownOptions('kit.close', options, { graceMilliseconds: true });
  const { graceMilliseconds = 5000 } = options;
  wholeNumberOption('kit.close', 'graceMilliseconds', graceMilliseconds, 0, 3_600_000);
  agents.leave();
  await jobs.close(options);
  await workspaces.close(graceMilliseconds);
  await agents.close();
  forgetRedactor();
}

function refuseNoStore(store: unknown): void {
  if (typeof store === 'string' && store.trim() !== '') return;
  // An opened store may be one of ours or somebody's own around it; this is what a kit needs of it first.
  if (typeof store === 'object' && store !== null && 'declare' in store && 'commit' in store) return;
  throw new InvalidOptionError(
    `Statek.open: option 'store' must be a folder, a .db file, 'memory:', 'postgres://…', 'redis://…' or an opened store, not ${described(store)}.`,
    { name: 'store' },
  );
}

function refuseLive({ live }: ServicesOptions, { features }: Store): void {
  if (live === true && features.durable) {
    throw new InvalidOptionError(
      "Statek.open: 'live' needs a store that ends with the process, such as 'memory:'; in a durable one, programs keep only what can be found again.",
      { name: 'live' },
    );
  }
}
