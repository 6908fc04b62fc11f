// A program that an earlier engine put aside, with its step in the middle, goes on in this one.
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { ImagePages } from '../../../history/door.ts';
import type { ProgramHost } from '../../language.ts';
import { defaultLimits } from '../../limits.ts';
import { pageBytes } from '../../wasm/memory-pages.ts';
import { TypeScriptLanguage } from '../language.ts';
import { loadBuild } from './build.ts';
import type { ImageHeader } from './engine.ts';
import { undefinedMessage } from '../../wire/wire.ts';

interface Stored {
  readonly header: ImageHeader;
  readonly pageCount: number;
  /** Pages that are not zero: their number and base64. */
  readonly pages: readonly (readonly [number, string])[];
}

const { header, pageCount, pages } = JSON.parse(
  brotliDecompressSync(readFileSync(new URL('fixtures/earlier-engine.image.br', import.meta.url))).toString(),
) as Stored;

it('goes on with an image of an earlier engine, which has the same memory', () => {
  expect(loadBuild(header.engine)).toBe(loadBuild());
  expect(header.engine).not.toBe(loadBuild().sha256);
  const bytes = Buffer.alloc(pageCount * pageBytes);
  for (const [index, page] of pages) bytes.set(Buffer.from(page, 'base64'), index * pageBytes);
  const language = new TypeScriptLanguage({ instances: 1, memoryBytes: 2 ** 30, modules: new Map() });
  const ended: string[] = [];
  const host: ProgramHost = {
    answer: (operation, text) => {
      if (operation === 'stepEnded') ended.push(text);
      return '=[["u"]]';
    },
    answerPlain: () => undefined,
    isOver: () => false,
    now: () => Date.UTC(2026, 0, 1),
    zoneOffset: () => 0,
  };
  const image = language.imageFrom(whole(bytes, header));
  const running = language.start(image, host, defaultLimits);
  running.settle(7, false, undefinedMessage);
  expect(running.finish()).toEqual([]);
  expect(ended).toEqual(['1\n=[4]']);
  const again = running.capture();
  running.release();
  // It stays an image of the engine that made it: that engine, too, could go on with it.
  expect(JSON.parse(Buffer.from(again.headerBytes).toString())).toMatchObject({ engine: header.engine });
});

/** An image that is in one piece. */
function whole(boot: Uint8Array, about: object): ImagePages {
  const count = boot.length / 4096;
  return {
    boot,
    bootPages: count,
    pageCount: count,
    changed: new Map(),
    header: Buffer.from(JSON.stringify(about)),
  };
}
