// Prompts, examples and documents are files that people edit. They are read through this, so that tests need no disk.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface FileState {
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly size: number;
}

export interface TextFiles {
  /** Undefined if there is no such file. */
  stat(path: string): FileState | undefined;
  read(path: string): string;
  /** The files in a folder and the folders below, as paths from it with `/`, sorted; none if there is no such folder. */
  list(folder: string): readonly string[];
}

/** The files of the machine. */
export const diskFiles: TextFiles = {
  stat(path) {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true ? { modified: found.mtimeMs, size: found.size } : undefined;
  },
  read: (path) => readFileSync(path, 'utf8'),
  list: (folder) => walk(folder, '').toSorted(),
};

function walk(folder: string, prefix: string): string[] {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) return [];
    if (entry.isDirectory()) return walk(path, `${prefix}${entry.name}/`);
    // A link to a file counts; a link to a folder does not, since it may lead in a circle.
    const isFile = entry.isFile() || (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isFile());
    return isFile === true ? [`${prefix}${entry.name}`] : [];
  });
}

/** Files by path, for tests and for prompts that come with the code. */
export class MemoryFiles implements TextFiles {
  readonly #files = new Map<string, { text: string; modified: number }>();

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [path, text] of Object.entries(files)) this.write(path, text, 0);
  }

  write(path: string, text: string, modified: number): void {
    this.#files.set(path, { text, modified });
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  stat(path: string): FileState | undefined {
    const file = this.#files.get(path);
    return file && { modified: file.modified, size: file.text.length };
  }

  read(path: string): string {
    const file = this.#files.get(path);
    if (file === undefined) throw new Error(`There is no file ${path}.`);
    return file.text;
  }

  list(folder: string): readonly string[] {
    const start = `${folder}/`;
    return [...this.#files.keys()]
      .filter((path) => path.startsWith(start))
      .map((path) => path.slice(start.length))
      .toSorted();
  }
}
