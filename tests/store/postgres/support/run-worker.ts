// Starts worker-child.ts and waits for it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What the worker printed; throws if it failed. */
export async function runWorker(command: 'commit' | 'claim', url: string, schema: string, count = 1): Promise<string> {
  const { stdout } = await run(process.execPath, [
    join(import.meta.dirname, 'worker-child.ts'),
    command,
    url,
    schema,
    `${count}`,
  ]);
  return stdout;
}
