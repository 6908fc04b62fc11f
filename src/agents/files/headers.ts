// The headers of examples and documents: lines `# key: value` or `key: value` at the top, or the same between lines of `---`.
import { closest } from '../../base/closest.ts';
import { linesOf } from './lines.ts';

export interface WithHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** The line of each header. */
  readonly places: Readonly<Record<string, number>>;
  readonly body: string;
}

/** Makes the error for a line. */
export type FailOnLine = (line: number, message: string) => Error;

/** Takes the headers off a text. A line with another key begins the text, unless it looks like a header misspelt. */
export function takeHeaders(text: string, keys: readonly string[], fail: FailOnLine): WithHeaders {
  const lines = linesOf(text);
  const headers: Record<string, string> = {};
  const places: Record<string, number> = {};
  let index = 0;
  while (lines[index]?.trim() === '') index++;
  const isFramed = lines[index]?.trim() === '---';
  if (isFramed) index++;
  for (; index < lines.length; index++) {
    const line = lines[index] as string;
    if (isFramed && line.trim() === '---') {
      index++;
      break;
    }
    if (line.trim() === '') continue;
    const [, written, value] = /^(?:#\s*)?([A-Za-z][\w-]*)\s*:\s*(.*)$/.exec(line) ?? [];
    const name = written?.toLowerCase().replaceAll('-', '_');
    if (written === undefined || name === undefined || value === undefined) {
      if (isFramed) throw fail(index + 1, `'${line.trim()}' is not a header; write 'key: value'.`);
      break;
    }
    if (!keys.includes(name)) {
      const [near] = closest(written, keys);
      if (isFramed || near !== undefined)
        throw fail(
          index + 1,
          `There is no header '${written}'; there are ${keys.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
        );
      break;
    }
    if (headers[name] !== undefined) throw fail(index + 1, `${name} is given a second time.`);
    headers[name] = value.trim().replace(/^(["'])(.*)\1$/, '$2');
    places[name] = index + 1;
  }
  while (lines[index]?.trim() === '') index++;
  return { headers, places, body: lines.slice(index).join('\n').trimEnd() };
}
