// The language itself: each snippet's last expression must be True.

export const syntax: Readonly<Record<string, string>> = {
  arithmetic: '(7 // 2, -7 // 2, 7 % -3, 2 ** 10, 7 / 2, divmod(17, 5)) == (3, -4, -2, 1024, 3.5, (3, 2))',
  'large integers': '2 ** 200 == int("1606938044258990275541962092341162602522202993782792835301376")',
  'chained comparison': '1 < 2 < 3 and not 1 < 3 < 2',
  'conditional expression': '("even" if 4 % 2 == 0 else "odd") == "even"',
  walrus: '(n := 10) > 5 and n == 10',
  'star unpacking': 'first, *middle, last = range(5)\n(first, middle, last) == (0, [1, 2, 3], 4)',
  'nested unpacking': '(a, (b, c)), d = (1, (2, 3)), 4\n(a, b, c, d) == (1, 2, 3, 4)',
  'merging dictionaries': '{"a": 1} | {"b": 2} == {**{"a": 1}, "b": 2}',
  'list comprehension': '[x * y for x in range(3) for y in range(3) if x != y] == [0, 0, 0, 2, 0, 2]',
  'set and dict comprehension':
    '({x % 3 for x in range(9)}, {x: x * x for x in range(3)}) == ({0, 1, 2}, {0: 0, 1: 1, 2: 4})',
  'generator expression': 'sum(x * x for x in range(10)) == 285',
  'for else': 'found = None\nfor x in [1, 2]:\n    if x == 9: break\nelse:\n    found = "none"\nfound == "none"',
  'while else': 'n = 3\nwhile n:\n    n -= 1\nelse:\n    n = -1\nn == -1',
  'match on shapes':
    'def shape(x):\n    match x:\n        case {"kind": "point", "at": [a, b]}: return a + b\n        case [1, *rest]: return rest\n        case str() as s if s: return s.upper()\n        case _: return None\n(shape({"kind": "point", "at": [2, 3]}), shape([1, 2, 3]), shape("x"), shape(0)) == (5, [2, 3], "X", None)',
  'match on classes':
    'class P:\n    __match_args__ = ("x", "y")\n    def __init__(self, x, y): self.x, self.y = x, y\nmatch P(1, 2):\n    case P(1, y): got = y\ngot == 2',
  'try except else finally':
    'log = []\ntry:\n    log.append("t")\nexcept ValueError:\n    log.append("e")\nelse:\n    log.append("o")\nfinally:\n    log.append("f")\nlog == ["t", "o", "f"]',
  'exception chaining':
    'try:\n    try:\n        1 / 0\n    except ZeroDivisionError as cause:\n        raise ValueError("outer") from cause\nexcept ValueError as error:\n    kept = type(error.__cause__).__name__\nkept == "ZeroDivisionError"',
  'exception groups':
    'seen = []\ntry:\n    raise ExceptionGroup("g", [ValueError("a"), TypeError("b")])\nexcept* ValueError as g:\n    seen.append(len(g.exceptions))\nexcept* TypeError:\n    seen.append("t")\nseen == [1, "t"]',
  'exception notes': 'e = ValueError("x"); e.add_note("n")\ne.__notes__ == ["n"]',
  'f strings':
    'v = 3.14159\nf"{v:.2f} {v=:.1f} {\'a\':>3} {1_000_000:,} {255:#x} {v!r:>9}" == "3.14 v=3.1   a 1,000,000 0xff   3.14159"',
  'nested f strings': 'f"{f"{1 + 1}" + "x"}" == "2x"',
  'template strings':
    'from string.templatelib import Template\nname = "w"\nt = t"hi {name}!"\nisinstance(t, Template) and t.interpolations[0].value == "w"',
  'bytes literals': 'b"\\x00ab" + bytes([99]) == b"\\x00abc"',
  'raw and triple strings': 'r"\\n" == chr(92) + "n" and """a\nb""".splitlines() == ["a", "b"]',
  'global and nonlocal':
    'def outer():\n    n = 0\n    def step():\n        nonlocal n\n        n += 1\n        return n\n    step(); step()\n    return n\nouter() == 2',
  'default and keyword arguments':
    'def f(a, /, b=2, *args, c, d=4, **rest): return (a, b, args, c, d, rest)\nf(1, 5, 6, c=7, e=8) == (1, 5, (6,), 7, 4, {"e": 8})',
  'lambda closures': '[f() for f in [lambda i=i: i * i for i in range(3)]] == [0, 1, 4]',
  decorators:
    'import functools\ndef twice(f):\n    @functools.wraps(f)\n    def g(*a): return f(*a) * 2\n    return g\n@twice\ndef one(): return 1\n(one(), one.__name__) == (2, "one")',
  'type parameters':
    'def first[T](items: list[T]) -> T: return items[0]\ntype Pair[T] = tuple[T, T]\nfirst([3, 4]) == 3 and first.__type_params__[0].__name__ == "T"',
  annotations: 'def f(a: int, b: "str" = "") -> bool: ...\nf.__annotations__ == {"a": int, "b": "str", "return": bool}',
  assert: 'try:\n    assert 1 == 2, "no"\nexcept AssertionError as e:\n    text = str(e)\ntext == "no"',
  'del and names': 'gone = 1\ndel gone\ntry:\n    gone\n    ok = False\nexcept NameError:\n    ok = True\nok',
  slices: 's = list(range(10))\ns[2:5] = []\n(s, s[::-2], s[-3:]) == ([0, 1, 5, 6, 7, 8, 9], [9, 7, 5, 0], [7, 8, 9])',
  'augmented assignment': 'a = b = [1]\na += [2]\n(a is b, b) == (True, [1, 2])',
  'complex numbers': '(1 + 2j) * (3 - 1j) == 5 + 5j',
  'bit operations': '(6 & 3, 6 | 3, 6 ^ 3, ~6, 1 << 70 >> 69) == (2, 7, 5, -7, 2)',
  'top-level await': 'import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 42\nawait f() == 42',
  'exec and eval': 'space = {}\nexec("x = 5", space)\neval("x * 2", space) == 10',
  'star imports': 'from math import *\nround(pi, 2) == 3.14',
  unicode: '("naïve".upper(), len("日本"), "ß".casefold(), "\\N{SNOWMAN}") == ("NAÏVE", 2, "ss", "☃")',
};

export const functions: Readonly<Record<string, string>> = {
  recursion: 'def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(15) == 610',
  'deep recursion': 'def down(n): return 0 if n == 0 else 1 + down(n - 1)\ndown(900) == 900',
  generators:
    'def count(n):\n    while n:\n        got = yield n\n        n = got if got is not None else n - 1\ng = count(3)\n(next(g), next(g), g.send(9), next(g)) == (3, 2, 9, 8)',
  'yield from':
    'def a():\n    r = yield from b()\n    yield r\ndef b():\n    yield 1\n    return 2\nlist(a()) == [1, 2]',
  'generator close':
    'log = []\ndef g():\n    try:\n        yield 1\n    finally:\n        log.append("closed")\nx = g(); next(x); x.close()\nlog == ["closed"]',
  'generator throw':
    'def g():\n    try:\n        yield 1\n    except ValueError:\n        yield "caught"\nx = g(); next(x)\nx.throw(ValueError()) == "caught"',
  'context managers':
    'from contextlib import contextmanager\nlog = []\n@contextmanager\ndef cm():\n    log.append("in")\n    try: yield 5\n    finally: log.append("out")\nwith cm() as v: log.append(v)\nlog == ["in", 5, "out"]',
  'exit stack':
    'from contextlib import ExitStack\nlog = []\nwith ExitStack() as s:\n    for i in range(3): s.callback(log.append, i)\nlog == [2, 1, 0]',
  'async generators': 'async def g():\n    for i in range(3): yield i\n[x async for x in g()] == [0, 1, 2]',
  'async with':
    'class A:\n    async def __aenter__(self): return 7\n    async def __aexit__(self, *_): return True\nasync with A() as v: raise ValueError\nv == 7',
  'gather and tasks':
    'import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n * n\nawait asyncio.gather(*(f(n) for n in range(4))) == [0, 1, 4, 9]',
  'task groups':
    'import asyncio\nout = []\nasync def f(n): out.append(n)\nasync with asyncio.TaskGroup() as g:\n    for n in range(3): g.create_task(f(n))\nout == [0, 1, 2]',
  'asyncio run': 'import asyncio\nasync def f(): return await asyncio.to_thread(lambda: 3)\nasyncio.run(f()) == 3',
  'asyncio queue':
    'import asyncio\nq = asyncio.Queue()\nasync def put():\n    for i in range(3): await q.put(i)\nasync def take(): return [await q.get() for _ in range(3)]\n(await asyncio.gather(put(), take()))[1] == [0, 1, 2]',
  'asyncio timeout':
    'import asyncio\ntry:\n    async with asyncio.timeout(0):\n        await asyncio.sleep(1)\n    ok = False\nexcept TimeoutError:\n    ok = True\nok',
  partial: 'from functools import partial\npartial(int, base=2)("101") == 5',
  cache:
    'from functools import lru_cache\ncalls = []\n@lru_cache\ndef f(x): calls.append(x); return x\nf(1); f(1); f(2)\n(calls, f.cache_info().hits) == ([1, 2], 1)',
  singledispatch:
    'from functools import singledispatch\n@singledispatch\ndef f(x): return "any"\n@f.register\ndef _(x: int): return "int"\n(f(1), f("")) == ("int", "any")',
  reduce: 'from functools import reduce\nreduce(lambda a, b: a * b, range(1, 6)) == 120',
  'sorting by key': 'sorted(["bb", "a", "ccc"], key=len, reverse=True) == ["ccc", "bb", "a"]',
  'any, all, zip, enumerate':
    '(any([0, 1]), all([]), list(zip("ab", [1, 2], strict=True)), list(enumerate("x", 5))) == (True, True, [("a", 1), ("b", 2)], [(5, "x")])',
  'map and filter': 'list(map(str, filter(None, [0, 1, 2]))) == ["1", "2"]',
  'min, max, sum': '(min([3, 1], default=0), max("a", "b"), sum([0.1] * 10)) == (1, "b", 1.0)',
  'iter with sentinel': 'import io\nlist(iter(io.StringIO("abc").read, "")) == ["abc"]',
  introspection: 'import inspect\ndef f(a, b=1, *, c): ...\nstr(inspect.signature(f)) == "(a, b=1, *, c)"',
};

export const classes: Readonly<Record<string, string>> = {
  inheritance:
    'class A:\n    def hi(self): return "A"\nclass B(A):\n    def hi(self): return super().hi() + "B"\nB().hi() == "AB"',
  'multiple inheritance':
    'class A: x = "A"\nclass B(A): pass\nclass C(A): x = "C"\nclass D(B, C): pass\n(D.x, [k.__name__ for k in D.__mro__]) == ("C", ["D", "B", "C", "A", "object"])',
  properties:
    'class T:\n    def __init__(self): self._c = 0\n    @property\n    def f(self): return self._c * 9 / 5 + 32\n    @f.setter\n    def f(self, v): self._c = (v - 32) * 5 / 9\nt = T(); t.f = 212\nround(t._c) == 100',
  'class and static methods':
    'class A:\n    n = 0\n    @classmethod\n    def make(cls): cls.n += 1; return cls()\n    @staticmethod\n    def add(a, b): return a + b\nA.make()\n(A.n, A.add(1, 2)) == (1, 3)',
  operators:
    'class V:\n    def __init__(s, x): s.x = x\n    def __add__(s, o): return V(s.x + o.x)\n    def __eq__(s, o): return s.x == o.x\n    def __getitem__(s, i): return i\n    def __contains__(s, x): return x == s.x\n    def __call__(s): return s.x\n(V(1) + V(2) == V(3), V(1)[2:3], 1 in V(1), V(5)()) == (True, slice(2, 3), True, 5)',
  dataclasses:
    'from dataclasses import dataclass, field, asdict, replace\n@dataclass(order=True, frozen=True)\nclass P:\n    x: int\n    tags: list = field(default_factory=list, compare=False)\n(P(1) < P(2), asdict(replace(P(1), x=5)), repr(P(1))) == (True, {"x": 5, "tags": []}, "P(x=1, tags=[])")',
  slots:
    'class S:\n    __slots__ = ("a",)\ns = S(); s.a = 1\ntry:\n    s.b = 2\n    ok = False\nexcept AttributeError:\n    ok = True\nok',
  enums:
    'from enum import Enum, IntFlag, auto\nclass C(Enum):\n    RED = auto()\n    BLUE = auto()\nclass F(IntFlag):\n    A = 1\n    B = 2\n(C["RED"], C(2).name, F.A | F.B) == (C.RED, "BLUE", 3)',
  'abstract classes':
    'from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def f(self): ...\ntry:\n    A()\n    ok = False\nexcept TypeError:\n    ok = True\nok',
  protocols:
    'from typing import Protocol, runtime_checkable\n@runtime_checkable\nclass H(Protocol):\n    def hi(self): ...\nclass A:\n    def hi(self): ...\nisinstance(A(), H)',
  metaclasses:
    'class M(type):\n    def __new__(m, name, bases, body): return super().__new__(m, name.upper(), bases, body)\nclass a(metaclass=M): pass\na.__name__ == "A"',
  __init_subclass__:
    'kinds = []\nclass Base:\n    def __init_subclass__(cls, **kw): kinds.append((cls.__name__, kw))\nclass Sub(Base, tag=1): pass\nkinds == [("Sub", {"tag": 1})]',
  descriptors:
    'class D:\n    def __set_name__(s, o, n): s.n = n\n    def __get__(s, i, o): return s.n\nclass A: field = D()\nA().field == "field"',
  __getattr__: 'class A:\n    def __getattr__(self, n): return n.upper()\nA().abc == "ABC"',
  'named tuples':
    'from collections import namedtuple\nfrom typing import NamedTuple\nP = namedtuple("P", "x y")\nclass Q(NamedTuple):\n    a: int\n    b: str = "z"\n(P(1, 2)._replace(x=9).x, Q(1).b, Q(1) == (1, "z")) == (9, "z", True)',
  'weak references':
    'import weakref\nclass A: pass\na = A(); r = weakref.ref(a); alive = r() is a\ndel a\n(alive, r()) == (True, None)',
  finalizers: 'log = []\nclass A:\n    def __del__(self): log.append("gone")\na = A(); del a\nlog == ["gone"]',
  'garbage cycles':
    'import gc, weakref\nclass A: pass\na = A(); a.me = a; r = weakref.ref(a); del a\ngc.collect()\nr() is None',
  'pickling a class of the workspace':
    'import pickle\nclass Kept:\n    def __init__(self): self.x = [1]\npickle.loads(pickle.dumps(Kept())).x == [1]',
  copying:
    'import copy\na = {"x": [1]}; b = copy.deepcopy(a); b["x"].append(2)\n(a, copy.copy(a)["x"] is a["x"]) == ({"x": [1]}, True)',
  formatting: 'class A:\n    def __format__(self, spec): return f"<{spec}>"\nf"{A():abc}" == "<abc>"',
  'hash and equality':
    'class K:\n    def __init__(s, v): s.v = v\n    def __hash__(s): return hash(s.v)\n    def __eq__(s, o): return s.v == o.v\n{K(1): "a"}[K(1)] == "a"',
  'iterator protocol':
    'class C:\n    def __init__(s): s.n = 0\n    def __iter__(s): return s\n    def __next__(s):\n        s.n += 1\n        if s.n > 3: raise StopIteration\n        return s.n\nlist(C()) == [1, 2, 3]',
};
