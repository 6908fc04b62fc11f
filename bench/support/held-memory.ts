// Memory held by this process after garbage collection. Resident memory would also count memory that was freed but not
// returned to the system, including that of earlier measurements.
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export async function heldMemory(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // External memory is released only after the collection that found it unused.
  for (let round = 0; round < 3; round++) {
    collect();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
