// What backup, restore and copy have in common: a progress bar, what is printed at the end, and errors of files.
import type { MoveOptions, MoveReport } from '../../../store/backup/progress.ts';
import type { CommandOption } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { fileOf, fileReason } from '../../output/file-errors.ts';
import type { Session } from '../../session.ts';

const mebibyte = 1024 * 1024;
const drawMilliseconds = 100;

export function moveOptions({ out, signal }: Session, label: string): MoveOptions {
  let drawn = 0;
  return {
    signal,
    onProgress: ({ unit, done, total }) => {
      if (performance.now() - drawn < drawMilliseconds && done < total) return;
      drawn = performance.now();
      const factor = unit === 'bytes' ? mebibyte : 1;
      const shown = Math.max(Math.ceil(total / factor), 1);
      out.progress(label, Math.min(Math.ceil(done / factor), shown), shown);
    },
  };
}

export const skipDamagedOption: CommandOption = {
  flags: '--skip-damaged',
  description: 'leave damaged entries out, and list them, instead of stopping at the first',
};

export function moveFacts(report: MoveReport): (readonly [string, string | undefined])[] {
  return [
    ['revision', String(report.revision)],
    ['entries', String(report.entries)],
    ['earlier versions', String(report.versions)],
    ['changes', String(report.changes)],
    ['removed', report.removed === 0 ? undefined : String(report.removed)],
  ];
}

/** Errors of the file system name the file as the user wrote it; `name` if the error itself names none. */
export async function withFile<Result>({ folder }: Session, name: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new UsageError(`Cannot use ${fileOf(error, folder, name)}: ${reason}.`, {}, error);
  }
}
