// One command as a process of its own: what it does with signals, warnings and readers that have gone, and its end.
import { Interrupted } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { harmless } from '../output/style.ts';
import { runWords } from './run-words.ts';
import type { Session } from '../session.ts';

export async function runCommandLine(words: readonly string[]): Promise<never> {
  const { stdout, stderr } = process;
  let session: Session | undefined;
  let isGone: boolean | undefined;
  // Whoever read the output has gone: there is nobody left to work for.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isGone = true;
    if (session === undefined) process.exit(exitCodes.ok);
    session.interrupt(new Interrupted('SIGPIPE'));
  });
  stderr.on('error', () => undefined);
  // What Node thinks of its own modules is no concern of those who type commands.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') stderr.write(`${name}: ${harmless(message)}\n`);
  });
  let interruptions = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      // Whoever asks twice wants it now; what was committed is in the store.
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
    begun: (begun) => (session = begun),
  });
  if (isGone !== true)
    await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
  // Something of the application may hold the process; the command is done.
  process.exit(code);
}
