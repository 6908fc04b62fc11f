// Builds the argument parser from the commands: turns the words of a command line into a command and its options.
import { Argument, Command as Parser, CommanderError, Option } from 'commander';
import { Given, type Command, type CommandOption } from './command.ts';
import { UsageError } from './errors.ts';
import { globalOptions } from './global-options.ts';
import type { GlobalOptions } from '../session.ts';

export interface Parsed {
  readonly command: Command;
  readonly given: Given;
  readonly globals: GlobalOptions;
}

const footer = `
Ids may be shortened as long as they stay unique. Exit codes: 0 success, 1 failure, 2 usage error, 3 not found,
4 refused, 130 interrupted.`;

/** Undefined if help or the version was printed instead. */
export async function parseCommandLine(
  commands: readonly Command[],
  version: string,
  words: readonly string[],
  print: (text: string) => void,
): Promise<Parsed | undefined> {
  let parsed: Parsed | undefined;
  const program = quiet(new Parser('statek'), print)
    .description('Durable workspaces for LLM agents.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', footer);
  for (const option of globalOptions) program.addOption(optionOf(option));
  for (const command of commands) {
    const parser = quiet(program.command(command.name), print)
      .helpGroup(`${command.group}:`)
      .summary(command.summary)
      .description([command.summary, flowing(command.details)].filter(Boolean).join('\n\n'))
      .helpOption('-h, --help', 'print this help')
      .addHelpText('after', examplesText(command));
    for (const { syntax, description } of command.arguments ?? [])
      parser.addArgument(new Argument(syntax, description));
    for (const option of command.options ?? []) parser.addOption(optionOf(option));
    for (const option of globalOptions) parser.addOption(optionOf(option).hideHelp());
    parser.action(() => {
      parsed = {
        command,
        given: new Given({ ...argumentsOf(command, parser.processedArgs), ...parser.opts() }),
        globals: { ...program.opts(), ...onlyGlobals(parser.opts()) },
      };
    });
  }
  try {
    refuseUnknownHelp(commands, words);
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
    throw new UsageError(`${explained(error)} See statek ${commandIn(words, commands)}--help.`);
  }
  return parsed;
}

/** Paragraphs without the line breaks of the source: the help is broken into lines as wide as the terminal. */
function flowing(text: string | undefined): string | undefined {
  return text?.replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
}

/** `help` would print the help of everything instead of that of a command that does not exist. */
function refuseUnknownHelp(commands: readonly Command[], [first, asked]: readonly string[]): void {
  if (first !== 'help' || asked === undefined || asked.startsWith('-')) return;
  if (asked === 'help' || commands.some(({ name }) => name === asked)) return;
  throw new UsageError(`Unknown command '${asked}'. See statek --help.`);
}

/** Makes the parser throw instead of printing errors and exiting. */
function quiet(parser: Parser, print: (text: string) => void): Parser {
  return parser.exitOverride().configureOutput({ writeOut: print, writeErr: print, outputError: () => undefined });
}

function optionOf({ flags, description, choices, parse, repeats }: CommandOption): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices([...choices]);
  const name = `--${option.name()}`;
  if (parse !== undefined) option.argParser((text) => parse(name, text));
  else if (repeats === true)
    option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
  return option;
}

function argumentsOf({ arguments: declared = [] }: Command, values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(declared.map(({ syntax }, index) => [syntax.replaceAll(/[<>[\].]/g, ''), values[index]]));
}

function onlyGlobals(options: Readonly<Record<string, unknown>>): GlobalOptions {
  const names = new Set(globalOptions.map((option) => optionOf(option).attributeName()));
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.has(name)));
}

function examplesText({ examples }: Command): string {
  const lines = examples.map(([line, what]) => `  $ statek ${line}\n      ${what}`);
  return `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`;
}

function explained({ message }: CommanderError): string {
  const plain = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .trim();
  const sentence = plain.slice(0, 1).toUpperCase() + plain.slice(1);
  return /[.?)]$/.test(sentence) ? sentence : `${sentence}.`;
}

function commandIn(words: readonly string[], commands: readonly Command[]): string {
  const found = words.find((word) => commands.some(({ name }) => name === word));
  return found === undefined ? '' : `${found} `;
}
