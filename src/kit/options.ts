// What a kit is opened with, as an application writes it.
import { Agent, type ServicesOptions, type SettingOptions } from '../agents/door.ts';
import type { Clock } from '../base/clock.ts';
import { described, InvalidOptionError, listOption, refuseUnknownOptions, type OptionNames } from '../base/options.ts';
import type { RedactOptions } from '../base/redact.ts';
import type { Driver, Faults, MaxQueueAge } from '../jobs/door.ts';
import type { Models, ModelsOptions } from '../models/door.ts';
import type { DurableClass } from '../objects/door.ts';
import type { Store } from '../store/door.ts';
import type { WorkspaceLimits } from '../workspace/door.ts';
import { checkRetention, type KitRetention } from './maintenance.ts';

/** What a kit is opened with: where everything is kept, and what this process works with. */
export interface StatekOptions {
  /** A folder or `.db` file, `memory:`, `postgres://…`, `redis://…`, or an opened store. */
  readonly store: string | Store;
  /** Agents this process works for. */
  readonly agents?: readonly Agent[] | undefined;
  /** Durable classes: their objects are kept in this store. */
  readonly classes?: readonly DurableClass[] | undefined;
  /** Host objects and functions by name. A handle to one is durable: every process that registers the name can go on with it. */
  readonly services?: Readonly<Record<string, object>> | undefined;
  /** Where agents find their models; default: those of the environment. */
  readonly models?: Models | ModelsOptions | undefined;
  /** Settings of agents; `STATEK_…` variables and `.env` decide what is not set here. */
  readonly settings?: SettingOptions | undefined;
  /** What is remembered across jobs: categories of facts in addition to PREFERENCE, ENTITY and VOCABULARY. */
  readonly memory?: { readonly categories?: readonly string[] | undefined } | undefined;
  /** Drivers of jobs that no agent works on. Every process that is to work on jobs of a role registers its driver. */
  readonly drivers?: readonly Driver[] | undefined;
  /** Milliseconds after which finished jobs are deleted; default: they are kept, unless the job itself has `keepFor`. */
  readonly keepJobsFor?: number | undefined;
  /**
   * Which commits of programs are kept, applied in the background by workers; a function may choose by role and labels. Default:
   * the latest 1,000, those of the last week, and tagged ones, within half a gigabyte for each program. `false` keeps everything.
   */
  readonly retention?: KitRetention | undefined;
  /**
   * The version of the application's code: a whole number or dotted numbers, such as `2026.11.1`. Jobs remember it: workers of an
   * older version leave them alone, and `onChange` of their agent or driver says what a newer one does with them.
   */
  readonly version?: string | number | undefined;
  /**
   * Secrets that are taken out of logs, spans, exports without `secrets`, and answers over HTTP, MCP and the command line: values of
   * fields of these names, and texts that match a pattern. Programs, and the application itself, see everything.
   */
  readonly redact?: RedactOptions | undefined;
  /** Modules that steps may import: source text by specifier; for Python by the path of its file, such as `billing/tax.py`. */
  readonly modules?: Readonly<Record<string, string>> | undefined;
  /** Limits of workspaces that are made with this kit. */
  readonly limits?: Partial<WorkspaceLimits> | undefined;
  /** The maximum number of programs kept in memory; default: 1,000. Others come back from the store by themselves. */
  readonly liveWorkspaces?: number | undefined;
  /** Memory for programs that are kept, in MiB; default: 512. */
  readonly memoryMegabytes?: number | undefined;
  /** Memory for durable objects that were read, in MiB; default: 64. On stores with synchronous reads. */
  readonly objectCacheMegabytes?: number | undefined;
  /** Programs may keep any object of the application, sockets and cursors too. Only with a `memory:` store: nothing survives the process. */
  readonly live?: boolean | undefined;
  /** How long another process waits before it takes over from one that died; default: 5,000. */
  readonly leaseMilliseconds?: number | undefined;
  /**
   * How long jobs may wait in the queue of their role for a worker, in milliseconds, for all roles or by role. When one has waited longer,
   * this process accepts no new jobs of the role (and tenant): `kit.submit` throws `QUEUE_OVERLOADED`. Default: not limited.
   */
  readonly maxQueueAge?: MaxQueueAge | undefined;
  /** A slice that keeps its process busy for so long is noted for `kit.slowSlices()`, and counted; default: 2,000. */
  readonly slowSliceMilliseconds?: number | undefined;
  /** Where the time comes from; `SimulatedClock` in `statek/testing` is one for tests. */
  readonly clock?: Clock | undefined;
  /** Where something can be made to go wrong, for tests. */
  readonly faults?: Faults | undefined;
}

const names: OptionNames<StatekOptions> = {
  store: true,
  agents: true,
  classes: true,
  services: true,
  models: true,
  settings: true,
  memory: true,
  drivers: true,
  keepJobsFor: true,
  retention: true,
  version: true,
  redact: true,
  modules: true,
  limits: true,
  liveWorkspaces: true,
  memoryMegabytes: true,
  objectCacheMegabytes: true,
  live: true,
  leaseMilliseconds: true,
  maxQueueAge: true,
  slowSliceMilliseconds: true,
  clock: true,
  faults: true,
};

/** Its type does not compile if the services do not know an option, which would then be accepted and ignored. */
export function servicesOptions(options: StatekOptions): {
  readonly [Name in keyof Omit<StatekOptions, 'retention'>]: ServicesOptions[Name];
} {
  refuseUnknownOptions('Statek.open', options, names);
  const { retention, ...rest } = options;
  const { agents = [], drivers = [], classes = [], services = {}, clock } = rest;
  checkRetention(retention);
  listOption('Statek.open', 'classes', classes);
  listOption('Statek.open', 'agents', agents);
  for (const driver of listOption('Statek.open', 'drivers', drivers)) refuseAgentAsDriver(driver);
  checkServices(services);
  if (clock !== undefined && typeof (clock as Partial<Clock> | null)?.now !== 'function')
    throw new InvalidOptionError(
      `Statek.open: option 'clock' must have a method now(), as new SimulatedClock() of statek/testing has, not ${described(clock)}.`,
      { name: 'clock' },
    );
  return rest;
}

function refuseAgentAsDriver(driver: unknown): void {
  if (!(driver instanceof Agent)) return;
  throw new InvalidOptionError(`Statek.open: '${driver.role}' is an agent; give it under agents, not under drivers.`, {
    name: 'drivers',
    role: driver.role,
  });
}

/** What a program calls by name is an object or a function; anything else is data, which is passed in vars. */
function checkServices(services: object): void {
  const { constructor } = services as { readonly constructor?: unknown };
  if (typeof services !== 'object' || Array.isArray(services) || constructor === Map)
    throw new InvalidOptionError(
      `Statek.open: option 'services' must be an object of services by name, as in { mailer }, not ${described(services)}.`,
      { name: 'services' },
    );
  for (const [name, service] of Object.entries(services) as [string, unknown][])
    if (service === null || (typeof service !== 'object' && typeof service !== 'function'))
      throw new InvalidOptionError(
        `Statek.open: services.${name} must be an object or a function, not ${described(service)}. Data is passed in vars.`,
        { name: 'services', service: name },
      );
}
