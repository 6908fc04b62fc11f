// A folder for the files of a benchmark, on the disk of the working directory, because temporary folders may be in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { progress } from './measurement.ts';

export async function inBenchFolder<Result>(
  name: string,
  action: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(process.env['STATEK_BENCH_FOLDER'] ?? process.cwd(), `bench-${name}-`));
  try {
    return await action(folder);
  } finally {
    progress('');
    rmSync(folder, { recursive: true, force: true });
  }
}
