// The output of a command: results go to standard output, everything else to standard error.
import type { Redactor } from '../../base/redact.ts';
import { styleFor, wantsColour, type Style } from './style.ts';
import { tableLines, type Column } from './table.ts';
import { jsonValue } from './values.ts';

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): boolean;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Stream;
  readonly stderr: Stream;
}

export class Output {
  readonly isJson: boolean;
  readonly isTerminal: boolean;
  readonly style: Style;
  /** For standard error. */
  readonly noteStyle: Style;
  readonly #stdout: Stream;
  readonly #stderr: Stream;
  #bar = '';
  /** Takes secrets out of what is printed, once the kit says which. */
  redactor: Redactor | undefined;

  constructor({ json, environment, stdout, stderr }: OutputOptions) {
    this.isJson = json;
    this.isTerminal = stdout.isTTY === true;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.style = styleFor(!json && wantsColour(this.isTerminal, environment));
    this.noteStyle = styleFor(wantsColour(stderr.isTTY === true, environment));
  }

  /** Whether somebody reads standard error as it is written. */
  get notesToTerminal(): boolean {
    return this.#stderr.isTTY === true;
  }

  /** Columns of the terminal; undefined without one, so that nothing is truncated. */
  get width(): number | undefined {
    return this.isTerminal ? (this.#stdout.columns ?? 80) : undefined;
  }

  /** Lines of the terminal; undefined without one. */
  get height(): number | undefined {
    return this.isTerminal ? (this.#stdout.rows ?? 24) : undefined;
  }

  /** Prints text as it is, without ending the line. */
  write(text: string): void {
    this.#stdout.write(this.#shown(text));
  }

  /** Prints the single JSON document of a command. */
  json(value: unknown): void {
    this.#stdout.write(`${JSON.stringify(this.#shown(jsonValue(value)), null, 2)}\n`);
  }

  /** Prints one JSON document of a stream. */
  jsonLine(value: unknown): void {
    this.#stdout.write(`${JSON.stringify(this.#shown(jsonValue(value)))}\n`);
  }

  line(text = ''): void {
    this.#stdout.write(`${this.#shown(text)}\n`);
  }

  lines(texts: readonly string[]): void {
    if (texts.length > 0) this.#stdout.write(`${this.#shown(texts.join('\n'))}\n`);
  }

  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    this.lines(tableLines(rows, columns, { width: this.width, style: this.style }));
  }

  /** Prints names and values, one pair per line. */
  facts(facts: readonly (readonly [name: string, value: string | undefined])[]): void {
    this.lines(this.factLines(facts));
  }

  factLines(facts: readonly (readonly [name: string, value: string | undefined])[]): string[] {
    const present = facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '');
    const width = Math.max(0, ...present.map(([name]) => name.length));
    return present.map(([name, value]) => {
      const [first = '', ...rest] = value.split('\n');
      const indent = ' '.repeat(width + 2);
      return [`${this.style.dim(name.padEnd(width))}  ${first}`, ...rest.map((one) => indent + one)].join('\n');
    });
  }

  heading(text: string): void {
    this.line();
    this.line(this.style.bold(text));
  }

  /** Prints a line on standard error. */
  note(text: string): void {
    this.#clearBar();
    this.#stderr.write(`${this.#shown(text)}\n`);
    this.#drawBar();
  }

  /** Prints a question; the answer is typed after it. */
  prompt(text: string): void {
    this.#clearBar();
    this.#stderr.write(text);
  }

  /** Draws a progress bar on a terminal; prints nothing elsewhere. */
  progress(label: string, done: number, total: number): void {
    if (this.#stderr.isTTY !== true) return;
    const size = 24;
    const filled = total === 0 ? size : Math.round((done / total) * size);
    this.#clearBar();
    this.#bar = `${label} ${'█'.repeat(filled)}${'░'.repeat(size - filled)} ${done}/${total}`;
    this.#drawBar();
  }

  endProgress(): void {
    this.#clearBar();
    this.#bar = '';
  }

  #shown<Value>(value: Value): Value {
    return this.redactor === undefined ? value : this.redactor.value(value);
  }

  #clearBar(): void {
    if (this.#bar !== '') this.#stderr.write('\r\u001B[2K');
  }

  #drawBar(): void {
    if (this.#bar !== '') this.#stderr.write(this.#bar);
  }
}
