// The standard library as programs use it: each snippet's last expression must be True.

export const library: Readonly<Record<string, string>> = {
  argparse:
    'import argparse\np = argparse.ArgumentParser(); p.add_argument("--n", type=int)\np.parse_args(["--n", "3"]).n == 3',
  array: 'import array\narray.array("d", [1.5, 2]).tolist() == [1.5, 2.0]',
  ast: 'import ast\nast.literal_eval("{\'a\': [1, (2, None)]}") == {"a": [1, (2, None)]}',
  base64:
    'import base64\nbase64.b64decode(base64.urlsafe_b64encode(b"\\xff\\xfe")  .replace(b"_", b"/").replace(b"-", b"+")) == b"\\xff\\xfe"',
  bisect: 'import bisect\nx = [1, 3]; bisect.insort(x, 2)\n(x, bisect.bisect_left(x, 3)) == ([1, 2, 3], 2)',
  bz2: 'import bz2\nbz2.decompress(bz2.compress(b"x" * 1000)) == b"x" * 1000',
  calendar: 'import calendar\n(calendar.monthrange(2024, 2), calendar.isleap(2100)) == ((3, 29), False)',
  cmath: 'import cmath\nround(abs(cmath.exp(1j * cmath.pi) + 1), 10) == 0',
  'collections.Counter': 'from collections import Counter\nCounter("abracadabra").most_common(1) == [("a", 5)]',
  'collections.defaultdict':
    'from collections import defaultdict\nd = defaultdict(list); d["x"].append(1)\nd == {"x": [1]}',
  'collections.deque':
    'from collections import deque\nd = deque(range(5), maxlen=3); d.rotate(1)\nlist(d) == [4, 2, 3]',
  'collections.OrderedDict':
    'from collections import OrderedDict\nd = OrderedDict(a=1, b=2); d.move_to_end("a")\nlist(d) == ["b", "a"]',
  'collections.ChainMap': 'from collections import ChainMap\nChainMap({"a": 1}, {"a": 2, "b": 3})["b"] == 3',
  colorsys: 'import colorsys\ncolorsys.rgb_to_hsv(1, 0, 0) == (0, 1, 1)',
  configparser:
    'import configparser\nc = configparser.ConfigParser(); c.read_string("[a]\\nb = 1")\nc["a"].getint("b") == 1',
  contextvars:
    'import contextvars\nv = contextvars.ContextVar("v", default=1)\nc = contextvars.copy_context(); c.run(v.set, 2)\n(v.get(), c[v]) == (1, 2)',
  csv: 'import csv, io\nlist(csv.DictReader(io.StringIO("a,b\\n1,\\"x,y\\"\\n"))) == [{"a": "1", "b": "x,y"}]',
  'csv writing':
    'import csv, io\nf = io.StringIO(); csv.writer(f).writerow([1, "a,b", None])\nf.getvalue() == "1,\\"a,b\\",\\r\\n"',
  datetime:
    'from datetime import datetime, timedelta, date\n(date(2024, 2, 28) + timedelta(days=2), datetime(2024, 1, 1).strftime("%A %d %B"), datetime.fromisoformat("2024-05-06T07:08:09+02:00").utcoffset()) == (date(2024, 3, 1), "Monday 01 January", timedelta(hours=2))',
  strptime:
    'from datetime import datetime\ndatetime.strptime("31/12/2025 23:59", "%d/%m/%Y %H:%M") == datetime(2025, 12, 31, 23, 59)',
  'datetime is now': 'from datetime import datetime, timezone\ndatetime.now(timezone.utc).year >= 2025',
  decimal:
    'from decimal import Decimal, getcontext, ROUND_HALF_UP\n(Decimal("0.1") + Decimal("0.2"), Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP)) == (Decimal("0.3"), Decimal("2.68"))',
  difflib: 'import difflib\ndifflib.get_close_matches("appel", ["ape", "apple", "peach"])[0] == "apple"',
  dis: 'import dis\n[i.opname for i in dis.get_instructions("x")][-1] == "RETURN_VALUE"',
  doctest:
    'import doctest\ndef f():\n    """\n    >>> 1 + 1\n    2\n    """\ndoctest.DocTestFinder().find(f, "f", globs={})[0].examples[0].want == "2\\n"',
  'email messages':
    'from email.message import EmailMessage\nm = EmailMessage(); m["Subject"] = "Hé"; m.set_content("x")\nfrom email import message_from_string\nmessage_from_string(m.as_string())["Subject"].startswith("=?utf-8")',
  enum: 'from enum import StrEnum\nclass C(StrEnum): A = "a"\n(C.A == "a", f"{C.A}") == (True, "a")',
  fnmatch: 'import fnmatch\nfnmatch.filter(["a.py", "b.txt"], "*.py") == ["a.py"]',
  fractions: 'from fractions import Fraction\nFraction(1, 3) + Fraction("1/6") == Fraction(1, 2)',
  graphlib:
    'from graphlib import TopologicalSorter\nlist(TopologicalSorter({"b": {"a"}, "c": {"b"}}).static_order()) == ["a", "b", "c"]',
  gzip: 'import gzip\ngzip.decompress(gzip.compress(b"abc" * 100)) == b"abc" * 100',
  hashlib: 'import hashlib\nhashlib.sha256(b"abc").hexdigest()[:16] == "ba7816bf8f01cfea"',
  'hashlib others':
    'import hashlib\n(hashlib.md5(b"").hexdigest()[:8], hashlib.blake2b(b"", digest_size=4).hexdigest(), hashlib.sha3_256(b"").hexdigest()[:8]) == ("d41d8cd9", "1271cf25", "a7ffc6f8")',
  heapq:
    'import heapq\nh = [3, 1, 2]; heapq.heapify(h)\n(heapq.heappop(h), heapq.nlargest(2, [1, 5, 3]), list(heapq.merge([1, 4], [2, 3]))) == (1, [5, 3], [1, 2, 3, 4])',
  hmac: 'import hmac\nhmac.new(b"k", b"m", "sha256").hexdigest()[:8] == "a3c0c3f9" or len(hmac.digest(b"k", b"m", "sha256")) == 32',
  html: 'import html\nhtml.unescape(html.escape("<a & b>")) == "<a & b>"',
  'html.parser':
    'from html.parser import HTMLParser\nseen = []\nclass P(HTMLParser):\n    def handle_starttag(self, tag, attrs): seen.append((tag, dict(attrs)))\nP().feed("<a href=x>y</a>")\nseen == [("a", {"href": "x"})]',
  io: 'import io\nb = io.BytesIO(b"abc"); b.seek(1)\n(b.read(), io.TextIOWrapper(io.BytesIO("é".encode())).read()) == (b"bc", "é")',
  ipaddress: 'import ipaddress\nipaddress.ip_address("10.0.0.7") in ipaddress.ip_network("10.0.0.0/8")',
  itertools:
    'from itertools import *\n(list(islice(accumulate(count(1)), 4)), list(combinations("abc", 2))[1], [list(g) for _, g in groupby([1, 1, 2])], list(batched("abcde", 2)), list(pairwise([1, 2, 3])), len(list(product("ab", repeat=3)))) == ([1, 3, 6, 10], ("a", "c"), [[1, 1], [2]], [("a", "b"), ("c", "d"), ("e",)], [(1, 2), (2, 3)], 8)',
  json: 'import json\njson.loads(json.dumps({"a": [1, 2.5, None, True, "é"]}, indent=1)) == {"a": [1, 2.5, None, True, "é"]}',
  'json errors':
    'import json\ntry:\n    json.loads("{bad}")\nexcept json.JSONDecodeError as e:\n    place = (e.lineno, e.colno)\nplace == (1, 2)',
  keyword: 'import keyword\nkeyword.iskeyword("lambda") and keyword.issoftkeyword("match")',
  logging:
    'import logging, io\ns = io.StringIO(); log = logging.getLogger("t"); log.addHandler(logging.StreamHandler(s)); log.setLevel("INFO"); log.info("x=%d", 1)\ns.getvalue() == "x=1\\n"',
  lzma: 'import lzma\nlzma.decompress(lzma.compress(b"abc")) == b"abc"',
  math: 'import math\n(math.isclose(math.sqrt(2) ** 2, 2), math.gcd(12, 18), math.comb(5, 2), math.prod([1, 2, 3]), math.fsum([0.1] * 10), math.dist((0, 0), (3, 4)), math.factorial(20)) == (True, 6, 10, 6, 1.0, 5.0, 2432902008176640000)',
  mimetypes: 'import mimetypes\nmimetypes.guess_type("a.html")[0] == "text/html"',
  numbers: 'import numbers\nisinstance(1.5, numbers.Real) and not isinstance(1j, numbers.Real)',
  operator:
    'import operator as o\n(o.itemgetter(1, 0)("ab"), o.attrgetter("real")(3j), o.methodcaller("upper")("x")) == (("b", "a"), 0.0, "X")',
  optparse:
    'import optparse\np = optparse.OptionParser(); p.add_option("-x", dest="x")\np.parse_args(["-x", "1"])[0].x == "1"',
  'os.path':
    'import os.path as p\n(p.join("a", "b"), p.splitext("x.tar.gz"), p.basename("/a/b"), p.normpath("a/../b")) == ("a/b", ("x.tar", ".gz"), "b", "b")',
  pathlib: 'from pathlib import PurePath\n(PurePath("a") / "b.txt").with_suffix(".md").name == "b.md"',
  pickle: 'import pickle\npickle.loads(pickle.dumps([1, {"a": (2,)}, {3}], 5)) == [1, {"a": (2,)}, {3}]',
  pprint: 'import pprint\npprint.pformat({"b": 1, "a": 2}) == "{\'a\': 2, \'b\': 1}"',
  queue: 'import queue\nq = queue.PriorityQueue(); q.put(2); q.put(1)\nq.get() == 1',
  quopri: 'import quopri\nquopri.decodestring(quopri.encodestring("é=".encode())) == "é=".encode()',
  random:
    'import random\nr = random.Random(42)\n(r.randint(1, 6), r.choice("abc"), sorted(r.sample(range(9), 3))) == (6, "a", [2, 3, 7]) or len(r.sample(range(9), 3)) == 3',
  re: 'import re\n(re.sub(r"(\\w+) (\\w+)", r"\\2 \\1", "a b"), re.findall(r"\\d+", "1 22"), re.match(r"(?P<y>\\d{4})", "2025").group("y"), re.split(r"[,;]", "a,b;c")) == ("b a", ["1", "22"], "2025", ["a", "b", "c"])',
  're verbose': 'import re\nbool(re.fullmatch(r"""(?x) \\d+  # digits\n (?: \\. \\d+ )? """, "3.14"))',
  reprlib: 'import reprlib\nreprlib.repr(list(range(100))).endswith("...]")',
  sched:
    'import sched, time\nlog = []; s = sched.scheduler(time.time, lambda d: None); s.enter(0, 1, log.append, (1,)); s.run()\nlog == [1]',
  secrets: 'import secrets\nsecrets.token_hex(8) != secrets.token_hex(8)',
  shlex: 'import shlex\nshlex.split("a \'b c\'") == ["a", "b c"]',
  sqlite3:
    'import sqlite3\ndb = sqlite3.connect(":memory:"); db.execute("create table t (x)"); db.executemany("insert into t values (?)", [(1,), (2,)])\nrow = db.execute("select sum(x) from t").fetchone(); db.close()\nrow == (3,)',
  statistics:
    'import statistics as s\n(s.mean([1, 2, 3]), s.median([1, 9, 2]), round(s.stdev([1, 2, 3]), 3), s.mode("aab")) == (2, 2, 1.0, "a")',
  string: 'import string\nstring.Template("$a ${b}").substitute(a=1, b=2) == "1 2" and string.capwords("a b") == "A B"',
  struct: 'import struct\nstruct.unpack("<IhB", struct.pack("<IhB", 7, -2, 255)) == (7, -2, 255)',
  tarfile:
    'import tarfile, io\nb = io.BytesIO(); t = tarfile.open(fileobj=b, mode="w:gz"); i = tarfile.TarInfo("x"); i.size = 3; t.addfile(i, io.BytesIO(b"abc")); t.close(); b.seek(0)\ntarfile.open(fileobj=b).extractfile("x").read() == b"abc"',
  textwrap:
    'import textwrap\n(textwrap.fill("aaa bbb ccc", 7), textwrap.dedent("  a\\n  b"), textwrap.shorten("aaa bbb ccc", 9)) == ("aaa bbb\\nccc", "a\\nb", "aaa [...]")',
  time: 'import time\n(time.strftime("%Y", time.gmtime(0)), time.monotonic() <= time.monotonic(), time.time() > 1.7e9) == ("1970", True, True)',
  timeit: 'import timeit\ntimeit.timeit("1 + 1", number=10) >= 0',
  tokenize:
    'import tokenize, io\n[t.string for t in tokenize.generate_tokens(io.StringIO("a+1").readline)][:3] == ["a", "+", "1"]',
  tomllib: 'import tomllib\ntomllib.loads("[a]\\nb = [1, 2]\\nc = 2025-01-01")["a"]["b"] == [1, 2]',
  traceback:
    'import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    text = traceback.format_exc()\ntext.splitlines()[-1] == "ZeroDivisionError: division by zero"',
  types: 'import types\n(types.SimpleNamespace(a=1).a, isinstance(lambda: 0, types.FunctionType)) == (1, True)',
  typing:
    'from typing import get_type_hints, Optional, Annotated\nclass A:\n    x: Optional[int]\n    y: Annotated[str, "n"]\nget_type_hints(A) == {"x": Optional[int], "y": str}',
  unicodedata:
    'import unicodedata\n(unicodedata.name("é"), unicodedata.normalize("NFD", "é") != "é") == ("LATIN SMALL LETTER E WITH ACUTE", True)',
  unittest:
    'import unittest, io\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual(1, 1)\nr = unittest.TextTestRunner(io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))\nr.wasSuccessful()',
  'unittest.mock': 'from unittest.mock import Mock\nm = Mock(return_value=3)\n(m(1), m.call_count) == (3, 1)',
  'urllib.parse':
    'from urllib.parse import urlparse, urlencode, parse_qs, quote\n(urlparse("https://a.b/c?d=e").netloc, urlencode({"x": "a b"}), parse_qs("a=1&a=2"), quote("/é")) == ("a.b", "x=a+b", {"a": ["1", "2"]}, "/%C3%A9")',
  uuid: 'import uuid\n(str(uuid.uuid5(uuid.NAMESPACE_DNS, "a"))[14], uuid.uuid4() != uuid.uuid4()) == ("5", True)',
  warnings:
    'import warnings\nwith warnings.catch_warnings(record=True) as w:\n    warnings.simplefilter("always"); warnings.warn("x")\nlen(w) == 1',
  'wave and audio data':
    'import wave, io\nb = io.BytesIO(); w = wave.open(b, "wb"); w.setnchannels(1); w.setsampwidth(2); w.setframerate(8000); w.writeframes(b"\\0" * 20); w.close()\nlen(b.getvalue()) == 64',
  weakref:
    'import weakref\nclass A: pass\na = A(); d = weakref.WeakKeyDictionary({a: 1}); n = len(d); del a\n(n, len(d)) == (1, 0)',
  'xml.etree':
    'import xml.etree.ElementTree as E\nE.fromstring("<a><b x=\'1\'>t</b></a>").find("b").attrib == {"x": "1"}',
  'xml.dom': 'from xml.dom.minidom import parseString\nparseString("<a>x</a>").documentElement.firstChild.data == "x"',
  zipfile:
    'import zipfile, io\nb = io.BytesIO(); z = zipfile.ZipFile(b, "w"); z.writestr("x", "abc"); z.close()\nzipfile.ZipFile(b).read("x") == b"abc"',
  zlib: 'import zlib\n(zlib.decompress(zlib.compress(b"a" * 99)), zlib.crc32(b"abc")) == (b"a" * 99, 891568578)',
  zoneinfo:
    'from zoneinfo import ZoneInfo\nfrom datetime import datetime\nd = datetime(2025, 7, 1, 12, tzinfo=ZoneInfo("America/New_York"))\n(d.utcoffset().total_seconds(), d.tzname(), d.astimezone(ZoneInfo("Asia/Tokyo")).hour) == (-14400.0, "EDT", 1)',
  'zoneinfo names':
    'import zoneinfo\nnames = zoneinfo.available_timezones()\n"Europe/Warsaw" in names and len(names) > 300',
  'zoneinfo unknown':
    'import zoneinfo\ntry:\n    zoneinfo.ZoneInfo("Nowhere/There")\n    ok = False\nexcept zoneinfo.ZoneInfoNotFoundError:\n    ok = True\nok',
};

/** What does not exist in a workspace says so in Python's own terms. */
export const refused: Readonly<Record<string, readonly [code: string, error: string]>> = {
  'writing a file': ['open("/tmp/x", "w")', 'OSError'],
  'reading a file of the machine': ['open("/etc/passwd")', 'FileNotFoundError'],
  'making a folder': ['import os\nos.mkdir("/x")', 'OSError'],
  'removing a file': ['import os\nos.remove("/lib/python314.zip")', 'OSError'],
  'a temporary file': ['import tempfile\ntempfile.TemporaryFile()', 'FileNotFoundError'],
  'a socket': ['import socket\nsocket.create_connection(("127.0.0.1", 80))', 'gaierror|OSError|PermissionError'],
  'a name of the network': ['import socket\nsocket.gethostbyname("example.com")', 'gaierror|OSError'],
  'a web page': ['import urllib.request\nurllib.request.urlopen("http://example.com")', 'URLError'],
  'a process': ['import subprocess\nsubprocess.run(["ls"])', 'OSError'],
  'a shell': ['import os\nos.system("ls")', 'PermissionError'],
  forking: ['import os\nos.fork()', 'AttributeError|OSError'],
  'a thread': ['import threading\nthreading.Thread(target=print).start()', 'RuntimeError'],
  'a pool of threads': [
    'from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(print)',
    'RuntimeError',
  ],
  'foreign code': ['import ctypes', 'ModuleNotFoundError'],
  JavaScript: ['import js', 'ModuleNotFoundError'],
  'the keyboard': ['input("name? ")', 'EOFError'],
  'ending the process': ['import os\nos._exit(1)', 'PermissionError'],
  exit: ['import sys\nsys.exit(3)', 'SystemExit'],
  'a package nobody registered': ['import numpy', 'ModuleNotFoundError'],
};
