// Every sqlite store starts a thread, and every child process starts afresh: their modules are compiled once, not each time.
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** From now on, for threads and processes started here. */
export function keepCompiledModules(): void {
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'statek-tests-compiled');
}
