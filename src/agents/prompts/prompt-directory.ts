// A folder of prompt files, `<role>.md`. A file that is changed reaches the jobs that are defined afterwards.
import { join } from 'node:path';
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import type { Clock } from '../../base/clock.ts';
import { isPlainName } from '../files/lines.ts';
import { ParsedFiles } from '../files/parsed-files.ts';
import { shownPath } from '../files/shown-path.ts';
import { diskFiles, type TextFiles } from '../files/text-files.ts';
import { didYouMean } from '../../base/closest.ts';
import { PromptMissingError } from './errors.ts';
import { parsePrompt } from './parse-prompt.ts';
import type { Prompt } from './prompt.ts';

export interface DirectoryOptions {
  readonly files?: TextFiles | undefined;
  readonly clock?: Clock | undefined;
}

export class PromptDirectory {
  readonly directory: string;
  readonly #files: TextFiles;
  readonly #clock: Clock | undefined;
  /** By the parameters of the agent, which decide which placeholders there are. */
  readonly #parsed = new Map<string, ParsedFiles<Prompt>>();

  constructor(directory: string, options: DirectoryOptions = {}) {
    refuseUnknownOptions('PromptDirectory', options, { files: true, clock: true });
    this.directory = directory;
    this.#files = options.files ?? diskFiles;
    this.#clock = options.clock;
  }

  /** The roles that have a prompt. */
  roles(): string[] {
    return this.#files
      .list(this.directory)
      .filter((path) => path.endsWith('.md') && !path.includes('/'))
      .map((path) => path.slice(0, -'.md'.length));
  }

  /** The prompt of a role as the file has it now; undefined if there is none. */
  find(role: string, parameters: readonly string[] = []): Prompt | undefined {
    checkRole(role);
    const key = JSON.stringify(parameters);
    let parsed = this.#parsed.get(key);
    if (parsed === undefined) {
      parsed = new ParsedFiles(this.#files, (text, path) => parsePrompt(text, path, { parameters }), {
        clock: this.#clock,
      });
      this.#parsed.set(key, parsed);
    }
    return parsed.get(join(this.directory, `${role}.md`));
  }

  /** The same; a role without a prompt is an error. */
  load(role: string, parameters: readonly string[] = []): Prompt {
    const prompt = this.find(role, parameters);
    if (prompt !== undefined) return prompt;
    const roles = this.roles();
    throw new PromptMissingError(
      `There is no prompt file ${shownPath(join(this.directory, `${role}.md`))}. ${roles.length === 0 ? 'The folder has none.' : `The folder has prompts for ${roles.join(', ')}.`}${didYouMean(role, roles)}`,
      { role, directory: this.directory, roles },
    );
  }
}

export function checkRole(role: string): void {
  if (!isPlainName(role))
    throw new InvalidOptionError(
      `The role '${role}' cannot name a file: use letters, digits, '_', '-', '.' and spaces, a letter or digit first.`,
      { role },
    );
}
