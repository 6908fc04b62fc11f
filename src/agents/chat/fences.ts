// Finds the fences of a reply, as Markdown has them: prose and code, in order, with nothing lost of either.

export type Piece =
  | { readonly kind: 'prose'; readonly text: string }
  | {
      readonly kind: 'fence';
      /** As it was written; empty if there is none. */
      readonly label: string;
      readonly code: string;
      /** The whole fence as it was written. */
      readonly text: string;
      readonly closed: boolean;
      /** Where the code begins, counted from 1. */
      readonly line: number;
    };

const opening = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\r\n]*)$/;

export function piecesOf(reply: string): Piece[] {
  const lines = reply.split('\n');
  const pieces: Piece[] = [];
  let prose: string[] = [];
  const endProse = (): void => {
    const text = prose.join('\n');
    if (text.trim() !== '') pieces.push({ kind: 'prose', text });
    prose = [];
  };
  for (let index = 0; index < lines.length; index++) {
    const line = (lines[index] ?? '').replace(/\r$/, '');
    const match = opening.exec(line);
    const [, indent = '', fence = '', info = ''] = match ?? [];
    // A fence of backticks cannot have one in its label: that is code within a line.
    if (match === null || (fence.startsWith('`') && info.includes('`'))) {
      prose.push(lines[index] ?? '');
      continue;
    }
    endProse();
    const closing = new RegExp(`^ {0,3}${fence[0] === '`' ? '`' : '~'}{${fence.length},}[ \\t]*\\r?$`);
    let end = index + 1;
    while (end < lines.length && !closing.test(lines[end] ?? '')) end++;
    const code = lines.slice(index + 1, end).map((one) => withoutIndent(one, indent.length));
    pieces.push({
      kind: 'fence',
      label: info.trim().split(/[\s{]/)[0] ?? '',
      code: code.join('\n'),
      text: lines.slice(index, end + 1).join('\n'),
      closed: end < lines.length,
      line: index + 2,
    });
    index = end;
  }
  endProse();
  return pieces;
}

function withoutIndent(line: string, count: number): string {
  let spaces = 0;
  while (spaces < count && line[spaces] === ' ') spaces++;
  return line.slice(spaces);
}
