// What becomes of waits when the machine's clock is set back. A pause of ten milliseconds that was asked for while the clock
// was an hour ahead must not last an hour: pauses and time-outs are counted from when they began. A wait until a
// given time (`until`) means that time, and stays as it is.
import type { Clock } from '../../base/clock.ts';
import { scanAll, type Entry, type Transaction, type Write } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { isQuestion } from './questions.ts';
import { futureRows, timerRows, type FutureReference } from '../rows.ts';

/** Clocks are corrected by less than this all the time. */
const toleranceMilliseconds = 1000;
const atOnce = 500;

/** Notices that a clock was set back, by the machine's own time that nobody sets. */
export class ClockSteps {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = this.#difference();
  }

  /** Whether the clock was set back since this was asked last. */
  wasSetBack(): boolean {
    const moved = this.#difference() - this.#offset;
    this.#offset += moved;
    return moved < -toleranceMilliseconds;
  }

  #difference(): number {
    return this.#clock.now() - performance.now();
  }
}

/** Something that began when the clock was ahead ends as long from now as it was to take. */
export function afterStepBack(time: number, began: number, now: number): number {
  return began <= now + toleranceMilliseconds ? time : now + Math.max(0, time - began);
}

/** Moves the timers of pauses and time-outs that began when the clock was ahead. */
export async function moveTimers(context: WorkspaceContext): Promise<void> {
  let some: Entry<FutureReference>[] = [];
  for await (const entry of scanAll(context.store, timerRows, { from: [context.clock.now()] })) {
    some.push(entry);
    if (some.length < atOnce) continue;
    await move(context, some);
    some = [];
  }
  await move(context, some);
}

async function move({ store, clock }: WorkspaceContext, timers: readonly Entry<FutureReference>[]): Promise<void> {
  if (timers.length === 0) return;
  const now = clock.now();
  const futures = await store.read(
    futureRows,
    timers.map(({ value: { workspace, number } }) => [workspace, number]),
  );
  const transactions = timers.flatMap((timer, index): Transaction[] => {
    const future = futures[index];
    const due = timer.key[0] as number;
    if (future === undefined || future.value.kind === 'until') return [];
    const moved = afterStepBack(due, future.value.created, now);
    if (moved === due) return [];
    const { workspace, number } = timer.value;
    const times = {
      ...('due' in future.value ? { due: moved } : { expires: moved }),
      // Waits for signals and questions are kept under the time they began.
      ...(future.value.kind === 'signal' || isQuestion(future.value) ? {} : { created: now }),
    };
    const writes: Write[] = [
      { kind: 'remove', collection: timerRows, key: timer.key },
      { kind: 'put', collection: timerRows, key: [moved, workspace, number], value: timer.value },
      { kind: 'put', collection: futureRows, key: future.key, value: { ...future.value, ...times } },
    ];
    const checks = [
      { kind: 'revision' as const, collection: timerRows, key: timer.key, revision: timer.revision },
      { kind: 'revision' as const, collection: futureRows, key: future.key, revision: future.revision },
    ];
    return [{ checks, writes }];
  });
  if (transactions.length > 0) await store.commit(transactions);
}
