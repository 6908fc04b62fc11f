// The shape of a command: a file that exports one, and a line in commands.ts.
import type { Session } from '../session.ts';

export interface CommandOption {
  /** As in `-c, --code <text>` or `--all`. */
  readonly flags: string;
  readonly description: string;
  /** The allowed values. */
  readonly choices?: readonly string[];
  /** Parses the text of the option; throws `UsageError`. */
  readonly parse?: (option: string, text: string) => unknown;
  /** May be repeated; the values form a list. */
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
  /** Further paragraphs for `--help`. */
  readonly details?: string;
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  /** What to type after `statek`, and what it does. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** Returns the exit code (default: 0). */
  run(session: Session, given: Given): Promise<number | void>;
}

/** The arguments and options of a command line, by name in camelCase. */
export class Given {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = new Map(Object.entries(values));
  }

  has(name: string): boolean {
    return this.#values.get(name) !== undefined;
  }

  /** A required argument. */
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
