// The lines around a place in the author's text, with a caret: what a person or a model needs to see beside a message.
import { LineIndex } from './positions.ts';

const linesAround = 1;
const widestLine = 160;

/** The line, the one before and the one after, numbered, with a caret under the column. Long lines are cut around it. */
export function codeFrame(source: string, line: number, column: number): string {
  const lines = new LineIndex(source);
  const last = Math.min(line + linesAround, lines.starts.length);
  const numberWidth = String(last).length;
  const cutBefore = column > widestLine - 20 ? column - widestLine / 2 : 0;
  const output: string[] = [];
  for (let number = Math.max(1, line - linesAround); number <= last; number++) {
    const text = lines.lineText(number) ?? '';
    const marked = number === line;
    output.push(`${marked ? '>' : ' '} ${String(number).padStart(numberWidth)} | ${cut(text, cutBefore)}`.trimEnd());
    if (!marked) continue;
    const before = cut(text, cutBefore).slice(0, column - 1 - cutBefore + (cutBefore > 0 ? 1 : 0));
    // Tabs are kept, so that the caret stands under the character however wide they are shown.
    output.push(`  ${' '.repeat(numberWidth)} | ${before.replaceAll(/[^\t]/g, ' ')}^`);
  }
  return output.join('\n');
}

function cut(text: string, before: number): string {
  const kept = text.slice(before, before + widestLine);
  return `${before > 0 ? '…' : ''}${kept}${text.length > before + widestLine ? '…' : ''}`;
}
