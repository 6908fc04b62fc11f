// Reading past spaces and comments, and finding the few tokens the parser does not report the place of.

const space = /[\s\uFEFF]/;

/** The offset of the next character that is neither space nor comment, at or after `at`. */
export function skipTrivia(text: string, at: number): number {
  let offset = at;
  while (offset < text.length) {
    if (space.test(text.charAt(offset))) offset++;
    else if (text.startsWith('//', offset)) offset = endOfLine(text, offset);
    else if (text.startsWith('/*', offset)) {
      const end = text.indexOf('*/', offset + 2);
      if (end < 0) return text.length;
      offset = end + 2;
    } else break;
  }
  return offset;
}

export function endOfLine(text: string, at: number): number {
  let offset = at;
  while (offset < text.length && !/[\r\n\u2028\u2029]/.test(text.charAt(offset))) offset++;
  return offset;
}

/** Each word (run of letters) from `start` to `end` with its place, past comments; for modifiers such as `private`. */
export function wordsBetween(text: string, start: number, end: number): { word: string; start: number; end: number }[] {
  const words: { word: string; start: number; end: number }[] = [];
  const letters = /[A-Za-z]+/y;
  let at = skipTrivia(text, start);
  while (at < end) {
    letters.lastIndex = at;
    const word = letters.exec(text)?.[0];
    if (word === undefined) at++;
    else {
      words.push({ word, start: at, end: at + word.length });
      at += word.length;
    }
    at = skipTrivia(text, at);
  }
  return words;
}

const identifier = /(?:\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|[^\s\\?!:;,=()[\]{}/<>.])+/y;

/** Where the identifier that starts at `start` ends; its name may be written with escapes. */
export function endOfIdentifier(text: string, start: number): number {
  identifier.lastIndex = start;
  return start + (identifier.exec(text)?.[0].length ?? 0);
}

export function hasLineBreak(text: string, start: number, end: number): boolean {
  return /[\r\n\u2028\u2029]/.test(text.slice(start, end));
}
