// A folder of warmups, `<role>.ts` or `<role>.py`: code that runs before a job's first turn.
import { join } from 'node:path';
import { refuseUnknownOptions } from '../../base/options.ts';
import { ParsedFiles } from '../files/parsed-files.ts';
import { diskFiles } from '../files/text-files.ts';
import { promptFileError } from './errors.ts';
import type { Language } from './metadata.ts';
import { checkRole, type DirectoryOptions } from './prompt-directory.ts';

export interface WarmupFile {
  readonly path: string;
  readonly hash: string;
  readonly language: Language;
  readonly text: string;
}

const endings: Readonly<Record<Language, string>> = { typescript: '.ts', python: '.py' };

export class WarmupDirectory {
  readonly directory: string;
  readonly #files: ParsedFiles<WarmupFile>;

  constructor(directory: string, options: DirectoryOptions = {}) {
    refuseUnknownOptions('WarmupDirectory', options, { files: true, clock: true });
    this.directory = directory;
    this.#files = new ParsedFiles(
      options.files ?? diskFiles,
      (text, path, hash) => ({
        path,
        hash,
        language: path.endsWith('.py') ? 'python' : 'typescript',
        text: text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n'),
      }),
      { clock: options.clock },
    );
  }

  /** The warmup of a role in the language of its agent; undefined if there is none. */
  find(role: string, language: Language): WarmupFile | undefined {
    checkRole(role);
    const found = this.#files.get(join(this.directory, role + endings[language]));
    if (found !== undefined) return found;
    const other = language === 'python' ? 'typescript' : 'python';
    const wrong = this.#files.get(join(this.directory, role + endings[other]));
    if (wrong === undefined) return undefined;
    throw promptFileError(
      wrong.path,
      1,
      `The warmup is ${other}, and the agent '${role}' writes ${language}. Set LANGUAGE, or write ${role}${endings[language]}.`,
    );
  }
}
