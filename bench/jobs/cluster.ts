// Durable steps per second of several processes on one PostgreSQL store.
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { TestPostgres } from '../../tests/support/postgres.ts';
import { milliseconds } from '../support/measurement.ts';

export interface Cluster {
  readonly processes: number;
  /** In each process. */
  readonly jobs: number;
  readonly steps: number;
}

export async function clusterStepsPerSecond(
  postgres: TestPostgres,
  url: string,
  { processes, jobs, steps }: Cluster,
  { onStart, onEnd }: { onStart?(): void; onEnd?(): void } = {},
): Promise<number> {
  const { schema, drop } = await postgres.freshSchema();
  const children: ChildProcess[] = [];
  try {
    for (let index = 0; index < processes; index++) {
      const child = fork(join(import.meta.dirname, 'steps-child.ts'), [url, schema, String(jobs), String(steps)]);
      children.push(child);
      await messageFrom(child);
    }
    onStart?.();
    const time = await milliseconds(() =>
      Promise.all(
        children.map((child) => {
          const done = messageFrom(child);
          child.send('go');
          return done;
        }),
      ),
    );
    onEnd?.();
    await Promise.all(
      children.map((child) => {
        const exited = new Promise((resolve) => child.once('exit', resolve));
        child.send('end');
        return exited;
      }),
    );
    return (processes * jobs * steps) / (time / 1000);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await drop();
  }
}

function messageFrom(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('A process of the benchmark ended too early.'));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}
