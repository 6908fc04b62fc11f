// When the host says that the time is over, a program stops: in bytecode, in C, and in what the host does for it.
import { expect, it } from 'vitest';
import type { ProgramHost } from '../../language.ts';
import { defaultLimits } from '../../limits.ts';
import { PythonLanguage } from '../language.ts';

const language = new PythonLanguage({ instances: 2, memoryBytes: 2 ** 30, modules: new Map() });
const limits = { ...defaultLimits, softCpuMilliseconds: 3_600_000, hardCpuMilliseconds: 3_600_000 };

function hostFor(looks: number): ProgramHost & { looks: number } {
  const host = {
    looks: 0,
    isOver: () => ++host.looks > looks,
    answerPlain: () => undefined,
    answer: () => '=[["u"]]',
    now: () => Date.UTC(2026, 0, 1),
    zoneOffset: () => 60,
  };
  return host;
}

const endless = {
  'a loop': 'while True: pass',
  'a loop that catches everything':
    'while True:\n    try:\n        while True: 1 / 0\n    except BaseException: pass\n    finally: caught = 1',
  'a loop in C': 'import itertools, collections\ncollections.deque(itertools.count(), maxlen=0)',
  'a loop in C whose turns take long': 'import hashlib\nwhile True: hashlib.sha256(bytes(10**6)).digest()',
  'a pattern': 'import re\nre.match(r"^(a+)+$", "a" * 60 + "b")',
  'a large power': 'x = 7 ** 7 ** 9',
  'what is printed': 'while True:\n    try: print("x")\n    except BaseException: pass',
  'local time': 'import time\nwhile True: time.localtime(0)',
  'random bytes': 'import os\nwhile True: os.urandom(1)',
  'files looked for': 'import os\nwhile True: os.path.exists("/x")',
};

it.each(Object.entries(endless))('stops when the time is over: %s', (_, source) => {
  const host = hostFor(400);
  const running = language.start(language.boot().image, host, limits);
  expect(() => running.begin(1, { source })).toThrow(
    expect.objectContaining({ code: 'LIMIT', details: { limit: 'CPU time', reason: 'time' } }) as Error,
  );
  expect(() => running.heldTokens()).toThrow(/CPU time/);
  running.release();
  const next = language.start(language.boot().image, hostFor(Number.POSITIVE_INFINITY), limits);
  next.begin(1, { source: '6 * 7' });
  expect(next.heldTokens()).toEqual([]);
  next.release();
});

it('reads no more of a text than could be allowed', () => {
  const lengths: number[] = [];
  const host: ProgramHost = {
    ...hostFor(Number.POSITIVE_INFINITY),
    isOver: () => false,
    answer: (operation, text) => {
      lengths.push(text.length);
      return operation === 'stepEnded' ? '=[["u"]]' : '![[0],["E","RangeError","too large",""]]';
    },
  };
  const running = language.start(language.boot().image, host, { ...limits, valueBytes: 1024 });
  running.begin(1, { source: '"x" * 10**6' });
  running.release();
  expect(Math.max(...lengths)).toBeGreaterThan(1024);
  expect(Math.max(...lengths)).toBeLessThan(100_000);
});
