// From words to an exit code: parses, runs the command, closes the kit whatever happens, and says what went wrong.
import { commands } from './commands.ts';
import { Interrupted } from './errors.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { packageVersion } from './own-package.ts';
import { Output } from './output/output.ts';
import { harmless } from './output/style.ts';
import { parseCommandLine } from './program.ts';
import { Session } from './session.ts';

export async function runCommandLine(words: readonly string[]): Promise<never> {
  const { stdout, stderr } = process;
  let session: Session | undefined;
  let isGone = false;
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

  let code: number = exitCodes.ok;
  let isVerbose = words.includes('--verbose');
  const out = (json: boolean): Output => new Output({ json, environment: process.env, stdout, stderr });
  try {
    const parsed = await parseCommandLine(commands, packageVersion(), words, (text) => stdout.write(text));
    if (parsed !== undefined) {
      isVerbose = parsed.globals.verbose === true;
      session = new Session(out(parsed.globals.json === true), parsed.globals, process.cwd());
      code = (await parsed.command.run(session, parsed.given)) ?? exitCodes.ok;
    }
  } catch (error) {
    code = exitCodeOf(error);
    if (!(error instanceof Interrupted)) tell(error, isVerbose, out(false));
  }
  try {
    await session?.close();
  } catch (error) {
    if (code === exitCodes.ok) code = exitCodeOf(error);
    tell(error, isVerbose, out(false));
  }
  if (!isGone) await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
  // Something of the application may hold the process; the command is done.
  process.exit(code);
}

/** `CODE: what, where, what to do`, without a stack unless it is asked for. */
function tell(error: unknown, isVerbose: boolean, out: Output): void {
  const { code, message, stack } = (error instanceof Error ? error : new Error(String(error))) as Error & {
    code?: unknown;
  };
  const name = typeof code === 'string' ? code : 'ERROR';
  const text = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
  out.note(`${out.noteStyle.red(name)}: ${harmless(text)}`);
  if (!isVerbose) return;
  out.note(harmless(stack ?? ''));
  const { cause } = error as { cause?: unknown };
  if (cause instanceof Error) out.note(`caused by ${harmless(cause.stack ?? cause.message)}`);
}
