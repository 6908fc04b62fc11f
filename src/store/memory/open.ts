// Opens stores that last as long as the process. Stores of one name share their contents, as several processes share a file.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { EngineStore } from '../engine/engine-store.ts';
import type { Store } from '../store.ts';
import type { Changer } from './change.ts';
import { Contents } from './contents.ts';
import { MemoryEngine } from './engine.ts';

const contentsByName = new Map<string, { readonly contents: Contents; users: number }>();

export function openMemory(given: string, clock: Clock): Store {
  const name = given === '' ? randomUUID() : given;
  const shared = contentsByName.get(name) ?? { contents: new Contents(), users: 0 };
  contentsByName.set(name, shared);
  shared.users++;
  const { contents } = shared;
  const changer: Changer = {
    change: (decide) => {
      const { changes, result } = decide();
      contents.apply(changes);
      return Promise.resolve(result);
    },
  };
  return new EngineStore(
    new MemoryEngine({
      features: {
        engine: 'memory',
        durable: false,
        shared: false,
        remote: false,
        synchronousReads: true,
        volatileMessages: true,
      },
      contents: () => contents,
      changer,
      clock,
      replace: (loaded) => {
        contents.become(loaded);
        return Promise.resolve();
      },
      close: () => {
        if (--shared.users === 0) contentsByName.delete(name);
        return Promise.resolve();
      },
    }),
  );
}
