// Ranges: which keys a scan shows. Prefixes are literal, whatever characters they have.
import assert from 'node:assert/strict';
import type { Key } from '../../key.ts';
import type { Range } from '../../range.ts';
import { awkwardStrings } from './awkward.ts';
import { conformanceCase } from '../case.ts';
import { records } from './collections.ts';
import { keysIn, put, write } from '../model/steps.ts';

const keys: readonly Key[] = [
  [],
  [1],
  [1, 'a'],
  ['a'],
  ['a', 1],
  ['a', 'x'],
  ['a', 'x', 'deep'],
  ['a', 'xy'],
  ['a', 'y'],
  ['a\0'],
  ['ab'],
  ['ab', 'x'],
  ['b'],
  [new Uint8Array([0x61])],
];

const expected: readonly (readonly [range: Range, indexes: readonly number[]])[] = [
  [{}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]],
  [{ prefix: [] }, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]],
  [{ prefix: ['a'] }, [3, 4, 5, 6, 7, 8]],
  [{ prefix: ['a', 'x'] }, [5, 6]],
  [{ prefix: ['a', 'x', 'deep'] }, [6]],
  [{ prefix: ['a', 'z'] }, []],
  [{ prefix: [1] }, [1, 2]],
  [{ prefix: [1n] }, []],
  [{ startsWith: '' }, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  [{ startsWith: 'a' }, [3, 4, 5, 6, 7, 8, 9, 10, 11]],
  [{ startsWith: 'a\0' }, [9]],
  [{ startsWith: 'ab' }, [10, 11]],
  [{ startsWith: 'A' }, []],
  [{ prefix: ['a'], startsWith: 'x' }, [5, 6, 7]],
  [{ prefix: ['a'], startsWith: 'xy' }, [7]],
  [{ prefix: ['a'], startsWith: '' }, [5, 6, 7, 8]],
  [{ prefix: ['ab'], startsWith: '' }, [11]],
  [{ from: ['a', 'x'] }, [5, 6, 7, 8, 9, 10, 11, 12, 13]],
  [{ from: ['a', 'w'] }, [5, 6, 7, 8, 9, 10, 11, 12, 13]],
  [{ to: ['a', 'x'] }, [0, 1, 2, 3, 4]],
  [{ from: ['a'], to: ['ab'] }, [3, 4, 5, 6, 7, 8, 9]],
  [{ from: ['ab'], to: ['a'] }, []],
  [{ from: ['a'], to: ['a'] }, []],
  [{ to: [] }, []],
  [{ prefix: ['a'], from: ['a', 'xa'] }, [7, 8]],
  [{ prefix: ['a'], to: ['a', 'xa'] }, [3, 4, 5, 6]],
  [{ prefix: ['a'], from: [1] }, [3, 4, 5, 6, 7, 8]],
  [{ prefix: ['a'], from: ['b'] }, []],
  [{ prefix: ['a'], to: ['b'] }, [3, 4, 5, 6, 7, 8]],
  [{ prefix: ['a'], startsWith: 'x', from: ['a', 'x', 'a'], to: ['a', 'xy'] }, [6]],
];

export const rangeCases = [
  conformanceCase('ranges: prefix, startsWith, from and to, together and apart', async ({ store }) => {
    await write(store, ...keys.map((key) => put(records, key, 'value')));
    for (const [range, indexes] of expected) {
      const found = indexes.map((index) => keys[index]);
      assert.deepEqual(await keysIn(store, records, range), found);
      assert.deepEqual(await keysIn(store, records, range, { reverse: true }), found.toReversed());
      assert.deepEqual(await keysIn(store, records, range, { limit: 1 }), found);
    }
  }),

  conformanceCase('ranges: a prefix of any characters is taken literally', async ({ store }) => {
    const texts = awkwardStrings.filter((text) => text.length < 100);
    const stored = new Set(texts.flatMap((text) => [text, `${text}x`, `${text}%`, `x${text}`]));
    const writes = [...stored].map((text) => put(records, ['folder', text], 'value'));
    await write(store, ...writes, put(records, ['folder'], 'itself'), put(records, ['folders', '%'], 'beside'));
    for (const text of texts) {
      const found = await keysIn(store, records, { prefix: ['folder'], startsWith: text });
      const names = found.map((key) => key[1] as string);
      // By code points, as stored: half of a surrogate pair is not the beginning of the whole.
      const points = Array.from(text);
      const beginning = [...stored].filter((name) => points.every((point, index) => Array.from(name)[index] === point));
      assert.deepEqual(names.toSorted(), beginning.toSorted());
      assert.deepEqual(await keysIn(store, records, { prefix: ['folder', text] }), [['folder', text]]);
    }
  }),

  conformanceCase('ranges: an empty collection is empty from every side', async ({ store }) => {
    for (const reverse of [false, true]) {
      const page = await store.scan(records, {}, { reverse });
      assert.deepEqual(page, { entries: [], cursor: undefined, revision: await store.revision() });
    }
  }),
];
