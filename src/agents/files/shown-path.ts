// How an error names a file. Guest code and callers over HTTP read such messages, so they hold no folders of the machine: a path
// within the working directory is shown from there, and of another absolute one only the name.
import { basename, isAbsolute, parse, relative } from 'node:path';

export function shownPath(path: string, folder = process.cwd()): string {
  if (!isAbsolute(path)) return path;
  const within = relative(folder, path);
  const isWithin = folder !== parse(folder).root && !within.startsWith('..') && !isAbsolute(within);
  return isWithin ? within : basename(path);
}
