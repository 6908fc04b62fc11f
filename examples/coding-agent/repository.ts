// A repository in memory: a durable object whose files the agent reads and changes through a handle. Nothing of the disk is in reach.
import { Durable } from 'statek';

export class Repository extends Durable {
  // Agents have the methods: they change files that are there, and cannot name new ones, such as '../../.bashrc'.
  static durable = { name: 'Repository', singleton: true, hidden: ['files'] };
  files = new Map<string, string>();

  /** Paths of all files. */
  list(): string[] {
    return [...this.files.keys()].toSorted();
  }

  /** A file, with numbered lines. */
  read(path: string): string {
    return linesOf(this, path)
      .map((line, index) => `${String(index + 1).padStart(3)}  ${line}`)
      .join('\n');
  }

  /** Lines of all files that have a text: `path:line  text`. */
  search(text: string): string[] {
    return this.list().flatMap((path) =>
      linesOf(this, path).flatMap((line, index) =>
        line.includes(text) ? [`${path}:${index + 1}  ${line.trim()}`] : [],
      ),
    );
  }

  /** Replaces a text that occurs exactly once in a file; anything else is a mistake of whoever wrote it. */
  replace(path: string, before: string, after: string): void {
    const text = this.files.get(path);
    const count = (text ?? '').split(before).length - 1;
    if (text === undefined || count !== 1)
      throw new RangeError(`'${before}' occurs ${count} times in ${path}; it has to be once.`);
    this.files.set(
      path,
      text.replace(before, () => after),
    );
  }
}

function linesOf({ files }: Repository, path: string): string[] {
  const text = files.get(path);
  if (text === undefined) throw new RangeError(`There is no file '${path}'.`);
  return text.trimEnd().split('\n');
}
