// Placeholders in a text: `{name}` and nothing else that has braces.
import { didYouMean } from '../../base/closest.ts';
import { codeAwareLines, type FailAt } from './sections.ts';

const pattern = /(?<before>[{$\\]?)\{(?<name>[A-Za-z_]\w*)\}(?<after>\}?)/g;

interface Found {
  readonly whole: string;
  readonly name: string;
  readonly index: number;
  readonly kind: 'value' | 'escaped' | 'text';
}

/** The braces in a line that may be placeholders. */
function* bracesIn(line: string): Generator<Found> {
  for (const match of line.matchAll(pattern)) {
    const { before = '', name = '', after = '' } = match.groups ?? {};
    const index = match.index;
    if (before === '$' || before === '\\') yield { whole: match[0], name, index, kind: 'text' };
    else if (before === '{' && after === '}') yield { whole: match[0], name, index, kind: 'escaped' };
    else yield { whole: `{${name}}`, name, index: index + before.length, kind: 'value' };
  }
}

/** The placeholders of a text. One that is not known is refused; in code it is taken for code. */
export function placeholdersIn(text: string, known: ReadonlySet<string>, failAt: FailAt): Set<string> {
  const names = new Set<string>();
  for (const line of codeAwareLines(text)) {
    for (const { name, index, kind } of bracesIn(line.text)) {
      if (kind !== 'value') continue;
      if (known.has(name)) names.add(name);
      else if (!line.isCode && !isInlineCode(line.text, index))
        throw failAt(
          line.offset + index,
          `There is no placeholder {${name}}; there are ${[...known].map((one) => `{${one}}`).join(', ')}.${didYouMean(name, known)} Parameters are declared by '# PARAMETERS: ${name}' or by the agent; write {{${name}}} for the text {${name}}.`,
        );
    }
  }
  return names;
}

/** Puts values in the place of placeholders. A listing takes over the indent or comment mark of its line. */
export function fillIn(text: string, known: ReadonlySet<string>, valueOf: (name: string) => string): string {
  return codeAwareLines(text)
    .map(({ text: line, isCode }) => {
      let filled = '';
      let position = 0;
      for (const { whole, name, index, kind } of bracesIn(line)) {
        // Code has doubled braces of its own; they are ours only around a name of ours.
        const isOurs = known.has(name) || (kind === 'escaped' && !isCode && !isInlineCode(line, index));
        if (kind === 'text' || !isOurs) continue;
        filled += line.slice(position, index);
        position = index + whole.length;
        filled += kind === 'escaped' ? `{${name}}` : valueOf(name).replaceAll('\n', `\n${startOf(line)}`);
      }
      return filled + line.slice(position);
    })
    .join('');
}

/** What each further line of a listing begins with: the comment mark of its first, or the indent of a line of its own. */
function startOf(line: string): string {
  const [comment] = /^[ \t]*(?:#+|\/\/+)[ \t]*/.exec(line) ?? [];
  if (comment !== undefined) return comment;
  return /^[ \t]+(?=\{\w+\}\s*$)/.exec(line)?.[0] ?? '';
}

function isInlineCode(line: string, index: number): boolean {
  const [, ...ticks] = line.slice(0, index).split('`');
  return ticks.length % 2 === 1 && line.indexOf('`', index) >= 0;
}
