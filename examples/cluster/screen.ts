// What is shown meanwhile: a table that is drawn again on a terminal, and a line now and then anywhere else.
import type { ProcessState } from './processes.ts';

export interface Progress {
  readonly seconds: number;
  readonly jobs: number;
  readonly started: number;
  readonly done: number;
  readonly processes: readonly ProcessState[];
  /** The process that was killed since the last time. */
  readonly killed: number | undefined;
}

let drawn = 0;

export function show({ seconds, jobs, started, done, processes, killed }: Progress): void {
  const kills = processes.reduce((sum, one) => sum + one.kills, 0);
  const count = (number: number): string => String(number).padStart(String(jobs).length);
  const summary = `${seconds.toFixed(0).padStart(3)} s  of ${jobs}: ${count(started)} started, ${count(done)} done; ${kills} killed`;
  if (!process.stdout.isTTY) {
    if (killed !== undefined) console.log(`${summary}  (kill -9 ${killed})`);
    return;
  }
  const bar = '█'.repeat(Math.round((40 * done) / jobs)).padEnd(40, '░');
  const rows = processes.map(
    (one) =>
      `  process ${String(one.pid).padStart(7)}  ${one.isWorking ? `${String(one.jobs).padStart(3)} jobs` : 'starting'}  killed ${one.kills} times`,
  );
  const lines = [`${bar} ${summary}`, ...rows];
  process.stdout.write(`${drawn === 0 ? '' : `\u001b[${drawn}A`}${lines.map((line) => `\u001b[K${line}\n`).join('')}`);
  drawn = lines.length;
}
