// A KVStore in memory.
import type { KVStore } from '../../../src/store/key-value/key-value-store.ts';

export function memoryKeyValues(values: Map<string, Uint8Array> = new Map()): KVStore {
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, new Uint8Array(value)),
    delete: async (key) => void values.delete(key),
    has: async (key) => values.has(key),
    getMany: async (keys) => keys.map((key) => values.get(key)),
    setMany: async (entries) => entries.forEach(([key, value]) => values.set(key, new Uint8Array(value))),
    deleteMany: async (keys) => keys.forEach((key) => values.delete(key)),
    compareAndSet: async (key, expected, value) => {
      const current = values.get(key);
      const isSame =
        expected === undefined || current === undefined
          ? expected === current
          : Buffer.compare(expected, current) === 0;
      if (isSame) values.set(key, new Uint8Array(value));
      return isSame;
    },
    keys: async function* (prefix) {
      yield* [...values.keys()].filter((key) => key.startsWith(prefix));
    },
  };
}
