// Retention in the background: now and then, one of the processes that work on the store drops what the policy does not keep. Durable
// objects are collected only by `kit.gc`, because only the application knows whether something outside the store leads to them.
import { afterQuietly, type Clock } from '../base/clock.ts';
import { InvalidOptionError } from '../base/options.ts';
import { checkPolicy, defaultRetention, type RetentionPolicy } from '../history/door.ts';
import { dropOldUse, jobRows } from '../jobs/door.ts';
import { readUndamaged, workCollection, type Store } from '../store/door.ts';
import { applyRetention, type KitGcReport, type WorkspaceContext } from '../workspace/door.ts';

/** A program whose history is about to be trimmed. */
export interface RetainedProgram {
  readonly workspace: string;
  /** Of the job that the workspace belongs to, if it belongs to one. */
  readonly role: string | undefined;
  readonly labels: readonly string[];
}

/** What is kept of every program; a function may choose by program, and undefined keeps everything of it. */
export type KitRetention = RetentionPolicy | ((program: RetainedProgram) => RetentionPolicy | undefined) | false;

/** What retention keeps, and what became of it when it was last applied. */
export interface RetentionState {
  /** What this process keeps; `by program` if a function decides, `everything` if it is switched off. */
  readonly policy: RetentionPolicy | 'by program' | 'everything';
  /** When some process last applied its policy in the background; undefined if none has yet. */
  readonly last: Date | undefined;
  /** What that removed. */
  readonly removed: RetentionRun | undefined;
}

/** What was removed when retention was applied. */
export type RetentionRun = Pick<KitGcReport, 'commitsDropped' | 'rowsRemoved' | 'bytesFreed'>;

/** ['retention']: when it was last done. Whoever holds the lease does it. */
const maintenanceRows = workCollection<{ readonly done: number; readonly removed?: RetentionRun }>('maintenance');
const key = ['retention'];
const betweenMilliseconds = 6 * 3_600_000;
const leaseMilliseconds = 600_000;

/** Rejects an invalid retention. */
export function checkRetention(retention: unknown): void {
  if (retention === undefined || retention === false || typeof retention === 'function') return;
  if (typeof retention !== 'object' || retention === null)
    throw new InvalidOptionError('Statek.open: retention is a policy such as { last: 1000 }, a function, or false.', {
      name: 'retention',
    });
  checkPolicy(retention);
}

export interface MaintenanceParts {
  readonly store: Store;
  readonly context: WorkspaceContext;
  readonly clock: Clock;
  readonly retention: KitRetention | undefined;
  /** Removes what other layers do not need any more; returns how many rows. */
  dropOthers(): Promise<number>;
}

export class Maintenance {
  readonly #parts: MaintenanceParts;
  #running = 0;

  constructor(parts: MaintenanceParts) {
    this.#parts = parts;
  }

  /** Looks after the store until a worker has ended. */
  begin(ended: Promise<void>): void {
    if (this.#parts.retention === false) return;
    const own = ++this.#running;
    let cancel = (): void => undefined;
    const again = (): void => {
      cancel = afterQuietly(this.#parts.clock, betweenMilliseconds, () => {
        void this.run()
          .catch(warn)
          .finally(() => own === this.#running && again());
      });
    };
    again();
    const stop = (): void => {
      cancel();
      this.#running++;
    };
    ended.then(stop, stop);
  }

  /** Does it if it is due and nobody else does it; undefined if not. */
  async run(): Promise<RetentionRun | undefined> {
    const { store, clock, context } = this.#parts;
    await store.declare(maintenanceRows);
    const [known] = await store.read(maintenanceRows, [key]);
    if (known === undefined)
      await store.commit([
        {
          checks: [{ kind: 'absent', collection: maintenanceRows, key }],
          writes: [{ kind: 'put', collection: maintenanceRows, key, value: { done: 0 } }],
        },
      ]);
    const owner = `maintenance ${process.pid}`;
    const [claimed] = await store.claim(maintenanceRows, { owner, limit: 1, leaseMilliseconds });
    if (claimed === undefined) return undefined;
    const { lease, entry } = claimed;
    try {
      if (clock.now() - entry.value.done < betweenMilliseconds) return undefined;
      const { damaged, ...applied } = await applyRetention(context, (workspace) => this.#policyOf(workspace));
      if (damaged.length > 0)
        process.emitWarning(
          `Retention left alone what is damaged; statek verify names all of it. ${damaged.slice(0, 3).join(' ')}`,
          'StatekWarning',
        );
      const report = { ...applied, rowsRemoved: applied.rowsRemoved + (await this.#parts.dropOthers()) };
      await dropOldUse(store, clock.now());
      await store.commit([
        { writes: [{ kind: 'put', collection: maintenanceRows, key, value: { done: clock.now(), removed: report } }] },
      ]);
      return report;
    } finally {
      await store.release([lease]).catch(() => undefined);
    }
  }

  async state(): Promise<RetentionState> {
    const { retention, store } = this.#parts;
    await store.declare(maintenanceRows);
    const [entry] = await store.read(maintenanceRows, [key]);
    const { done = 0, removed } = entry?.value ?? {};
    return {
      policy:
        typeof retention === 'function'
          ? 'by program'
          : retention === false
            ? 'everything'
            : (retention ?? defaultRetention),
      last: done === 0 ? undefined : new Date(done),
      removed,
    };
  }

  async #policyOf(workspace: string): Promise<RetentionPolicy | undefined> {
    const { retention, store } = this.#parts;
    if (typeof retention !== 'function') return retention === false ? undefined : (retention ?? defaultRetention);
    const damage: unknown[] = [];
    const [job] = await readUndamaged(store, jobRows, [[workspace]], (_key, error) => damage.push(error));
    // What it was cannot be asked any more, so everything of it stays.
    if (damage.length > 0) return undefined;
    const chosen = retention({ workspace, role: job?.value.role, labels: job?.value.labels ?? [] });
    return chosen === undefined ? undefined : checkPolicy(chosen);
  }
}

function warn(error: unknown): void {
  const { code } = error as { code?: unknown };
  // A `gc` that was started meanwhile does the same.
  if (code === 'HISTORY_COLLECTOR_REPLACED' || code === 'STORE_CLOSED' || code === 'KIT_CLOSED') return;
  process.emitWarning(`Retention could not be applied, and is tried again later: ${String(error)}`, 'StatekWarning');
}
