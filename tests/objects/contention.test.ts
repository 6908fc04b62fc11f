// Two programs decide by what they see of objects that the other one is about to change: phantoms and write skew. As if
// they ran one after the other, only one gets what both wanted; on both stores, in one process and in two.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Statek, type Step, type Workspace } from '../../src/index.ts';
import { bankPlace, openBankStore, type BankPlace } from '../bank/place.ts';
import { Booking, bookingStep, contentionClasses, Doctor, leavingStep, Rendezvous } from './contention.ts';
import { postgresForTests } from '../support/postgres.ts';

const isThere = (await postgresForTests()) !== undefined;
const rounds = 10;

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  describe.skipIf(engine === 'postgres' && !isThere)('two programs', () => {
    test('do not both book the slot that both saw free', async () => {
      const { first, second, meeting, kit } = await twoKits(engine);
      const [one, two] = await both(first, second, bookingStep(9, 'first'), bookingStep(9, 'second'));
      expect([String(one.value), String(two.value)].toSorted()).toEqual(['booked', 'taken']);
      expect(meeting.conflicts).toBeGreaterThan(0);
      const found = await kit.transaction(() => [...kit.find(Booking)].map(({ who }) => who));
      expect(found).toEqual([one.value === 'booked' ? 'first' : 'second']);
    });

    test('do not both leave because the other one stays', async () => {
      const { first, second, meeting, kit } = await twoKits(engine);
      const [one, two] = await both(first, second, leavingStep('first'), leavingStep('second'));
      expect([String(one.value), String(two.value)].toSorted()).toEqual(['leaves', 'stays']);
      expect(meeting.conflicts).toBeGreaterThan(0);
      const onCall = await kit.transaction(() => [...kit.find(Doctor)].filter((doctor) => doctor.onCall).length);
      expect(onCall).toBe(1);
    });

    test(`in two processes get it once each of ${rounds} times`, async () => {
      const place = await freshPlace(engine);
      const kit = await openKit(place);
      await kit.transaction(() => [new Doctor('first'), new Doctor('second')]);
      const [first, second] = await Promise.all(['first', 'second'].map((name) => start(place, name)));
      for (let round = 1; round <= rounds; round++) {
        const booked = await Promise.all([
          ask(first, bookingStep(round, 'first')),
          ask(second, bookingStep(round, 'second')),
        ]);
        expect(booked.toSorted()).toEqual(['booked', 'taken']);
        await kit.transaction(() => {
          for (const doctor of kit.find(Doctor)) doctor.onCall = true;
        });
        const left = await Promise.all([ask(first, leavingStep('first')), ask(second, leavingStep('second'))]);
        expect(left.toSorted()).toEqual(['leaves', 'stays']);
      }
      const slots = await kit.transaction(() => [...kit.find(Booking)].map(({ slot }) => slot));
      expect(slots).toEqual(Array.from({ length: rounds }, (_, index) => index + 1));
    });
  });
});

async function freshPlace(engine: 'sqlite' | 'postgres'): Promise<BankPlace> {
  const place = await bankPlace(engine);
  if (place === undefined) throw new Error('There is no PostgreSQL.');
  onTestFinished(() => place.dispose());
  return place;
}

async function openKit({ description }: BankPlace, around?: Rendezvous): Promise<Statek> {
  const store = await openBankStore(description);
  const kit = await Statek.open({ store: around?.join(store) ?? store, classes: contentionClasses });
  onTestFinished(async () => {
    await kit.close();
    await store.close();
  });
  return kit;
}

/** Two workspaces in two kits on one store, whose first changes of objects meet. */
async function twoKits(
  engine: 'sqlite' | 'postgres',
): Promise<{ first: Workspace; second: Workspace; meeting: Rendezvous; kit: Statek }> {
  const place = await freshPlace(engine);
  const kit = await openKit(place);
  await kit.transaction(() => [new Doctor('first'), new Doctor('second')]);
  const meeting = new Rendezvous(2);
  const [first, second] = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const own = await openKit(place, meeting);
      return own.workspace(name, { vars: { Booking, bookings: own.find(Booking), doctors: own.find(Doctor) } });
    }),
  );
  return { first: first as Workspace, second: second as Workspace, meeting, kit };
}

async function both(first: Workspace, second: Workspace, one: string, two: string): Promise<[Step, Step]> {
  return Promise.all([first.run(one), second.run(two)]);
}

async function start({ description }: BankPlace, name: string): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'contention-child.ts'), [JSON.stringify(description), name]);
  onTestFinished(async () => {
    const exited = once(child, 'exit');
    if (child.kill('SIGKILL')) await exited;
  });
  await once(child, 'message');
  return child;
}

async function ask(child: ChildProcess | undefined, source: string): Promise<unknown> {
  const answered = once(child as ChildProcess, 'message') as Promise<[{ value?: unknown; error?: unknown }]>;
  child?.send(source);
  const [{ value, error }] = await answered;
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return value;
}
