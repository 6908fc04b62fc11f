// Watches the supervisor from a thread of a worker, and ends the worker if its own thread is too busy to notice that the
// supervisor is gone.
import { workerData } from 'node:worker_threads';

export interface WatchData {
  readonly supervisor: number;
  /** How long the worker may take to stop by itself. */
  readonly patienceMilliseconds: number;
}

const lookMilliseconds = 500;

const { supervisor, patienceMilliseconds } = workerData as WatchData;
const look = setInterval(() => {
  // The children of a dead process get another parent.
  if (process.ppid === supervisor) return;
  clearInterval(look);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), patienceMilliseconds);
}, lookMilliseconds);
