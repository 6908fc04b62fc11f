// The application's objects, as Python has them: its names, its arguments, its exceptions, its types.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expose, type Statek, type Workspace } from '../../src/index.ts';
import { openSharedKit, problemOf } from './support.ts';

class Attendee {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

class NotPossibleError extends Error {
  override name = 'NotPossibleError';
  code = 'NOT_POSSIBLE';
}

class Meeting {
  title = 'Planning';
  startsAt: Date = new Date(Date.UTC(2026, 0, 5, 9));
  attendees: string[] = ['Ada', 'Grace'];
  owner: Attendee = new Attendee('Ada');
  get roomName(): string {
    return 'Blue';
  }
  moveTo(day: unknown, options?: unknown): unknown {
    return [day, options];
  }
  fail(kind: string): never {
    if (kind === 'type') throw new TypeError('not that');
    if (kind === 'range') throw new RangeError('too far');
    if (kind === 'key') throw Object.assign(new Error('no key'), { name: 'KeyError' });
    throw new NotPossibleError('it is not possible');
  }
}

const meeting = new Meeting();
const variables = {
  meeting,
  items: expose([3, 1, 2], { live: true }),
  table: expose(new Map<unknown, unknown>([['a', 1]]), { live: true }),
  tags: expose(new Set(['x', 'y']), { live: true }),
  echo: (value: unknown): unknown => value,
  kindOf: (value: unknown): string =>
    value === null ? 'null' : Array.isArray(value) ? 'array' : (value as object).constructor.name,
  today: new Date(Date.UTC(2026, 0, 5)),
  lateEcho: async (value: unknown): Promise<unknown> => value,
  lateFail: async (): Promise<never> => {
    throw new NotPossibleError('later');
  },
};

const manners: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  names: {
    'snake_case for methods and fields': 'meeting.room_name == "Blue" and meeting.move_to("mon") == ["mon", None]',
    'the original names too': 'meeting.roomName == meeting.room_name and meeting.moveTo(1)[0] == 1',
    'functions keep their name': '(echo.__name__, lateEcho.__name__) == ("echo", "lateEcho")',
    dir: 'all(n in dir(meeting) for n in ("title", "starts_at", "move_to"))',
    hasattr: 'hasattr(meeting, "title") and not hasattr(meeting, "nothing")',
    'the class is named': '(type(meeting).__name__, type(meeting.owner).__name__) == ("Meeting", "Attendee")',
    'docs tell what it has': '"move_to()" in type(meeting).__doc__ and "room_name" in type(meeting).__doc__',
  },
  arguments: {
    'keyword arguments are the options at the end':
      'meeting.move_to("tue", late=True, how_long=3) == ["tue", {"late": True, "howLong": 3}]',
    'only keyword arguments': 'echo(first_day=1) == {"firstDay": 1}',
    'star arguments': 'meeting.move_to(*["wed"], **{"late": False}) == ["wed", {"late": False}]',
  },
  values: {
    'None, True, False': 'echo([None, True, False]) == [None, True, False]',
    'None is null': 'kindOf(None) == "null"',
    numbers: '(echo(1), echo(1.5), type(echo(2)), echo(2**60)) == (1, 1.5, int, 2**60)',
    text: 'echo("żółć 🎈\\n") == "żółć 🎈\\n"',
    'lists and tuples': 'echo((1, [2, (3,)])) == [1, [2, [3]]]',
    dicts: 'echo({"a": {"b": 1}}) == {"a": {"b": 1}} and kindOf({"a": 1}) == "Object"',
    'dicts with other keys are maps': 'kindOf({1: 2}) == "Map" and echo({1: 2, (3, 4): 5}) == {1: 2, (3, 4): 5}',
    sets: 'echo({1, 2}) == {1, 2} and kindOf(frozenset([1])) == "Set"',
    bytes: 'echo(b"\\x00\\xff") == b"\\x00\\xff" and kindOf(bytearray(2)) == "Uint8Array"',
    datetime:
      'from datetime import datetime, timezone, timedelta\nd = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=timezone(timedelta(hours=2)))\n(echo(d) == d, echo(d).tzinfo, kindOf(d)) == (True, timezone.utc, "Date")',
    'naive datetimes are local': 'from datetime import datetime\necho(datetime(2026, 7, 1, 12)).hour == 10',
    dates: 'from datetime import date\necho(date(2026, 1, 5)) == today',
    'dates of the application':
      'from datetime import datetime\nisinstance(today, datetime) and meeting.starts_at.isoformat() == "2026-01-05T09:00:00+00:00"',
    decimals: 'from decimal import Decimal\n(echo(Decimal("12.50")), kindOf(Decimal("0.1"))) == (12.5, "Number")',
    'decimals that do not fit':
      'from decimal import Decimal\ntry:\n    echo(Decimal("0.1234567890123456789012345"))\n    ok = False\nexcept ValueError:\n    ok = True\nok',
    enums: 'from enum import Enum\nclass C(Enum): RED = "red"\necho(C.RED) == "red"',
    'uuids and paths':
      'import uuid, pathlib\nu = uuid.uuid4()\n(echo(u), echo(pathlib.PurePath("a/b"))) == (str(u), "a/b")',
    dataclasses:
      'from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: list\necho(P(1, [2])) == {"x": 1, "y": [2]}',
    'named tuples':
      'from typing import NamedTuple\nclass Q(NamedTuple):\n    a: int\n    b: int\necho(Q(1, 2)) == {"a": 1, "b": 2}',
    'shared and circular': 'a = []\na.append(a)\nb = echo({"x": a, "y": a})\nb["x"] is b["y"] and b["x"][0] is b["x"]',
    'timedeltas are refused':
      'from datetime import timedelta\ntry:\n    echo(timedelta(1))\n    ok = False\nexcept TypeError:\n    ok = True\nok',
  },
  exceptions: {
    'of the builtin types':
      'def kind(name):\n    try: meeting.fail(name)\n    except Exception as e: return type(e)\n(kind("type"), kind("range"), kind("key")) == (TypeError, ValueError, KeyError)',
    'of the application':
      'try:\n    meeting.fail("own")\nexcept HostError as e:\n    got = (type(e).__name__, str(e), e.name, e.code)\ngot == ("NotPossibleError", "it is not possible", "NotPossibleError", "NOT_POSSIBLE")',
    'a field that is not there':
      'try:\n    meeting.nothing\nexcept AttributeError as e:\n    ok = "nothing" in str(e)\nok',
    'a field that is read-only':
      'try:\n    meeting.room_name = "Red"\n    ok = False\nexcept AttributeError:\n    ok = True\nok',
    'a new field': 'try:\n    meeting.extra = 1\n    ok = False\nexcept AttributeError:\n    ok = True\nok',
  },
  objects: {
    'fields are written through': 'meeting.title = "Review"\nmeeting.title == "Review"',
    'the same object is the same handle':
      'meeting.owner is meeting.owner and meeting.owner == meeting.owner and len({meeting, meeting}) == 1',
    truth: 'bool(meeting) and bool(items) and not bool(echo([]))',
    'printing like a dataclass': 'repr(meeting.owner) == "Attendee(name=\'Ada\')"',
    'nested objects are named': '"owner=<Attendee \'Ada\'>" in repr(meeting)',
    'as an argument': 'echo(meeting) is meeting',
    'in a dict and a set': '{meeting: 1}[meeting] == 1 and meeting in {meeting}',
    'copying gives the same': 'import copy\ncopy.copy(meeting) is meeting and copy.deepcopy([meeting])[0] is meeting',
    'isinstance of the same class':
      'isinstance(meeting, type(meeting)) and not isinstance(meeting.owner, type(meeting))',
    match: 'match meeting.owner:\n    case object(name=n): got = n\ngot == "Ada"',
  },
  collections: {
    'a live list':
      '(len(items), items[0], items[-1], items[1:], 2 in items, list(items), sorted(items)) == (3, 3, 2, [1, 2], True, [3, 1, 2], [1, 2, 3])',
    'writing a live list':
      'items.append(9)\nitems[0] = 7\nitems.insert(1, 8)\ndel items[2]\nitems.extend([5])\n(items.pop(), items.index(9), items == [7, 8, 2, 9]) == (5, 3, True)',
    'a live dict':
      'table["b"] = 2\n(table["a"], table.get("x", 0), len(table), sorted(table), dict(table.items()), "b" in table) == (1, 0, 2, ["a", "b"], {"a": 1, "b": 2}, True)',
    'a live dict without a key': 'try:\n    table["x"]\n    ok = False\nexcept KeyError:\n    ok = True\nok',
    'writing a live dict':
      'table.update(c=3)\ndel table["b"]\n(table.pop("c"), table.setdefault("d", 4), dict(table)) == (3, 4, {"a": 1, "d": 4})',
    'a live set':
      'tags.add("z")\ntags.discard("x")\n(len(tags), "z" in tags, tags == {"y", "z"}, tags | {"w"}) == (2, True, True, {"w", "y", "z"})',
    'abstract types':
      'from collections.abc import MutableSequence, MutableMapping, MutableSet\nisinstance(items, MutableSequence) and isinstance(table, MutableMapping) and isinstance(tags, MutableSet)',
    'a copy of data is a plain list': 'type(meeting.attendees) is list',
  },
};

let kit: Statek;
let workspace: Workspace;
beforeAll(async () => {
  kit = await openSharedKit();
  workspace = await kit.workspace('manners', { language: 'python', vars: variables, timeZone: 'Europe/Warsaw' });
});
afterAll(() => kit.close());

describe.each(Object.entries(manners))('%s', (_, snippets) => {
  it.each(Object.entries(snippets))('%s', async (_name, code) => {
    expect(await problemOf(workspace, code)).toBeUndefined();
  });
});

describe('asynchronous functions', () => {
  it('are plain calls that wait', async () => {
    await workspace.run('got = [lateEcho(n) for n in (1, 2)]\ngot');
    expect((await workspace.settled()).value).toEqual([1, 2]);
  });

  it('raise what they are rejected with', async () => {
    await workspace.run('try:\n    lateFail()\nexcept HostError as e:\n    got = e.code\ngot');
    expect((await workspace.settled()).value).toBe('NOT_POSSIBLE');
  });
});

it('prints what Python prints, one entry for each print', async () => {
  const step = await workspace.run(
    'import sys\nprint("a", 1, None, [True], sep="-")\nprint("x", end="")\nprint("y")\nprint("two\\nlines")\nprint("bad", file=sys.stderr)\nsys.stdout.write("raw\\n")\nprint({"k": 1.5})',
  );
  expect(step.console).toEqual(['a-1-None-[True]', 'xy', 'two\nlines', 'bad', 'raw', "{'k': 1.5}"]);
});

it('helps', async () => {
  const step = await workspace.run('help(type(meeting.owner))');
  expect(step.console.join('\n')).toContain('class Attendee');
});

it('tells where the author was', async () => {
  await workspace.run('def divide(a, b):\n    return a / b');
  const step = await workspace.run('x = 1\nfor n in [1, 0]:\n    divide(x, n)');
  expect(step.error).toMatchObject({ name: 'ZeroDivisionError', message: 'division by zero', line: 2, column: 12 });
  expect(step.error?.stack).toMatch(
    /^Traceback \(most recent call last\):\n {2}File "step \d+", line 3, in <module>\n {4}divide\(x, n\)\n {2}File "step \d+", line 2, in divide\n {4}return a \/ b\nZeroDivisionError: division by zero$/,
  );
  expect(step.error?.frame).toContain('> 2 |     return a / b');
});

it('tells where a mistake in the text is', async () => {
  const step = await workspace.run('x = 1\nif x\n    pass');
  expect(step.error).toMatchObject({ name: 'SyntaxError', line: 2, column: 5 });
});
