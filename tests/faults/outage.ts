// A store that refuses everything for a while, as one does that cannot be reached.
import { StoreUnavailableError, type Store } from '../../src/index.ts';

export class Outage {
  isOn = false;

  over(store: Store): Store {
    const refuse = (): void => {
      if (this.isOn) throw new StoreUnavailableError('The store refuses everything for a while.');
    };
    return new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member === 'object' && member !== null && (name === 'synchronous' || name === 'blocking'))
          return new Proxy(member, {
            get: (reads, verb) => (this.isOn ? refuse : (Reflect.get(reads, verb) as unknown)),
          });
        if (typeof member !== 'function' || name === 'close') return member;
        if (name === 'follow') return (...given: unknown[]) => this.#cut(Reflect.apply(member, target, given));
        return (...given: unknown[]): unknown => {
          if (this.isOn) return Promise.reject(new StoreUnavailableError('The store refuses everything for a while.'));
          return Reflect.apply(member, target, given);
        };
      },
    });
  }

  async *#cut(changes: unknown): AsyncGenerator {
    for await (const set of changes as AsyncIterable<unknown>) {
      if (this.isOn) throw new StoreUnavailableError('The store refuses everything for a while.');
      yield set;
    }
  }
}
