// Options of every command.
import type { CommandOption } from './command.ts';

/** Accepted before and after the name of the command. */
export const globalOptions: readonly CommandOption[] = [
  {
    flags: '--store <location>',
    description: 'use this store instead of the configured one: a folder, a .db file, postgres://… or redis://…',
  },
  {
    flags: '--config <file>',
    description: 'the configuration file (default: statek.config.ts, .js or .mjs in this folder or above)',
  },
  { flags: '--store-only', description: 'inspect the store without loading the configuration file' },
  { flags: '--json', description: 'print results as JSON, and nothing else, on standard output' },
  { flags: '--verbose', description: 'print the stack of an error' },
];
