// The files Python sees: its standard library in one archive and the data of time zones, all of it read-only. Nothing of the
// machine's own files is among them.

export interface VirtualFile {
  readonly path: string;
  readonly number: number;
  /** What is in it; none in a folder. */
  readonly bytes: Uint8Array | undefined;
  readonly isFolder: boolean;
}

export const libraryPath = '/lib/python314.zip';
export const zonesPath = '/usr/share/zoneinfo/';

const folders: readonly string[] = ['/', '/lib', '/lib/python3.14', '/usr', '/usr/share', '/usr/share/zoneinfo'];

export interface FileSources {
  /** The archive of the standard library. */
  library(): Uint8Array;
  /** The file of a time zone, if there is such a zone. */
  zone(name: string): Uint8Array | undefined;
}

export class VirtualFiles {
  readonly #sources: FileSources;
  readonly #zones = new Map<string, VirtualFile>();

  constructor(sources: FileSources) {
    this.#sources = sources;
  }

  find(given: string): VirtualFile | undefined {
    const path = normal(given);
    const folder = folders.indexOf(path);
    if (folder >= 0) return { path, number: 100 + folder, bytes: undefined, isFolder: true };
    if (path === libraryPath) return { path, number: 1, bytes: this.#sources.library(), isFolder: false };
    return path.startsWith(zonesPath) ? this.#zone(path) : undefined;
  }

  #zone(path: string): VirtualFile | undefined {
    const known = this.#zones.get(path);
    if (known !== undefined) return known;
    const bytes = this.#sources.zone(path.slice(zonesPath.length));
    if (bytes === undefined) return undefined;
    const file = { path, number: 1000 + this.#zones.size, bytes, isFolder: false };
    this.#zones.set(path, file);
    return file;
  }
}

function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
