// What two programs of different workspaces want at the same time, and how their first commits are made to meet.
import type { Store } from '../../src/index.ts';
import type { CommitResult, Transaction } from '../../src/store.ts';
import { Durable } from '../../src/objects/durable.ts';
import { objectCollections } from '../../src/objects/rows.ts';
import { withCommit } from '../workspace/support/stores.ts';

export class Booking extends Durable {
  slot: number;
  who: string;

  constructor(slot: number, who: string) {
    super();
    this.slot = slot;
    this.who = who;
  }
}

export class Doctor extends Durable {
  name: string;
  onCall = true;

  constructor(name: string) {
    super();
    this.name = name;
  }
}

export const contentionClasses = [Booking, Doctor] as const;

/** The code of a step: books a slot if nobody has it, judging by a query. */
export function bookingStep(slot: number, who: string): string {
  return `{
    let isFree = true;
    for (const booking of bookings) if (booking.slot === ${slot}) isFree = false;
    if (isFree) new Booking(${slot}, '${who}');
    isFree ? 'booked' : 'taken';
  }`;
}

/** The code of a step: goes off call if somebody else stays. Everybody writes another object than the others. */
export function leavingStep(who: string): string {
  return `{
    const others = [...doctors].filter((doctor) => doctor.name !== '${who}' && doctor.onCall);
    const me = [...doctors].find((doctor) => doctor.name === '${who}');
    if (others.length > 0) me.onCall = false;
    me.onCall ? 'stays' : 'leaves';
  }`;
}

const objectNames: ReadonlySet<string> = new Set(objectCollections.map(({ name }) => name));

function changesObjects({ writes = [] }: Transaction): boolean {
  return writes.some(({ collection }) => objectNames.has(collection.name));
}

/** Stores whose first changes of objects wait for each other, so that each was decided without seeing the other. */
export class Rendezvous {
  conflicts = 0;
  readonly #expected: number;
  #arrived: (() => void)[] = [];
  #isOver = false;

  constructor(expected: number) {
    this.#expected = expected;
  }

  join(store: Store): Store {
    let hasMet = false;
    return withCommit(store, async (transactions, commit) => {
      if (!hasMet && !this.#isOver && transactions.some(changesObjects)) {
        hasMet = true;
        await this.#meet();
      }
      const results = await commit(transactions);
      this.conflicts += results.filter(isObjectConflict).length;
      return results;
    });
  }

  async #meet(): Promise<void> {
    const met = new Promise<void>((resolve) => this.#arrived.push(resolve));
    if (this.#arrived.length === this.#expected) {
      this.#isOver = true;
      for (const resolve of this.#arrived) resolve();
    }
    await met;
  }
}

export function isObjectConflict(result: CommitResult): boolean {
  return result.status === 'conflict' && objectNames.has(result.conflict.collection);
}
