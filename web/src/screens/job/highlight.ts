// Colours for code. The parsers are large, so they are loaded with the first code that is shown, and only the one that is needed.
import type { Parser } from '@lezer/common';
import { classHighlighter, highlightCode } from '@lezer/highlight';

/** Parts of a line, each with its class. */
export type HighlightedLine = readonly (readonly [text: string, kind: string | undefined])[];

const longest = 200_000;

export async function highlighted(text: string, language: string | undefined): Promise<readonly HighlightedLine[]> {
  if (text.length > longest) return text.split('\n').map((line) => [[line, undefined]]);
  const parser = await parserFor(language ?? guessed(text));
  const lines: [string, string | undefined][][] = [[]];
  highlightCode(
    text,
    parser.parse(text),
    classHighlighter,
    (part, kinds) => lines.at(-1)?.push([part, kinds === '' ? undefined : kinds]),
    () => lines.push([]),
  );
  return lines;
}

async function parserFor(language: string): Promise<Parser> {
  if (language === 'python') return (await import('@lezer/python')).parser;
  return (await import('@lezer/javascript')).parser.configure({ dialect: 'ts' });
}

/** Servers that do not say the language of a step leave it to its looks. */
function guessed(text: string): string {
  const isPython =
    /^\s*(def |elif |import \w+$|from \w+ import |print\(.*\)$|for \w+ in .*:$|if .*:$|while .*:$|class \w+.*:$)/m;
  return isPython.test(text) && !/;\s*$|\b(const|let) /m.test(text) ? 'python' : 'typescript';
}
