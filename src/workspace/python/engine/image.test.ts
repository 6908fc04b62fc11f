// What is dead in an image is dead: a program goes on whatever lies there. What is damaged or foreign is refused, not guessed at.
import { randomFillSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ImagePages } from '../../../history/door.ts';
import type { ProgramHost, StoredImage } from '../../language.ts';
import { defaultLimits } from '../../limits.ts';
import { EngineMissingError, ImageRefusedError } from '../../typescript/engine/errors.ts';
import { PythonLanguage } from '../language.ts';
import { pageBytes } from '../../wasm/memory-pages.ts';
import { shippedBuild } from './build.ts';
import type { PythonHeader } from './image.ts';
import { receivedMessage } from '../../wire/wire.ts';

const language = new PythonLanguage({ instances: 2, memoryBytes: 2 ** 30, modules: new Map() });

/** Answers requests for futures with the next number, and keeps how steps ended. */
function hostWith(ended: string[]): ProgramHost {
  let futures = 0;
  return {
    answer: (operation, text) => {
      if (operation === 'stepEnded') ended.push(text);
      return operation === 'future' ? `=[${++futures}]` : '=[["u"]]';
    },
    answerPlain: () => undefined,
    isOver: () => false,
    now: () => Date.UTC(2026, 0, 1),
    zoneOffset: () => 0,
  };
}

const program = 'def down(n): return ask("?") + "!" if n == 0 else down(n - 1)\nlist(map(down, [20]))[0]';

function suspended(): StoredImage {
  const running = language.start(language.boot().image, hostWith([]), defaultLimits);
  running.begin(1, language.compile(program, 1, defaultLimits));
  running.finish();
  const image = running.capture();
  running.release();
  return image;
}

function parts(image: StoredImage): { bytes: Buffer; header: PythonHeader } {
  const bytes = Buffer.alloc(image.pageCount * pageBytes);
  for (let index = 0; index < image.pageCount; index++) bytes.set(image.page(index), index * pageBytes);
  return { bytes, header: JSON.parse(Buffer.from(image.headerBytes).toString()) as PythonHeader };
}

function endOf(image: StoredImage): string[] {
  const ended: string[] = [];
  const running = language.start(image, hostWith(ended), defaultLimits);
  running.settle(1, false, receivedMessage('["answer"]'));
  running.finish();
  running.release();
  return ended;
}

describe('an image', () => {
  it('goes on where it was put aside', () => {
    expect(endOf(suspended())).toEqual(['1\n=["answer!"]\nanswer!']);
  });

  it('knows the pages in which it differs from the one it was captured from, and from no other', () => {
    const first = suspended();
    const running = language.start(first, hostWith([]), defaultLimits);
    running.settle(1, false, receivedMessage('["answer"]'));
    running.finish();
    const second = running.capture();
    running.release();
    const differing = Array.from({ length: second.pageCount }, (_, index) => index).filter(
      (index) => Buffer.compare(second.page(index), first.page(index)) !== 0,
    );
    expect(differing.length).toBeGreaterThan(0);
    expect(second.changedSince?.(first)?.pages).toEqual(differing);
    expect(second.changedSince?.(language.boot().image)).toBeUndefined();
    expect(first.changedSince?.(second)?.pages).toBeUndefined();
  });

  it('does not depend on what lies in the dead parts of the stack', () => {
    const { bytes, header } = parts(suspended());
    const { stackEnd, stepStack, mainStack, aside, asideBytes } = header;
    const used = bytes.readUInt32LE(aside);
    randomFillSync(bytes.subarray(stackEnd, header.suspended?.deepest));
    randomFillSync(bytes.subarray(stepStack, mainStack));
    randomFillSync(bytes.subarray(used, aside + asideBytes));
    expect(endOf(language.imageFrom(whole(bytes, header)))).toEqual(['1\n=["answer!"]\nanswer!']);
  });

  it('is the same wherever it is made', () => {
    const [first, second] = [suspended(), suspended()];
    expect(parts(first).bytes.equals(parts(second).bytes)).toBe(true);
    expect(Buffer.from(first.headerBytes).equals(Buffer.from(second.headerBytes))).toBe(true);
  });

  it('is refused if it is cut short, its header is damaged, or its engine is not here', () => {
    const { bytes, header } = parts(suspended());
    const load = (given: Uint8Array, changed: object): StoredImage =>
      language.imageFrom(whole(given, { ...header, ...changed }));
    expect(() => load(bytes.subarray(0, 100), {})).toThrow(ImageRefusedError);
    for (const changed of [
      { format: 2 },
      { runStep: -1 },
      { mainStack: 2 ** 40 },
      { stepStack: 0 },
      { language: 'typescript' },
    ])
      expect(() => load(bytes, changed)).toThrow(ImageRefusedError);
    const foreign = load(bytes, { engine: '0'.repeat(64) });
    expect(() => language.start(foreign, hostWith([]), defaultLimits)).toThrow(EngineMissingError);
  });

  it('of an earlier engine with the same memory goes on in this one', () => {
    const { bytes, header } = parts(suspended());
    for (const engine of shippedBuild().goesOnWith ?? []) {
      const earlier = language.imageFrom(whole(bytes, { ...header, engine }));
      expect(endOf(earlier)).toEqual(['1\n=["answer!"]\nanswer!']);
    }
    expect(shippedBuild().goesOnWith).toContain('b77ad9c7738fff0924c118a76c6f159160d05148724e969ecccb4367dd25de98');
  });

  it('is gone with a slice that a limit stops, and is itself as it was', () => {
    const running = language.start(language.boot().image, hostWith([]), { ...defaultLimits, softCpuMilliseconds: 20 });
    expect(() => running.begin(1, { source: 'while True: pass' })).toThrow(/CPU time/);
    running.release();
    expect(endOf(suspended())).toEqual(['1\n=["answer!"]\nanswer!']);
  });
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
