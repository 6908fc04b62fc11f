// What new programs of a language start from. It is the same for every kit of the process, takes long to make and much memory, and is
// let go of with the last kit that used it.
import type { Boot } from '../language.ts';
import { BootPages } from './memory-pages.ts';

export class SharedBoot {
  readonly pages: BootPages = new BootPages();
  readonly #make: (pages: BootPages, bytes?: Uint8Array) => Boot;
  #boot: Boot | undefined;

  constructor(make: (pages: BootPages, bytes?: Uint8Array) => Boot) {
    this.#make = make;
  }

  get isMade(): boolean {
    return this.#boot !== undefined;
  }

  /** Makes it when it is first asked for, from bytes that were loaded already if there are any. */
  get(bytes?: Uint8Array): Boot {
    return (this.#boot ??= this.#make(this.pages, bytes));
  }
}

/** Gives the same to all who ask, as long as somebody has it. */
export function sharedBoot(make: (pages: BootPages, bytes?: Uint8Array) => Boot): () => SharedBoot {
  let last: WeakRef<SharedBoot> | undefined;
  return () => {
    const known = last?.deref();
    if (known !== undefined) return known;
    const shared = new SharedBoot(make);
    last = new WeakRef(shared);
    return shared;
  };
}
