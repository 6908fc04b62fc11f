// Node writes its compile cache only on a normal exit, so killed processes would compile the same modules again.
import { flushCompileCache } from 'node:module';

/** Flushes the compile cache of this process for the next one. */
export function saveCompiledModules(): void {
  flushCompileCache();
}
