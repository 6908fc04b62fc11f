// The changes made to a cell's text: insertions, and stretches replaced in place. Nothing moves and no line break is
// added or removed, so the way back is a short list. What must run first goes on a line of its own ahead of the text;
// there always is one, because the engine counts the columns of a script's first line differently from all others.
import { bytesOf } from './positions.ts';
import type { CellMap } from './positions.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The offset an error inside `text` is reported at. */
  readonly origin: number;
}

export class Edits {
  readonly #text: string;
  readonly #list: Edit[] = [];
  readonly #leads: { readonly text: string; readonly origin: number }[] = [];
  readonly #blankedTo = new Set<number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Puts `text` on the line ahead of the author's. */
  lead(text: string, origin: number): void {
    this.#leads.push({ text, origin });
  }

  insert(at: number, text: string, origin: number = at): void {
    this.#list.push({ start: at, end: at, text, origin });
  }

  /** Puts `text` in place of a stretch, followed by the line breaks the stretch had. */
  replace(start: number, end: number, text: string): void {
    this.#list.push({ start, end, text: text + breaksOf(this.#text.slice(start, end)), origin: start });
  }

  /** Turns a stretch into spaces, keeping its line breaks; `head` and `tail` take the place of its first and last character. */
  blank(start: number, end: number, head = '', tail = ''): void {
    if (end <= start) return;
    const spaces = this.#text.slice(start + head.length, end - tail.length).replace(/[^\r\n\u2028\u2029]/g, ' ');
    this.#list.push({ start, end, text: head + spaces + tail, origin: start });
    this.#blankedTo.add(end);
  }

  /** Whether a blanked stretch ends here: what ended a statement before may no longer do so. */
  endsBlank(offset: number): boolean {
    return this.#blankedTo.has(offset);
  }

  /** The first `prefix` characters of the text are not the author's: they go ahead of it, and no offset counts them. */
  apply(prefix: number): { code: string; map: CellMap } {
    const list = this.#list.toSorted((a, b) => a.start - b.start);
    const map: number[] = [];
    const place = new Place();
    let code = '';
    let cursor = prefix;
    const emit = (text: string, origin: number, copied: boolean): void => {
      if (text === '') return;
      map.push(place.line, place.bytes, Math.max(0, origin - prefix), copied ? 1 : 0);
      code += text;
      place.pass(text);
    };
    for (const { text, origin } of this.#leads) emit(text, origin, false);
    emit(`${this.#text.slice(0, prefix)}\n`, prefix, false);
    for (const { start, end, text, origin } of list) {
      if (start < cursor && start < end) throw new Error(`Edits overlap at offset ${start}.`);
      emit(this.#text.slice(cursor, start), cursor, true);
      emit(text, origin, false);
      cursor = Math.max(cursor, end);
    }
    emit(this.#text.slice(cursor), cursor, true);
    return { code, map };
  }
}

/** Where generated code has got to, as the engine counts. */
class Place {
  line = 1;
  bytes = 0;
  #afterReturn = false;

  pass(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 10 || unit === 13) {
        if (!(unit === 10 && this.#afterReturn)) this.line++;
        this.bytes = 0;
      } else if (unit < 0x80) this.bytes++;
      else {
        const character = text.codePointAt(at) ?? 0;
        this.bytes += bytesOf(character);
        if (character > 0xffff) at++;
      }
      this.#afterReturn = unit === 13;
    }
  }
}

function breaksOf(text: string): string {
  return text.match(/[\r\n]+/g)?.join('') ?? '';
}
