// Runs one command as a process: handles signals, warnings and closed output, and exits.
import { Interrupted } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { harmless } from '../output/style.ts';
import { runWords } from './run-words.ts';
import type { Session } from '../session.ts';

const restMilliseconds = 20;

export async function runCommandLine(words: readonly string[]): Promise<never> {
  const { stdout, stderr } = process;
  let session: Session | undefined;
  let isOutputClosed: boolean | undefined;
  // The reader of the output is gone, as in `statek jobs | head -1`.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isOutputClosed = true;
    if (session === undefined) process.exit(exitCodes.ok);
    session.interrupt(new Interrupted('SIGPIPE'));
  });
  stderr.on('error', () => undefined);
  // Users need not see Node's warnings about its experimental modules.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') stderr.write(`${name}: ${harmless(message)}\n`);
  });
  let interruptions = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      // A second ^C exits at once; everything committed is in the store.
      if (++interruptions > 1 || session === undefined)
        process.exit(name === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated);
      session.interrupt(new Interrupted(name));
    });

  const code = await runWords(words, {
    stdout,
    stderr,
    stdin: process.stdin,
    environment: process.env,
    folder: process.cwd(),
    onSession: (opened) => (session = opened),
  });
  if (isOutputClosed !== true)
    await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
  await compilersAtRest();
  // The application may keep the event loop alive; the command has ended.
  process.exit(code);
}

/**
 * Node waits at exit for functions that are being optimised in the background. One of them may need a garbage collection, which only this
 * thread can do while it still runs: then the process never ends (nodejs/node#54918). Nothing new becomes hot in an idle moment.
 */
function compilersAtRest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, restMilliseconds));
}
