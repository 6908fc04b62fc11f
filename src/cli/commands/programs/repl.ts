// `statek repl`: a durable workspace by hand. Every line is a step: it is in the store before its value is shown.
import { languageNames, type LanguageName } from '../../../workspace/language-name.ts';
import type { Command } from '../../line/command.ts';
import { givenVariables, variableOptions } from '../../shown/given-variables.ts';

export const repl: Command = {
  name: 'repl',
  group: 'Run',
  summary: 'a durable workspace, line by line: it is there again after the process was killed',
  details: `Input goes on over several lines until it is complete. ^C drops the line, or takes back a step that waits; .exit or ^D
leaves, and the workspace stays. .help lists what begins with a dot. Standard input may be a pipe. With --json each step
is a JSON document in a line.`,
  arguments: [{ syntax: '[workspace]', description: "its name; 'main' unless told" }],
  options: [
    {
      flags: '--language <language>',
      description: 'of a new workspace; typescript unless told',
      choices: languageNames,
    },
    ...variableOptions,
  ],
  examples: [
    ['repl analysis', 'go on with a workspace, or begin one'],
    ['repl < steps.ts', 'steps from a file, each as soon as it is complete'],
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
