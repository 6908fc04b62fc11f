// Text in the engine's memory is WTF-8: UTF-8 that may also hold half of a surrogate pair, so that every JavaScript string
// crosses unchanged. Node's own coders do the common case; the rest is done here by hand.

const encoder = new TextEncoder();

/** The most bytes `text` can take. */
export function mostBytes(text: string): number {
  return text.length * 3;
}

/** Writes `text` to `target` and returns how many bytes it took; there must be room for `mostBytes`. */
export function writeText(text: string, target: Buffer): number {
  if (text.isWellFormed()) return encoder.encodeInto(text, target).written;
  let end = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) {
      target[end++] = 0xe0 | (code >> 12);
      target[end++] = 0x80 | ((code >> 6) & 0x3f);
      target[end++] = 0x80 | (code & 0x3f);
    } else {
      end += target.write(character, end, 'utf8');
    }
  }
  return end;
}

/** Reads text back. */
export function readText(source: Buffer, start: number, end: number): string {
  const text = source.toString('utf8', start, end);
  return text.includes('\ufffd') ? readHalves(source, start, end) : text;
}

function readHalves(source: Buffer, start: number, end: number): string {
  let text = '';
  let from = start;
  for (let at = start; at + 2 < end; at++) {
    // Half a surrogate pair: 0xed, then 0xa0 to 0xbf. No valid UTF-8 holds that.
    if (source[at] !== 0xed || (source[at + 1] ?? 0) < 0xa0) continue;
    text += source.toString('utf8', from, at);
    text += String.fromCharCode(0xd000 | (((source[at + 1] ?? 0) & 0x3f) << 6) | ((source[at + 2] ?? 0) & 0x3f));
    from = at + 3;
    at += 2;
  }
  return text + source.toString('utf8', from, end);
}
