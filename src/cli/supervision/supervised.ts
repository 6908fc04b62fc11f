// A worker that a supervisor started: it stops when the supervisor says so, and when the supervisor is gone.
import { Worker } from 'node:worker_threads';
import { Interrupted } from '../line/errors.ts';
import type { Session } from '../session.ts';
import type { WatchData } from './supervised-thread.ts';

/** Set for the processes of a supervisor. */
export const supervisedVariable = 'STATEK_SUPERVISED';

export type SupervisorMessage = 'stop';
export type SupervisedMessage = 'working';

/** How much longer than its grace a worker may take to stop before it is killed. */
export const maxStoppingMilliseconds = 10_000;

/** Undefined in a process of its own. The returned function tells the supervisor that this process works. */
export function underSupervision(session: Session): (() => void) | undefined {
  if (process.env[supervisedVariable] === undefined || process.send === undefined) return undefined;
  // Not for processes that the application starts.
  delete process.env[supervisedVariable];
  // ^C and the end of a terminal reach every process in it; what they mean is for the supervisor to say.
  for (const name of ['SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(name);
    process.on(name, () => undefined);
  }
  const stop = (): void => session.interrupt(new Interrupted('SIGTERM'));
  process.on('message', (message: unknown) => {
    if (message === ('stop' satisfies SupervisorMessage)) stop();
  });
  process.once('disconnect', stop);
  const workerData: WatchData = {
    supervisor: process.ppid,
    patienceMilliseconds: session.graceMilliseconds + maxStoppingMilliseconds,
  };
  new Worker(new URL('./supervised-thread.ts', import.meta.url), { workerData }).unref();
  // Neither keeps a worker alive that has nothing left to do.
  process.channel?.unref();
  return () => {
    if (process.connected) process.send?.('working' satisfies SupervisedMessage);
  };
}
