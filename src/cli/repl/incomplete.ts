// Decides whether an input needs more lines before it can run.
import { parse } from '@babel/parser';
import type { LanguageName } from '../../workspace/language-name.ts';

export function isIncomplete(source: string, language: LanguageName): boolean {
  return language === 'python' ? isIncompletePython(source) : isIncompleteTypeScript(source);
}

/** Incomplete if the parser fails at the end of the input, or inside an open template or comment. */
function isIncompleteTypeScript(source: string): boolean {
  try {
    parse(source, { sourceType: 'module', plugins: ['typescript'], allowUndeclaredExports: true });
    return false;
  } catch (error) {
    const { loc, reasonCode = '' } = error as { loc?: { index: number }; reasonCode?: string };
    if (/^Unterminated(?:Template|Comment)/.test(reasonCode)) return true;
    if (reasonCode.startsWith('Unterminated')) return false;
    return loc !== undefined && loc.index >= source.trimEnd().length;
  }
}

/** Incomplete inside brackets and triple-quoted strings; a block ends with an empty line. */
function isIncompletePython(source: string): boolean {
  const unclosed = '"""';
  const plain = source.replaceAll(
    /("""|''')[\s\S]*?(?:\1|(?<open>$))|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#.*/g,
    (...match) => ((match.at(-1) as { open?: string }).open === undefined ? '' : unclosed),
  );
  if (plain.includes(unclosed)) return true;
  let depth = 0;
  for (const character of plain) {
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
  }
  if (depth > 0) return true;
  const lines = plain.replace(/\n$/, '').split('\n');
  const last = lines.at(-1) ?? '';
  if (last.trimEnd().endsWith('\\')) return true;
  const isBlock = lines.some((line) => /:\s*$/.test(line)) || lines[0]?.startsWith('@') === true;
  return isBlock && last.trim() !== '';
}
