// Completion scripts, generated from the list of commands. They are static: completing never starts statek.

export const shells = ['bash', 'zsh', 'fish'] as const;

export interface OptionWords {
  readonly long: string;
  readonly short: string | undefined;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly description: string;
}

export interface CompletionWords {
  readonly globals: readonly OptionWords[];
  readonly commands: readonly {
    readonly name: string;
    readonly summary: string;
    readonly options: readonly OptionWords[];
  }[];
}

export function completionScript(shell: (typeof shells)[number], words: CompletionWords): string {
  switch (shell) {
    case 'bash':
      return bash(words);
    case 'zsh':
      return zsh(words);
    case 'fish':
      return fish(words);
  }
}

function bash({ globals, commands }: CompletionWords): string {
  const names = commands.map(({ name }) => name).join(' ');
  const all = (options: readonly OptionWords[]): string =>
    [...options, ...globals]
      .map(({ long }) => long)
      .concat('--help')
      .join(' ');
  const choices = commands.flatMap(({ name, options }) =>
    options
      .filter((option) => option.choices.length > 0)
      .map(
        (option) =>
          `    ${name}:${option.long}) COMPREPLY=($(compgen -W '${option.choices.join(' ')}' -- "$current")); return ;;`,
      ),
  );
  return `# Completion of statek for bash.
_statek() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command='' word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
    ${commands.map(({ name }) => name).join(' | ')}) command="$word"; break ;;
    esac
  done
  case "$command:$previous" in
${choices.join('\n')}
    completion:completion) COMPREPLY=($(compgen -W '${shells.join(' ')}' -- "$current")); return ;;
  esac
  if [[ "$current" == -* || -z "$command" ]]; then
    case "$command" in
      '') COMPREPLY=($(compgen -W '${names} help ${all([])} --version' -- "$current")) ;;
${commands.map(({ name, options }) => `      ${name}) COMPREPLY=($(compgen -W '${all(options)}' -- "$current")) ;;`).join('\n')}
    esac
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _statek statek
`;
}

function zsh({ globals, commands }: CompletionWords): string {
  const spec = ({ long, takesValue, choices, description }: OptionWords): string => {
    const value = choices.length > 0 ? `:value:(${choices.join(' ')})` : takesValue ? ':value:_files' : '';
    return `'${long}[${zshText(description)}]${value}'`;
  };
  return `#compdef statek
# Completion of statek for zsh.
_statek() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    '${name}:${zshText(summary)}'`).join('\n')}
  )
  _arguments -C ${globals.map(spec).join(' ')} '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe 'command' commands ;;
    argument)
      case $words[1] in
${commands
  .map(
    ({ name, options }) =>
      `        ${name}) _arguments ${[...options, ...globals].map(spec).join(' ')} '*:argument:${name === 'completion' ? `(${shells.join(' ')})` : '_files'}' ;;`,
  )
  .join('\n')}
      esac ;;
  esac
}
compdef _statek statek
`;
}

function fish({ globals, commands }: CompletionWords): string {
  const line = (condition: string, { long, short, takesValue, choices, description }: OptionWords): string =>
    [
      `complete -c statek -n '${condition}' -l ${long.slice(2)}`,
      ...(short === undefined ? [] : [`-s ${short}`]),
      ...(choices.length > 0 ? [`-x -a '${choices.join(' ')}'`] : takesValue ? ['-r'] : []),
      `-d '${fishText(description)}'`,
    ].join(' ');
  return `# Completion of statek for fish.
${commands.map(({ name, summary }) => `complete -c statek -f -n __fish_use_subcommand -a ${name} -d '${fishText(summary)}'`).join('\n')}
${globals.map((option) => line('true', option)).join('\n')}
${commands.flatMap(({ name, options }) => options.map((option) => line(`__fish_seen_subcommand_from ${name}`, option))).join('\n')}
complete -c statek -x -n '__fish_seen_subcommand_from completion' -a '${shells.join(' ')}'
`;
}

function zshText(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, '\\$&');
}

function fishText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
