// Objects kept for reasons unknown to the objects layer, such as programs or calls that hold them.
import { InvalidOptionError } from '../../base/options.ts';
import type { Collection } from '../../store/door.ts';
import { idText, placeOf } from '../node.ts';

/** Ids as `id` in the default space, or `space/id`. */
export type RootIds = Iterable<string> | AsyncIterable<string>;

export type RootSource = readonly string[] | (() => RootIds | Promise<RootIds>);

export class ExtraRoots {
  readonly #source: RootSource;
  /** The collections they are stored in. */
  readonly collections: readonly Collection[];
  readonly #knowsCollections: boolean;

  constructor(source: RootSource, collections: readonly Collection[] | undefined) {
    if (!Array.isArray(source) && typeof source !== 'function')
      throw new InvalidOptionError("collectObjects: 'roots' must be an array of ids, or a function that returns them.");
    this.#source = source;
    this.collections = collections ?? [];
    this.#knowsCollections = collections !== undefined;
  }

  /** Whether the roots may have changed. */
  mayHaveChanged(changed: ReadonlySet<string>): boolean {
    if (typeof this.#source !== 'function') return false;
    return !this.#knowsCollections || this.collections.some(({ name }) => changed.has(name));
  }

  async ids(): Promise<string[]> {
    const ids: string[] = [];
    const source = typeof this.#source === 'function' ? await this.#source() : this.#source;
    for await (const text of source) {
      const { space, id } = placeOf(text);
      ids.push(idText(space, id));
    }
    return ids;
  }
}
