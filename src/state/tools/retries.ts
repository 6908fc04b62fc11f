// Executions that are to be tried again: when, how often, and by whom. A retry that is due is handed to one worker, under a lease; if
// the worker dies, to the next one.
import { randomUUID } from 'node:crypto';
import { type Check, type Entry, type Lease, type Store, type TransactionPart, type Write } from '../../store/door.ts';
import { StateConflictError } from '../foundation/errors.ts';
import type { Changes, Decision, Under } from '../foundation/changes.ts';
import { is, type Kind } from '../foundation/given.ts';
import type { Place } from '../foundation/place.ts';
import type { RetryState } from './records.ts';
import { retryRows, retryWork, type RetryRow } from './rows.ts';

const firstPause = 1000;
const maxPause = 3_600_000;

/** What is said of a failed execution that is to be tried again. */
export interface NewRetryState {
  readonly executionId: string;
  /** How often it was tried. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly lastError?: string | undefined;
  /** Default: a second after the first attempt, `backoffFactor` times that after each further one; at most an hour. */
  readonly nextRetryAt?: Date | undefined;
  /** Default: 2. */
  readonly backoffFactor?: number | undefined;
}

/** A retry that was handed to this worker, until the lease expires. */
export interface ClaimedRetry extends RetryState {
  /** Give it to `completeExecution`, `failExecution` or `updateRetryState`: they are refused if another worker has it now. */
  readonly claim: RetryClaim;
}

/** The right to retry an execution. */
export interface RetryClaim {
  readonly executionId: string;
  readonly lease: Lease;
}

export const retryClaim: Kind = is.own((value) => {
  const { executionId, lease } = (value ?? {}) as Partial<RetryClaim>;
  return typeof executionId === 'string' && typeof (lease as Partial<Lease> | undefined)?.token === 'number';
}, 'the claim of a retry, as claimRetry returns it');

export class Retries {
  readonly #place: Place;
  readonly #changes: Changes;
  readonly #owner = `retry ${process.pid} ${randomUUID().slice(0, 8)}`;

  constructor(place: Place, changes: Changes) {
    this.#place = place;
    this.#changes = changes;
  }

  async update(state: NewRetryState, claim: RetryClaim | undefined): Promise<RetryState> {
    const { executionId, attempts, maxAttempts, lastError, nextRetryAt, backoffFactor = 2 } = state;
    const pause = Math.min(firstPause * backoffFactor ** Math.min(Math.max(attempts - 1, 0), 100), maxPause);
    const due = attempts >= maxAttempts ? undefined : (nextRetryAt?.getTime() ?? this.#place.clock.now() + pause);
    const row: RetryRow = {
      executionId,
      attempts,
      maxAttempts,
      ...(lastError === undefined ? {} : { lastError }),
      ...(due === undefined ? {} : { due }),
      backoffFactor,
    };
    const decide = async (store: Store): Promise<Decision<RetryState>> => {
      const key = this.#key(executionId);
      const [known] = await store.read(retryRows, [key]);
      const part: TransactionPart = {
        checks: [known === undefined ? { kind: 'absent', collection: retryRows, key } : unchanged(known)],
        writes: [
          { kind: 'put', collection: retryRows, key, value: row },
          ...(known?.value.due === undefined || known.value.due === due ? [] : [this.#withdrawal(known.value)]),
          ...(due === undefined
            ? []
            : [
                {
                  kind: 'put' as const,
                  collection: retryWork,
                  key: [...this.#work(due), executionId],
                  value: { executionId },
                },
              ]),
        ],
      };
      return { value: stateOf(row), part };
    };
    return this.#changes.make(`The execution '${executionId}'`, decide, claim && underClaim(claim));
  }

  /** What forgets a retry, with the end of its execution. */
  async settled(store: Store, executionId: string): Promise<{ readonly checks: Check[]; readonly writes: Write[] }> {
    const key = this.#key(executionId);
    const [known] = await store.read(retryRows, [key]);
    if (known === undefined) return { checks: [{ kind: 'absent', collection: retryRows, key }], writes: [] };
    return {
      checks: [unchanged(known)],
      writes: [
        { kind: 'remove', collection: retryRows, key },
        ...(known.value.due === undefined ? [] : [this.#withdrawal(known.value)]),
      ],
    };
  }

  async get(executionId: string): Promise<RetryState | undefined> {
    const [known] = await (await this.#place.store()).read(retryRows, [this.#key(executionId)]);
    return known && stateOf(known.value);
  }

  /** Those that are tried again, the next one first; with `due`, only those whose time has come. */
  async pending(due: boolean, limit: number): Promise<readonly RetryState[]> {
    const store = await this.#place.store();
    const page = await store.scan(retryWork, this.#range(due), { limit });
    const rows = await store.read(
      retryRows,
      page.entries.map(({ value }) => this.#key(value.executionId)),
    );
    return rows.flatMap((row) => (row === undefined ? [] : [stateOf(row.value)]));
  }

  /** The next retry whose time has come and which no other worker has; undefined if there is none. */
  async claim(leaseMilliseconds: number): Promise<ClaimedRetry | undefined> {
    const store = await this.#place.store();
    const range = this.#range(true);
    const [claimed] = await store.claim(retryWork, { owner: this.#owner, limit: 1, leaseMilliseconds, range });
    if (claimed === undefined) return undefined;
    const { executionId } = claimed.entry.value;
    const [row] = await store.read(retryRows, [this.#key(executionId)]);
    if (row !== undefined) return { ...stateOf(row.value), claim: { executionId, lease: claimed.lease } };
    await store.release([claimed.lease]);
    return undefined;
  }

  async release({ lease }: RetryClaim): Promise<void> {
    await (await this.#place.store()).release([lease]);
  }

  #key(executionId: string): readonly string[] {
    return [this.#place.prefix, executionId];
  }

  #work(due: number): readonly (string | number)[] {
    return [this.#place.prefix, due];
  }

  #range(due: boolean): { prefix: readonly string[]; to?: readonly (string | number)[] } {
    const { prefix, clock } = this.#place;
    return { prefix: [prefix], ...(due ? { to: [prefix, clock.now() + 1] } : {}) };
  }

  #withdrawal({ executionId, due = 0 }: RetryRow): Write {
    return { kind: 'remove', collection: retryWork, key: [...this.#work(due), executionId] };
  }
}

/** What a worker says of a retry counts while the retry is its own. */
export function underClaim({ executionId, lease }: RetryClaim): Under {
  return {
    lease,
    lost: () =>
      new StateConflictError(
        `The retry of '${executionId}' was handed to another worker, because the lease of this one had expired. Nothing was recorded.`,
        { executionId },
      ),
  };
}

function unchanged({ key, revision }: Entry<RetryRow>): Check {
  return { kind: 'revision', collection: retryRows, key, revision };
}

function stateOf({ executionId, attempts, maxAttempts, lastError, due, backoffFactor }: RetryRow): RetryState {
  return {
    executionId,
    attempts,
    maxAttempts,
    lastError,
    nextRetryAt: due === undefined ? undefined : new Date(due),
    backoffFactor,
    exhausted: due === undefined,
  };
}
