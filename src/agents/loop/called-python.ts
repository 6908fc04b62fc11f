// Reads a warmup block that is one call in Python, so that it can be shown as a tool call.
import type { JsonObject, JsonValue } from '../../models/door.ts';

/** A call in a piece of code: what is called, what with, and the variable that gets the result. */
export interface CalledTool {
  readonly name: string;
  readonly positional: readonly JsonValue[];
  readonly named?: JsonObject;
  readonly variable?: string;
}

/** The tool call that a piece of code is: `x = find(title="a", days=[1, 2])`. */
export function calledPythonTool(source: string): CalledTool | undefined {
  try {
    return new Reader(source).call();
  } catch {
    return undefined;
  }
}

const token =
  /\s*(?:#[^\n]*(?:\n\s*|$))*([A-Za-z_]\w*|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^\s#])/y;
const words: Readonly<Record<string, JsonValue>> = { True: true, False: false, None: null };

class Reader {
  readonly #tokens: string[] = [];
  #next = 0;

  constructor(source: string) {
    token.lastIndex = 0;
    for (let found = token.exec(source); found !== null; found = token.exec(source)) this.#tokens.push(found[1] ?? '');
  }

  call(): CalledTool | undefined {
    let name = this.#take();
    let variable: string | undefined;
    if (this.#peek() === '=') {
      this.#take();
      variable = name;
      name = this.#take();
    }
    if (!/^[A-Za-z_]\w*$/.test(name) || this.#take() !== '(') return undefined;
    const positional: JsonValue[] = [];
    const named: [string, JsonValue][] = [];
    this.#members(')', () => {
      if (this.#tokens[this.#next + 1] === '=') {
        const key = this.#take();
        this.#take();
        named.push([key, this.#value()]);
      } else positional.push(this.#value());
    });
    if (this.#next < this.#tokens.length) return undefined;
    return {
      name,
      positional,
      ...(named.length === 0 ? {} : { named: Object.fromEntries(named) }),
      ...(variable === undefined ? {} : { variable }),
    };
  }

  /** Literals as they are; variables by their names, as a model would give them to a tool. */
  #value(): JsonValue {
    const first = this.#take();
    if (first === '[' || first === '(') return this.#list(first === '[' ? ']' : ')');
    if (first === '{') return this.#dictionary();
    if (first.startsWith('"') || first.startsWith("'")) return unquoted(first);
    if (/^-?\d/.test(first)) return Number(first);
    if (!/^[A-Za-z_]\w*$/.test(first)) throw new SyntaxError(first);
    const value = Object.hasOwn(words, first) ? (words[first] as JsonValue) : first;
    if (!['(', '.', '['].includes(this.#peek())) return value;
    this.#skip();
    return '…';
  }

  #list(closed: string): JsonValue[] {
    const items: JsonValue[] = [];
    this.#members(closed, () => items.push(this.#value()));
    return items;
  }

  #dictionary(): JsonObject {
    const members: [string, JsonValue][] = [];
    this.#members('}', () => {
      const key = this.#value();
      if (typeof key !== 'string' && typeof key !== 'number') throw new SyntaxError('a key');
      if (this.#take() !== ':') throw new SyntaxError(':');
      members.push([String(key), this.#value()]);
    });
    return Object.fromEntries(members);
  }

  /** Members with commas between them, and what closes their list. */
  #members(closed: string, member: () => void): void {
    while (this.#peek() !== closed) {
      member();
      if (this.#peek() === ',') this.#take();
      else if (this.#peek() !== closed) throw new SyntaxError(',');
    }
    this.#take();
  }

  /** Passes over the rest of an expression that is not a literal. */
  #skip(): void {
    for (let depth = 0; depth > 0 || ![',', ')', ']', '}'].includes(this.#peek());) {
      const one = this.#take();
      if ('([{'.includes(one)) depth++;
      if (')]}'.includes(one)) depth--;
    }
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? '';
  }

  #take(): string {
    const one = this.#tokens[this.#next++];
    if (one === undefined) throw new SyntaxError('The code ends too early.');
    return one;
  }
}

function unquoted(text: string): string {
  const inner = text
    .slice(1, -1)
    .replaceAll(/\\'/g, "'")
    .replaceAll(/(?<!\\)"/g, '\\"');
  return String(JSON.parse(`"${inner}"`));
}
