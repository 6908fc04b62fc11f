// `statek completion`: prints completion scripts for shells.
import type { Command, CommandOption } from '../../line/command.ts';
import { completionScript, shells, type CompletionWords } from '../../completion/scripts.ts';
import { UsageError } from '../../line/errors.ts';
import { globalOptions } from '../../line/global-options.ts';

/** Takes the commands as a function, because the list includes this command. */
export const completion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  group: 'Begin',
  summary: 'print a completion script for bash, zsh or fish',
  arguments: [{ syntax: '<shell>', description: shells.join(', ') }],
  examples: [
    ['completion bash >> ~/.bashrc', 'for bash'],
    ['completion zsh > "${fpath[1]}/_statek"', 'for zsh'],
    ['completion fish > ~/.config/fish/completions/statek.fish', 'for fish'],
  ],
  run({ out }, given) {
    const shell = shells.find((one) => one === given.text('shell'));
    if (shell === undefined)
      throw new UsageError(`No completion script for '${given.text('shell')}'. Choose one of ${shells.join(', ')}.`);
    const script = completionScript(shell, wordsOf(commands(), globalOptions));
    if (out.isJson) out.json({ shell, script });
    else out.line(script.trimEnd());
    return Promise.resolve();
  },
});

function wordsOf(commands: readonly Command[], globals: readonly CommandOption[]): CompletionWords {
  return {
    globals: globals.map(optionWords),
    commands: commands.map(({ name, summary, options = [] }) => ({ name, summary, options: options.map(optionWords) })),
  };
}

function optionWords({ flags, description, choices }: CommandOption): CompletionWords['globals'][number] {
  const [long = ''] = /--[\w-]+/.exec(flags) ?? [];
  return {
    long,
    short: /^-(\w)\b/.exec(flags)?.[1],
    takesValue: /[<[]/.test(flags),
    choices: choices ?? [],
    description,
  };
}
