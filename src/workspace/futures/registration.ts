// Where a future is found by what ends it: timers by the time at which they are due, waits for signals by name, questions by people.
import type { Key, Write } from '../../store/door.ts';
import { askedOfPeople, withdrawnFromPeople } from './questions.ts';
import { isOpen, signalOf, signalWaitRows, timerOf, timerRows, type FutureRow } from '../rows.ts';

function timerKey(future: FutureRow): Key | undefined {
  const time = timerOf(future);
  return time === undefined ? undefined : [time, future.workspace, future.number];
}

/** Undefined if it does not wait for a signal. */
export function signalWaitKey(future: FutureRow): Key | undefined {
  const signal = signalOf(future);
  return signal === undefined ? undefined : [signal, future.created, future.workspace, future.number];
}

/** What lets timers, signals and people find a future. */
export function registration(future: FutureRow): Write[] {
  const { workspace, number } = future;
  return [
    ...places(future).map((place): Write => ({ kind: 'put', ...place, value: { workspace, number } })),
    ...askedOfPeople(future),
  ];
}

/**
 * What lets timers, signals and people find the open ones of futures that were written before. Those of a job that can only be looked at
 * are shown to people, and nothing ends them.
 */
export function importedFutures(futures: readonly FutureRow[], lookOnly: boolean): Write[] {
  return futures.filter(isOpen).flatMap(lookOnly ? askedOfPeople : registration);
}

/** From then on no timer, no signal and no person finds it. */
export function withdrawal(future: FutureRow): Write[] {
  return [...places(future).map((place): Write => ({ kind: 'remove', ...place })), ...withdrawnFromPeople(future)];
}

/** From then on no signal finds it, though it is open: signals are for those who are at work. */
export function signalWithdrawal(future: FutureRow): Write[] {
  const key = signalWaitKey(future);
  return key === undefined ? [] : [{ kind: 'remove', collection: signalWaitRows, key }];
}

function places(future: FutureRow): Pick<Write, 'collection' | 'key'>[] {
  const timer = timerKey(future);
  const wait = signalWaitKey(future);
  return [
    ...(timer === undefined ? [] : [{ collection: timerRows, key: timer }]),
    ...(wait === undefined ? [] : [{ collection: signalWaitRows, key: wait }]),
  ];
}
