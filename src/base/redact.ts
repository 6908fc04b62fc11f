// Takes secrets out of what leaves the process to be read by others: by the names of fields, and by patterns of text. What
// programs compute with is never changed by it.
import { InvalidOptionError, refuseUnknownOptions } from './options.ts';

/** What is taken out of logs, spans, exports, and answers over HTTP and MCP. */
export interface RedactOptions {
  /** Names of fields whose values are taken out, in data and in text: `apiKey` is also `api_key` and `API-KEY`. */
  readonly fields?: readonly string[] | undefined;
  /** Texts that are taken out wherever they are. */
  readonly patterns?: readonly RegExp[] | undefined;
}

const redacted = '[redacted]';
const maxDepth = 100;

export class Redactor {
  readonly #fields: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #inText: RegExp | undefined;

  /** Undefined if nothing is to be taken out. */
  static of(where: string, options: RedactOptions | undefined): Redactor | undefined {
    if (options === undefined) return undefined;
    refuseUnknownOptions(`${where}: redact`, options, { fields: true, patterns: true });
    const { fields = [], patterns = [] } = options;
    if (!Array.isArray(fields) || fields.some((field) => typeof field !== 'string' || plainName(field) === ''))
      throw new InvalidOptionError(`${where}: redact.fields is a list of names, such as ['password'].`, {
        name: 'redact',
      });
    if (!Array.isArray(patterns) || patterns.some((pattern) => !(pattern instanceof RegExp)))
      throw new InvalidOptionError(`${where}: redact.patterns is a list of regular expressions, such as [/sk-\\w+/].`, {
        name: 'redact',
      });
    return new Redactor(fields, patterns);
  }

  private constructor(fields: readonly string[], patterns: readonly RegExp[]) {
    this.#fields = new Set(fields.map(plainName));
    this.#patterns = patterns.map(({ source, flags }) => new RegExp(source, flags.includes('g') ? flags : `${flags}g`));
    this.#inText = this.#fields.size === 0 ? undefined : namedInText([...this.#fields]);
  }

  /** Text with secrets taken out: `apiKey: 'abc'`, `"api_key":"abc"`, `api-key=abc`, and what patterns find. */
  text(text: string): string {
    let found = text.replaceAll(passwordInUrl, `$1${redacted}@`);
    for (const pattern of this.#patterns) found = found.replaceAll(pattern, redacted);
    return this.#inText === undefined
      ? found
      : found.replaceAll(
          this.#inText,
          (_all, before: string, quote = '') => `${before}${String(quote)}${redacted}${String(quote)}`,
        );
  }

  /** Data with secrets taken out; what needs no change is given back as it is. */
  value<Value>(value: Value): Value {
    return this.#value(value, 0, (text) => this.text(text)) as Value;
  }

  /** The same for rows of the store, in which values are encoded as messages. */
  stored<Value>(value: Value): Value {
    return this.#value(value, 0, (text) => this.#message(text) ?? this.text(text)) as Value;
  }

  #value(value: unknown, depth: number, ofText: (text: string) => string): unknown {
    if (typeof value === 'string') return ofText(value);
    if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
    if (Array.isArray(value)) return value.map((item) => this.#value(item, depth + 1, ofText));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return value;
    // Variables and differences are listed with their names beside them.
    const { name } = value as { readonly name?: unknown };
    const isNamed = typeof name === 'string' && this.#isSecret(name);
    return Object.fromEntries(
      Object.entries(value).map(([field, member]) => [
        field,
        member !== undefined && member !== null && (this.#isSecret(field) || (isNamed && valueFields.has(field)))
          ? redacted
          : this.#value(member, depth + 1, ofText),
      ]),
    );
  }

  /** A message of values: objects and maps are lists of names and values. Undefined if the text is none. */
  #message(text: string): string | undefined {
    if (!text.startsWith('[')) return undefined;
    let nodes: unknown;
    try {
      nodes = JSON.parse(text);
    } catch {
      return undefined;
    }
    if (!Array.isArray(nodes)) return undefined;
    return JSON.stringify(nodes.map((node: unknown) => (Array.isArray(node) ? this.#node(node) : this.stored(node))));
  }

  #node(node: readonly unknown[]): unknown[] {
    const [tag] = node;
    const first = tag === 'O' || tag === 'M' ? 1 : tag === 'I' ? 2 : undefined;
    return node.map((part, index) => {
      if (index === 0) return part;
      const isValue = first !== undefined && index > first && (index - first) % 2 === 1;
      const name = node[index - 1];
      if (isValue && typeof name === 'string' && this.#isSecret(name)) return redacted;
      return typeof part === 'string' ? this.text(part) : part;
    });
  }

  #isSecret(field: string): boolean {
    return this.#fields.has(plainName(field));
  }
}

/** What stands beside the name of a variable. */
const valueFields: ReadonlySet<string> = new Set(['value', 'text', 'json', 'before', 'after', 'shown', 'preview']);

const passwordInUrl = /([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:)[^\s/@]+@/gi;

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, '');
}

/** A name, what separates it from its value, and the value: quoted, after the kind of a credential, or up to a space or bracket. */
function namedInText(fields: readonly string[]): RegExp {
  const names = fields.map((field) => Array.from(field, escaped).join('[_-]?')).join('|');
  const before = `(?<![A-Za-z0-9])(?:${names})\\\\*["'\`]?\\s*(?:[:=]|=>)\\s*`;
  const quoted = `(\\\\*["'\`])(?:(?!\\2)[^\\n])*\\2`;
  const bare = `(?:(?:Bearer|Basic)\\s+)?[^\\s,;&)}\\]"'\`]+`;
  return new RegExp(`(${before})(?:${quoted}|${bare})`, 'gi');
}

function escaped(character: string): string {
  return character.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
