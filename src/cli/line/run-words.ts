// From words to an exit code, wherever the output goes: parses, runs the command, closes the kit whatever happens, and says
// what went wrong.
import { commands } from './commands.ts';
import { Interrupted } from './errors.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { packageVersion } from './own-package.ts';
import { Output, type OutputOptions } from '../output/output.ts';
import { harmless } from '../output/style.ts';
import { parseCommandLine } from './program.ts';
import { Session } from '../session.ts';

export interface CommandPlace extends Omit<OutputOptions, 'json'> {
  /** Paths on the command line are relative to it. */
  readonly folder: string;
  /** Told of what can be interrupted from now on. */
  readonly begun?: (session: Session) => void;
}

export async function runWords(
  words: readonly string[],
  { stdout, stderr, environment, folder, begun }: CommandPlace,
): Promise<number> {
  let session: Session | undefined;
  let code: number = exitCodes.ok;
  let isVerbose = words.includes('--verbose');
  const out = (json: boolean): Output => new Output({ json, environment, stdout, stderr });
  try {
    const parsed = await parseCommandLine(commands, packageVersion(), words, (text) => stdout.write(text));
    if (parsed !== undefined) {
      isVerbose = parsed.globals.verbose === true;
      session = new Session(out(parsed.globals.json === true), parsed.globals, folder);
      begun?.(session);
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
  return code;
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
