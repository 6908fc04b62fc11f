// What a kit tells about its agents while they work: lines on the error stream, as many as the log level wants, and every
// turn with its request and reply in a trace file, one JSON value per line.
import { appendFile } from 'node:fs/promises';
import type { Redactor } from '../base/redact.ts';
import { logLevels, type LogLevel } from './settings/definitions.ts';

export type LoggedLevel = Exclude<LogLevel, 'silent'>;

export interface LogOptions {
  readonly level: LogLevel;
  readonly traceFile?: string | undefined;
  /** Takes secrets out of everything that is written. */
  readonly redactor?: Redactor | undefined;
  /** Where lines go; default: the error stream. */
  readonly write?: ((line: string) => void) | undefined;
}

export class Log {
  readonly #level: number;
  readonly #traceFile: string | undefined;
  readonly #write: (line: string) => void;
  readonly #redactor: Redactor | undefined;
  #traced: Promise<void> = Promise.resolve();
  #isBroken = false;

  constructor({ level, traceFile, redactor, write = (line) => process.stderr.write(`${line}\n`) }: LogOptions) {
    this.#level = logLevels.indexOf(level);
    this.#traceFile = traceFile;
    this.#write = write;
    this.#redactor = redactor;
  }

  get traces(): boolean {
    return this.#traceFile !== undefined;
  }

  log(level: LoggedLevel, text: string, data: Readonly<Record<string, unknown>> = {}): void {
    if (logLevels.indexOf(level) > this.#level) return;
    const shown = this.#redactor?.value(data) ?? data;
    const more = Object.keys(shown).length === 0 ? '' : ` ${JSON.stringify(shown)}`;
    this.#write(`statek ${level}: ${this.#redactor?.text(text) ?? text}${more}`);
  }

  /** Adds a line to the trace file. One that cannot be written is no reason to stop a job. */
  trace(entry: Readonly<Record<string, unknown>>): void {
    const file = this.#traceFile;
    if (file === undefined) return;
    const line = `${JSON.stringify(this.#redactor?.value(entry) ?? entry)}\n`;
    this.#traced = this.#traced
      .then(() => appendFile(file, line))
      .catch((error: unknown) => {
        if (!this.#isBroken) this.log('error', `The trace file ${file} cannot be written: ${String(error)}`);
        this.#isBroken = true;
      });
  }

  /** Everything that was traced is in the file. */
  flush(): Promise<void> {
    return this.#traced;
  }
}
