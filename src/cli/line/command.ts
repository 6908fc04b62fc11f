// What a command is: a file with one of these, and a line in commands.ts.
import type { Session } from '../session.ts';

export interface CommandOption {
  /** As in `-c, --code <text>` or `--all`. */
  readonly flags: string;
  readonly description: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** Turns its text into a value; throws `UsageError`. Given the option's name and the text. */
  readonly parse?: (option: string, text: string) => unknown;
  /** May be given several times; the values are a list. */
  readonly repeats?: true;
}

export interface CommandArgument {
  /** `<id>`, `[commit]` or `[files...]`. */
  readonly syntax: string;
  readonly description: string;
}

export type CommandGroup = 'Begin' | 'Run' | 'Look' | 'Act' | 'History' | 'Maintain';

export interface Command {
  readonly name: string;
  readonly group: CommandGroup;
  /** One line. */
  readonly summary: string;
  /** More, for its own help. */
  readonly details?: string;
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  /** What is typed after `statek`, and what it does. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** Returns how the process ends; 0 unless told. */
  run(session: Session, given: Given): Promise<number | void>;
}

/** What was typed, by the names of arguments and options in camelCase. */
export class Given {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = new Map(Object.entries(values));
  }

  has(name: string): boolean {
    return this.#values.get(name) !== undefined;
  }

  /** Text that is there: an argument that must be given. */
  text(name: string): string {
    return String(this.#values.get(name));
  }

  optional(name: string): string | undefined {
    return this.#values.get(name) as string | undefined;
  }

  flag(name: string): boolean {
    return this.#values.get(name) === true;
  }

  number(name: string): number | undefined {
    return this.#values.get(name) as number | undefined;
  }

  date(name: string): Date | undefined {
    return this.#values.get(name) as Date | undefined;
  }

  list(name: string): readonly string[] {
    return (this.#values.get(name) as readonly string[] | undefined) ?? [];
  }

  value(name: string): unknown {
    return this.#values.get(name);
  }
}
