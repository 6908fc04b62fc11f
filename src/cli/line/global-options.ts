// Options that every command takes.
import type { CommandOption } from './command.ts';

/** They may stand before or after the command's name. */
export const globalOptions: readonly CommandOption[] = [
  {
    flags: '--store <location>',
    description: 'the store: a folder, a .db file or postgres://…; instead of the configured one',
  },
  {
    flags: '--config <file>',
    description: 'the configuration file; otherwise statek.config.ts, .js or .mjs here or above',
  },
  { flags: '--store-only', description: 'load no configuration file: look at the store without the application' },
  { flags: '--json', description: 'results as JSON on standard output, and nothing else there' },
  { flags: '--verbose', description: 'with the stack of an error' },
];
