// Makes folders as deep as needed. Node's own option for that never returns in some places of the system, such as /proc.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder, and those it is in; one that is there stays as it is. */
export function makeFolders(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || existsSync(above)) throw error;
    makeFolders(above);
    makeFolders(path);
  }
}
