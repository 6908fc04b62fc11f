// Text that can be read only so many times. The parser tries some syntax in two ways, and nested tries double the work
// with each level: `<any>(<any>(<any>(…` takes minutes from thirty levels on. It reads all text through `charCodeAt`.

/** Ordinary text is read fewer than three times over, arrow functions and generics included. */
const readsPerCharacter = 50;
const readsAtLeast = 50_000;

export class ReadTooOftenError extends Error {}

/** The text for a parser that reads it by index alone: it cannot tell the object from a string. */
export function meteredText(text: string): string {
  return new MeteredText(text) as unknown as string;
}

class MeteredText extends String {
  /** Reading a string is several times faster than reading an object that is one. */
  readonly #text: string;
  #left: number;

  constructor(text: string) {
    super(text);
    this.#text = text;
    this.#left = readsAtLeast + readsPerCharacter * text.length;
  }

  override charCodeAt(index: number): number {
    if (--this.#left < 0) throw new ReadTooOftenError();
    return this.#text.charCodeAt(index);
  }
}
