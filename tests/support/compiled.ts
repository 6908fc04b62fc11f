// Programs that are killed compile the same modules again and again: Node writes its cache of them at a good end only.
import { flushCompileCache } from 'node:module';

/** Writes what this process has compiled so far, for the next one. */
export function saveCompiledModules(): void {
  flushCompileCache();
}
