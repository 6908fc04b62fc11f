// Turns the words of a command line into an exit code: parses them, runs the command, reports errors, closes the kit.
import { commands } from './commands.ts';
import { Interrupted } from './errors.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { StatekError } from '../../base/error.ts';
import { packageVersion } from '../../base/package.ts';
import { Output, type OutputOptions } from '../output/output.ts';
import { harmless } from '../output/style.ts';
import { parseCommandLine } from './program.ts';
import { Session, type TypedInput } from '../session.ts';

export interface CommandEnvironment extends Omit<OutputOptions, 'json'> {
  /** The working directory; paths on the command line are relative to it. */
  readonly folder: string;
  /** Where answers to prompts are read. */
  readonly stdin?: TypedInput;
  /** Called with the session before the command runs, so that signals can interrupt it. */
  readonly onSession?: (session: Session) => void;
}

export async function runWords(
  words: readonly string[],
  { stdout, stderr, environment, folder, stdin, onSession }: CommandEnvironment,
): Promise<number> {
  let session: Session | undefined;
  let code: number = exitCodes.ok;
  let isVerbose = words.includes('--verbose');
  const out = (json: boolean): Output => new Output({ json, environment, stdout, stderr });
  try {
    const parsed = await parseCommandLine(commands, packageVersion(), words, (text) => stdout.write(text));
    if (parsed !== undefined) {
      isVerbose = parsed.globals.verbose === true;
      session = new Session(out(parsed.globals.json === true), parsed.globals, folder, stdin);
      onSession?.(session);
      code = (await parsed.command.run(session, parsed.given)) ?? exitCodes.ok;
    }
  } catch (error) {
    code = exitCodeOf(error);
    if (!(error instanceof Interrupted)) report(error, isVerbose, out(false));
  }
  try {
    await session?.close();
  } catch (error) {
    if (code === exitCodes.ok) code = exitCodeOf(error);
    report(error, isVerbose, out(false));
  }
  return code;
}

/** Prints `CODE: message`; to people also where the code is explained, and with `--verbose` the stack. */
function report(error: unknown, isVerbose: boolean, out: Output): void {
  const { code, message, stack } = (error instanceof Error ? error : new Error(String(error))) as Error & {
    code?: unknown;
  };
  const name = typeof code === 'string' ? code : 'ERROR';
  const text = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
  out.note(`${out.noteStyle.red(name)}: ${harmless(text)}`);
  if (error instanceof StatekError && (isVerbose || out.notesToTerminal))
    out.note(out.noteStyle.dim(`See ${error.docs}`));
  if (!isVerbose) return;
  out.note(harmless(stack ?? ''));
  const { cause } = error as { cause?: unknown };
  if (cause instanceof Error) out.note(`caused by ${harmless(cause.stack ?? cause.message)}`);
}
