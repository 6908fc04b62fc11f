// A KVStore of the application as the journal calls it: complete, and with errors of its own that say that it cannot be reached.
import { StatekError } from '../../base/error.ts';
import { described, InvalidOptionError } from '../../base/options.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { KVStore } from './key-value-store.ts';

const functions: readonly (keyof KVStore)[] = [
  'get',
  'set',
  'delete',
  'has',
  'getMany',
  'setMany',
  'deleteMany',
  'compareAndSet',
  'keys',
];

/** Throws unless it has every function of a KVStore. */
export function checkKeyValueStore(kv: unknown): asserts kv is KVStore {
  const given = kv as Partial<Record<string, unknown>> | null | undefined;
  const missing = functions.filter((name) => typeof given?.[name] !== 'function');
  if (missing.length === 0) return;
  if (missing.length === functions.length)
    throw new InvalidOptionError(`storeOf takes a KVStore with ${functions.join(', ')}, not ${described(kv)}.`);
  throw new InvalidOptionError(`storeOf: the KVStore has no function ${missing.join(', ')}.`, { missing });
}

/** The same, whose failures are those of a store that is out of reach. What a commit came to is another question: `compareAndSet` tells itself. */
export function reachable(kv: KVStore): KVStore {
  const call = async <Result>(name: string, action: () => Promise<Result>): Promise<Result> => {
    try {
      return await action();
    } catch (error) {
      throw unavailable(name, error);
    }
  };
  return {
    get: (key) => call('get', () => kv.get(key)),
    set: (key, value) => call('set', () => kv.set(key, value)),
    delete: (key) => call('delete', () => kv.delete(key)),
    has: (key) => call('has', () => kv.has(key)),
    getMany: (keys) => call('getMany', () => kv.getMany(keys)),
    setMany: (entries) => call('setMany', () => kv.setMany(entries)),
    deleteMany: (keys) => call('deleteMany', () => kv.deleteMany(keys)),
    compareAndSet: (key, expected, value) => kv.compareAndSet(key, expected, value),
    async *keys(prefix) {
      try {
        yield* kv.keys(prefix);
      } catch (error) {
        throw unavailable('keys', error);
      }
    },
    close: async () => kv.close?.(),
  };
}

function unavailable(name: string, error: unknown): unknown {
  if (error instanceof StatekError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new StoreUnavailableError(`The KVStore cannot be reached: ${name} failed: ${why}`, { name }, error);
}
