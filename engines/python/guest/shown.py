# Variables as they are shown: cut to size, and read without running any of the program's code. So only what the interpreter's own
# types do by themselves is used here, never a method a program could have written.
from collections import deque
from datetime import date, datetime, timezone
from decimal import Decimal
from itertools import islice
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
import binascii

from _statek.failures import class_name
from _statek.handles import HostObject, token_of
from _statek.wire import dumps

_class_dict = type.__dict__['__dict__'].__get__
_class_order = type.__dict__['__mro__'].__get__
_LARGEST = 2**53 - 1
_exact_texts = (complex, Decimal, range, slice)


def show(names, values, sizes):
    """The message for a map of these names and values; with a path, of one value in them under an empty name, if there is one."""
    path = sizes.get('path')
    if path is None:
        return _Shower(sizes).message(names, values)
    value = _missing
    for name, one in zip(names, values):
        if name == path[0]:
            value = one
    for key in path[1:]:
        value = _member(value, key)
    if value is _missing:
        return _Shower(sizes).message([], [])
    return _Shower(sizes, value).message([''], [value])


_missing = object()


def _member(value, key):
    """A member by its name or place, found without running code of the program."""
    kind = type(value)
    if value is _missing or issubclass(kind, (str, bytes, bytearray)) or token_of_any(value) is not None:
        return _missing
    for base in (list, tuple, deque, set, frozenset):
        if issubclass(kind, base):
            return next(islice(base.__iter__(value), key, None), _missing) if type(key) is int else _missing
    if issubclass(kind, dict):
        if type(key) is str:
            return next((member for name, member in dict.items(value) if type(name) is str and name == key), _missing)
        return next(islice(dict.values(value), key, None), _missing)
    fields = list(_fields_of(value))
    if type(key) is int:
        return fields[key][1] if key < len(fields) else _missing
    return next((member for name, member in fields if name == key), _missing)


def token_of_any(value):
    return token_of(value) if issubclass(type(value), HostObject) else None


class _Shower:
    def __init__(self, sizes, focus=_missing):
        self.sizes = sizes
        self.focus = focus
        self.indices = {}
        self.waiting = []
        self.characters = 0

    def message(self, names, values):
        node = ['M']
        parts = [[0], node]
        self.waiting.append((None, 0))  # the map itself
        for name, value in zip(names, values):
            node.append(name)
            node.append(self.value(value, 1))
        for value, depth in self.waiting[1:]:
            parts.append(self.node(value, depth))
        position = len(parts) - 1
        while position < len(self.waiting):
            parts.append(self.node(*self.waiting[position]))
            position += 1
        return dumps(parts)

    def value(self, value, depth):
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str or issubclass(kind, str):
            return self.text(str.__getitem__(value, slice(0, self.sizes['text'] + 1)), str.__len__(value))
        if issubclass(kind, int):
            return self.integer(int.__add__(value, 0))
        if issubclass(kind, float):
            return self.number(float.__add__(value, 0.0))
        known = self.indices.get(id(value))
        if known is not None:
            return [known]
        if len(self.waiting) >= self.sizes['nodes']:
            return self.add(_Told('…'), 0)
        self.indices[id(value)] = len(self.waiting)
        return self.add(value, depth)

    def add(self, value, depth):
        self.waiting.append((value, depth))
        return [len(self.waiting) - 1]

    def text(self, text, length):
        limit = 20 if self.characters > self.sizes['characters'] else self.sizes['text']
        self.characters += min(length, limit)
        return f'{text[:limit]}… ({length} characters)' if length > limit else text

    def integer(self, value):
        if -_LARGEST <= value <= _LARGEST:
            return value
        if value.bit_length() > 10_000:
            return self.add(_Told(f'[int of {value.bit_length()} bits]'), 0)
        return ['b', str(value)]

    def number(self, value):
        if value - value == 0:
            return ['n', '-0'] if value == 0 and str(value)[0] == '-' else value
        return ['n', 'NaN' if value != value else 'Infinity' if value > 0 else '-Infinity']

    def node(self, value, depth):
        if type(value) is _Told:
            return ['+', value.text] if type(value.text) is int else ['T', value.text]
        token = token_of_any(value)
        if token is not None:
            return ['H', token]
        if type(value) is FunctionType:
            return ['F', 'function', value.__name__]
        if issubclass(type(value), type):
            return ['F', 'class', class_name(value)]
        if type(value) is ModuleType:
            name = ModuleType.__getattribute__(value, '__dict__').get('__name__')
            return ['T', f'[module {name}]' if type(name) is str else '[module]']
        try:
            return self.unfolded(value, depth)
        except Exception:
            return ['T', '[unreadable]']

    def unfolded(self, value, depth):
        kind = type(value)
        if issubclass(kind, (bytes, bytearray)):
            length = len(memoryview(value))
            if length > self.sizes['text']:
                return ['T', f'[bytes of {length} bytes]']
            return ['Y', 'Uint8Array', binascii.b2a_base64(memoryview(value), newline=False).decode()]
        if kind is datetime and (value.tzinfo is None or value.tzinfo is timezone.utc):
            return ['D', round((value.replace(tzinfo=value.tzinfo or timezone.utc) - _epoch).total_seconds() * 1000)]
        if kind is date:
            return ['T', date.isoformat(value)]
        if kind in _exact_texts:
            return ['T', repr(value)]
        is_folded = depth >= self.sizes['depth']
        for base, opened, closed in ((list, '[', ']'), (tuple, '(', ')'), (dict, '{', '}'), (set, '{', '}')):
            if issubclass(kind, base) and is_folded:
                return ['T', f'{opened}…{closed}']
        if issubclass(kind, (list, tuple, deque)):
            base = list if issubclass(kind, list) else tuple if issubclass(kind, tuple) else deque
            return self.members(['A'], value, base.__iter__(value), base.__len__(value), depth)
        if issubclass(kind, (set, frozenset)):
            base = set if issubclass(kind, set) else frozenset
            return self.members(['S'], value, base.__iter__(value), base.__len__(value), depth)
        if issubclass(kind, dict):
            return self.mapping(value, depth)
        if issubclass(kind, BaseException):
            arguments = BaseException.args.__get__(value)
            text = arguments[0] if len(arguments) == 1 and type(arguments[0]) is str else ''
            return ['E', class_name(kind), text[:1000], '']
        if is_folded:
            return ['T', f'<{class_name(kind)}>']
        return self.instance(value, depth)

    def page(self, value):
        """Which members of a value are shown: one that is looked at by itself has a page of its own."""
        if value is not self.focus:
            return 0, self.sizes['items']
        return self.sizes['offset'], self.sizes['offset'] + self.sizes['limit']

    def members(self, node, value, items, length, depth):
        first, end = self.page(value)
        for item in islice(items, first, end):
            node.append(self.value(item, depth + 1))
        if length > end:
            node.append(self.add(_Told(length - end), 0))
        return node

    def mapping(self, value, depth):
        first, end = self.page(value)
        entries = list(islice(dict.items(value), first, end))
        is_object = all(type(key) is str for key, _ in entries)
        node = ['O' if is_object else 'M']
        for key, member in entries:
            node.append(self.text(key[:self.sizes['text'] + 1], len(key)) if is_object else self.value(key, depth + 1))
            node.append(self.value(member, depth + 1))
        if dict.__len__(value) > end:
            node += ['…', self.add(_Told(dict.__len__(value) - end), 0)]
        return node

    def instance(self, value, depth):
        kind = type(value)
        fields = list(_fields_of(value))
        if not fields and _class_order(kind)[-2:-1] != (kind,) and kind.__flags__ & (1 << 9) == 0:
            return ['T', f'<{class_name(kind)}>']
        node = ['I', class_name(kind)]
        first, end = self.page(value)
        for name, member in fields[first:end]:
            node.append(name)
            node.append(self.value(member, depth + 1))
        if len(fields) > end:
            node += ['…', self.add(_Told(len(fields) - end), 0)]
        return node


_epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)


class _Told:
    __slots__ = ('text',)

    def __init__(self, text):
        self.text = text


def _fields_of(value):
    """Fields of an instance: its slots and its dictionary, read by the interpreter's own descriptors."""
    for kind in _class_order(type(value)):
        body = _class_dict(kind)
        for name, member in list(body.items()):
            if type(member) is MemberDescriptorType and type(name) is str and not name.startswith('_'):
                try:
                    yield name, member.__get__(value)
                except AttributeError:
                    continue
        found = body.get('__dict__')
        if type(found) is GetSetDescriptorType and found.__name__ == '__dict__':
            for name, member in dict.items(found.__get__(value)):
                if type(name) is str and not name.startswith('_'):
                    yield name, member
