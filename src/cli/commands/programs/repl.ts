// `statek repl`: a durable workspace at a prompt. Every input is a step, committed before its value is shown.
import { languageNames, type LanguageName } from '../../../workspace/language-name.ts';
import type { Command } from '../../line/command.ts';
import { givenVariables, variableOptions } from '../../shown/given-variables.ts';

export const repl: Command = {
  name: 'repl',
  group: 'Run',
  summary: 'open a durable workspace at a prompt; it survives even a killed process',
  details: `Input may span several lines until it is complete. ^C discards the line, or undoes a step that waits; .exit or ^D leaves
and keeps the workspace. .help lists the commands that start with a dot. Standard input may be a pipe. With --json, each
step is printed as one line of JSON.`,
  arguments: [{ syntax: '[workspace]', description: "its name (default: 'main')" }],
  options: [
    {
      flags: '--language <language>',
      description: 'the language of a new workspace (default: typescript)',
      choices: languageNames,
    },
    ...variableOptions,
  ],
  examples: [
    ['repl analysis', 'open a workspace, or create it'],
    ['repl < steps.ts', 'run steps from a file, each as soon as it is complete'],
  ],
  async run(session, given) {
    const { runRepl } = await import('../../repl/repl.ts');
    const vars = await givenVariables(session, given);
    const kit = await session.kit('work');
    const name = given.optional('workspace') ?? 'main';
    const workspace = await kit.workspace(name, {
      language: given.optional('language') as LanguageName | undefined,
      vars,
    });
    return runRepl(session, workspace);
  },
};
