// A plain call waits wherever it stands. Each program here is put aside in the middle of something awkward by one kit, and brought
// to its end by another that knows it from the store alone.
import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Statek, type Step } from '../../src/index.ts';
import { told } from './support.ts';

/** Programs that call `get(n)`, which waits for an answer and gives 10 n; with the values they end with. */
const programs: Readonly<Record<string, readonly [code: string, value: unknown]>> = {
  for: ['total = 0\nfor i in range(3):\n    total += get(i)\ntotal', 30],
  while: ['n = 0\nwhile n < 20:\n    n += get(1)\nn', 20],
  'nested functions': [
    'def a(x):\n    def b(y):\n        def c(z): return get(z) + x\n        return c(y) + 1\n    return b(x)\na(2)',
    23,
  ],
  'recursion 200 deep': ['def down(n): return get(1) if n == 0 else 1 + down(n - 1)\ndown(200)', 210],
  'recursion 100 deep through C': [
    'def down(n):\n    if n == 0: return get(1)\n    return list(map(down, [n - 1]))[0] + 1\ndown(100)',
    110,
  ],
  generator: ['def g():\n    for i in range(3):\n        yield get(i)\nlist(g())', [0, 10, 20]],
  'yield from': [
    'def inner():\n    x = get(1)\n    yield x\n    return get(2)\ndef outer():\n    r = yield from inner()\n    yield r\nlist(outer())',
    [10, 20],
  ],
  comprehension: ['[get(i) for i in range(3)]', [0, 10, 20]],
  'dict comprehension': ['{str(i): get(i) for i in range(2)}', { 0: 0, 1: 10 }],
  'generator expression': ['sum(get(i) for i in range(4))', 60],
  'sorted key': ['sorted([3, 1, 2], key=lambda x: -get(x))', [3, 2, 1]],
  'list.sort key': ['x = [2, 1]\nx.sort(key=get)\nx', [1, 2]],
  'min key': ['min([3, 1, 2], key=get)', 1],
  __getattr__: ['class A:\n    def __getattr__(self, name): return get(len(name))\nA().abc', 30],
  __getitem__: ['class A:\n    def __getitem__(self, i): return get(i)\nA()[4]', 40],
  __hash__: ['class A:\n    def __hash__(self): return get(1)\nd = {A(): "kept"}\nlist(d.values())', ['kept']],
  __eq__: ['class A:\n    def __eq__(self, other): return get(1) == 10\nA() in [1]', true],
  __lt__: [
    'class A:\n    def __init__(self, n): self.n = n\n    def __lt__(self, other): return get(self.n) < get(other.n)\n[a.n for a in sorted([A(2), A(1)])]',
    [1, 2],
  ],
  __iter__: ['class A:\n    def __iter__(self):\n        yield get(1)\n        yield get(2)\nlist(A())', [10, 20]],
  __call__: ['class A:\n    def __call__(self): return get(1)\nA()()', 10],
  __init__: ['class A:\n    def __init__(self): self.x = get(1)\nA().x', 10],
  __new__: [
    'class A:\n    def __new__(cls):\n        self = object.__new__(cls)\n        self.x = get(1)\n        return self\nA().x',
    10,
  ],
  __add__: ['class A:\n    def __add__(self, other): return get(other)\nA() + 5', 50],
  __bool__: ['class A:\n    def __bool__(self): return get(1) == 10\n"yes" if A() else "no"', 'yes'],
  __len__: ['class A:\n    def __len__(self): return get(1)\nlen(A())', 10],
  __str__: ['class A:\n    def __str__(self): return str(get(1))\nf"{A()}!"', '10!'],
  __format__: ['class A:\n    def __format__(self, spec): return spec + str(get(1))\nf"{A():x}"', 'x10'],
  property: ['class A:\n    @property\n    def x(self): return get(1)\nA().x', 10],
  descriptor: ['class D:\n    def __get__(self, i, o): return get(2)\nclass A: x = D()\nA().x', 20],
  __set_name__: [
    'class D:\n    def __set_name__(self, owner, name): self.got = get(len(name))\nclass A: abc = D()\nA.__dict__["abc"].got',
    30,
  ],
  metaclass: [
    'class M(type):\n    def __new__(m, n, b, d): return super().__new__(m, n, b, {**d, "x": get(1)})\nclass A(metaclass=M): pass\nA.x',
    10,
  ],
  're.sub callback': ['import re\nre.sub(r"\\d", lambda m: str(get(int(m[0]))), "a1b2")', 'a10b20'],
  with: [
    'class C:\n    def __enter__(self): return get(1)\n    def __exit__(self, *_): get(2)\nwith C() as c:\n    x = c + get(3)\nx',
    40,
  ],
  contextmanager: [
    'from contextlib import contextmanager\n@contextmanager\ndef cm():\n    yield get(1)\n    get(2)\nwith cm() as v: w = get(3)\nv + w',
    40,
  ],
  except: [
    'try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    x = get(1)\n    y = type(e).__name__\n(x, y)',
    [10, 'ZeroDivisionError'],
  ],
  finally: ['log = []\ntry:\n    log.append(get(1))\nfinally:\n    log.append(get(2))\nlog', [10, 20]],
  'finally on the way out': [
    'def f():\n    try:\n        raise ValueError("kept")\n    finally:\n        get(1)\ntry:\n    f()\nexcept ValueError as e:\n    t = str(e)\nt',
    'kept',
  ],
  'finally after return': ['def f():\n    try:\n        return get(1)\n    finally:\n        get(2)\nf()', 10],
  'class body': ['class A:\n    x = get(1)\n    y = [get(i) for i in (2, 3)]\n(A.x, A.y)', [10, [20, 30]]],
  decorator: ['def deco(f):\n    n = get(1)\n    return lambda: f() + n\n@deco\ndef one(): return 1\none()', 11],
  'default argument': ['def f(x=get(1)): return x\nf()', 10],
  'functools.reduce': ['from functools import reduce\nreduce(lambda a, b: a + get(b), [1, 2], 0)', 30],
  'functools.lru_cache': ['from functools import lru_cache\n@lru_cache\ndef f(n): return get(n)\nf(1) + f(1)', 20],
  'functools.cmp_to_key': [
    'from functools import cmp_to_key\nsorted([2, 1], key=cmp_to_key(lambda a, b: get(a) - get(b)))',
    [1, 2],
  ],
  map: ['list(map(get, [1, 2]))', [10, 20]],
  filter: ['list(filter(lambda x: get(x) > 10, [1, 2]))', [2]],
  'itertools.groupby': ['from itertools import groupby\n[k for k, _ in groupby([1, 1, 2], key=get)]', [10, 20]],
  'heapq with key': ['import heapq\nheapq.nsmallest(1, [2, 1], key=get)', [1]],
  'bisect key': ['import bisect\nbisect.bisect([1, 2, 3], 20, key=get)', 2],
  'json default': ['import json\njson.dumps({"a": object()}, default=lambda o: get(1))', '{"a": 10}'],
  'json object_hook': ['import json\njson.loads(\'{"a": 1}\', object_hook=lambda d: get(d["a"]))', 10],
  'pickle reduce': [
    'import pickle\nclass P:\n    def __reduce__(self): return (int, (get(1),))\npickle.loads(pickle.dumps(P()))',
    10,
  ],
  'copy.deepcopy': [
    'import copy\nclass P:\n    def __deepcopy__(self, memo): return get(1)\ncopy.deepcopy([P()])',
    [10],
  ],
  'str.format attribute': ['class A:\n    def __getattr__(self, n): return get(1)\n"{0.x}".format(A())', '10'],
  'print argument': ['print(get(1))\n1', 1],
  exec: ['exec("x = get(1)")\nx', 10],
  eval: ['eval("get(1) + get(2)")', 30],
  import: ['import waits\nwaits.found', 10],
  'star arguments': ['def f(*a): return sum(a)\nf(*(get(i) for i in (1, 2)))', 30],
  'chained comparison': ['5 < get(1) < get(2)', true],
  'augmented assignment': ['d = {"x": 1}\nd["x"] += get(1)\nd["x"]', 11],
  walrus: ['[y for x in (1, 2) if (y := get(x)) > 10]', [20]],
  'match guard': ['match 1:\n    case x if get(x) == 10: r = "hit"\n    case _: r = "miss"\nr', 'hit'],
  'lambda in a dict': ['{"a": lambda: get(1)}["a"]()', 10],
  'finalizer running': ['class A:\n    def __del__(self): done.append(get(1))\ndone = []\na = A()\ndel a\ndone', [10]],
  dataclass: [
    'from dataclasses import dataclass, field\n@dataclass\nclass P:\n    x: int = field(default_factory=lambda: get(1))\nP().x',
    10,
  ],
  'enum _missing_': [
    'from enum import Enum\nclass E(Enum):\n    A = 1\n    @classmethod\n    def _missing_(cls, v): return cls.A if get(1) else None\nE(99).name',
    'A',
  ],
  singledispatch: ['from functools import singledispatch\n@singledispatch\ndef f(x): return get(x)\nf(3)', 30],
  'async function': ['import asyncio\nasync def f(): return get(1)\nasyncio.run(f())', 10],
  'asyncio.gather': [
    'import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return get(n)\nasync def main(): return await asyncio.gather(f(1), f(2))\nasyncio.run(main())',
    [10, 20],
  ],
  'top-level await': ['import asyncio\nasync def f(n): return get(n)\nawait asyncio.gather(f(1), f(2))', [10, 20]],
  'started and awaited': ['import asyncio\nawait asyncio.gather(start(get, 1), start(get, 2))', [10, 20]],
  'started together': ['both = [start(get, i) for i in (1, 2)]\n[f.result() for f in both]', [10, 20]],
  'async generator': ['async def g():\n    for i in (1, 2): yield get(i)\n[x async for x in g()]', [10, 20]],
  'async with': [
    'class C:\n    async def __aenter__(self): return get(1)\n    async def __aexit__(self, *_): get(2)\nasync with C() as v: pass\nv',
    10,
  ],
  'task group': [
    'import asyncio\nasync def f(n): return get(n)\nasync with asyncio.TaskGroup() as g:\n    a = g.create_task(f(1))\n    b = g.create_task(f(2))\n(a.result(), b.result())',
    [10, 20],
  ],
  'inside another wait': ['get(get(1) - 9)', 10],
  'traceback kept': [
    'import traceback\ndef f():\n    get(1)\n    raise KeyError("x")\ntry:\n    f()\nexcept KeyError:\n    t = traceback.format_exc()\n"in f" in t',
    true,
  ],
};

const modules = { 'waits.py': 'found = get(1)\n' };

it('goes on from the middle of anything, in another kit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-suspension-'));
  const entries = Object.entries(programs);
  try {
    const first = await Statek.open({ store: folder, modules });
    for (const [name, [code]] of entries) {
      const workspace = await first.workspace(name, { language: 'python' });
      await workspace.run('import builtins\nbuiltins.get = ask');
      const step = await workspace.run(code);
      expect([name, step.status, step.error?.message]).toEqual([name, 'suspended', undefined]);
    }
    await first.close();

    const second = await Statek.open({ store: folder, modules });
    const wrong: string[] = [];
    for (const [name, [, value]] of entries) {
      const step = await answered(second, name);
      if (step.status !== 'done' || JSON.stringify(step.value) !== JSON.stringify(value))
        wrong.push(`${name}: ${told(step)}`);
    }
    expect(wrong).toEqual([]);
    await second.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 240_000);

/** The step at its end, after every question was answered with ten times its number. */
async function answered(kit: Statek, name: string): Promise<Step> {
  const workspace = await kit.workspace(name);
  for (;;) {
    const step = await workspace.step(2);
    const questions = step.waiting.filter(({ kind }) => kind === 'ask');
    if (step.status !== 'suspended' || questions.length === 0) return step;
    for (const { id, label } of questions) await kit.answer(id, Number(/'(-?\d+)'/.exec(label)?.[1]) * 10);
    await kit.runUntilIdle();
  }
}
