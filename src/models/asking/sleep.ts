// Sleeping with system timers. Everything that waits takes a Sleep, so that tests never wait.
import { setTimeout } from 'node:timers/promises';
import type { Sleep } from '../backend.ts';

export const systemSleep: Sleep = async (milliseconds, signal) => {
  try {
    await setTimeout(milliseconds, undefined, { signal });
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : error;
  }
};
