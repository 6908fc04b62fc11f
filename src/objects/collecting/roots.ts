// Objects that are kept for reasons the objects layer does not know: programs hold them, calls wait with them.
import { InvalidOptionError } from '../../base/options.ts';
import type { Collection } from '../../store/collection.ts';
import { idText, placeOf } from '../node.ts';

/** Ids as texts: `id` in the default space, or `space/id`. */
export type RootIds = Iterable<string> | AsyncIterable<string>;

export type RootSource = readonly string[] | (() => RootIds | Promise<RootIds>);

export class ExtraRoots {
  readonly #source: RootSource;
  /** Where they are kept. */
  readonly collections: readonly Collection[];
  readonly #isToldOfChanges: boolean;

  constructor(source: RootSource, collections: readonly Collection[] | undefined) {
    if (!Array.isArray(source) && typeof source !== 'function')
      throw new InvalidOptionError("collectObjects: 'roots' is a list of ids, or a function that gives them.");
    this.#source = source;
    this.collections = collections ?? [];
    this.#isToldOfChanges = collections !== undefined;
  }

  /** Whether they may be others than before. */
  mayHaveChanged(changed: ReadonlySet<string>): boolean {
    if (typeof this.#source !== 'function') return false;
    return !this.#isToldOfChanges || this.collections.some(({ name }) => changed.has(name));
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
