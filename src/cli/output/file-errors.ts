// Says in words what the operating system reports about a file.
import { relative } from 'node:path';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission was denied',
  EPERM: 'permission was denied',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

/** Why a file cannot be used; undefined if the error is not about a file. */
export function fileReason(error: unknown): string | undefined {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || syscall === undefined) return undefined;
  return reasons[code] ?? message;
}

/** The file that an error is about, as a person in this folder would write it; the given name if the error names none. */
export function fileOf(error: unknown, folder: string, given: string): string {
  const { path } = error as NodeJS.ErrnoException;
  if (typeof path !== 'string') return given;
  const whole = path.replace(/\.part$/, '');
  const short = relative(folder, whole);
  return short.startsWith('..') ? whole : short;
}
