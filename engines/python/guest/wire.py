# The guest's side of the form in which values cross: a list of a value and the nodes it is made of. Nodes refer to each other
# by index, so shared and circular references stay what they are, and nesting costs no stack.
import array
import binascii
import re
from collections import deque
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from _json import encode_basestring_ascii, make_encoder
from json import JSONDecoder
from math import isfinite, isnan, copysign
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType
from uuid import UUID

from _statek.names import camel
from _statek.failures import class_name, exception_of, stack_of, text_of

_scan = JSONDecoder().scan_once
_LARGEST = 2**53 - 1
_LONGEST = 10_000_000
_functions = (FunctionType, MethodType, BuiltinFunctionType)


class References:
    """Set by handles.py and callbacks.py: how what crosses by reference is named and made."""

    token_of = staticmethod(lambda value: None)
    handle_for = staticmethod(lambda token: None)
    callback_for = staticmethod(lambda function: 0)


references = References()


def _refuse(value):
    raise TypeError(f'{type(value).__name__} is no part of a message')


# The interpreter's own encoder and scanner, made once: a call to the host is mostly these two.
_encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ':', ',', False, False, True)


def _dumps(value):
    return ''.join(_encode(value, 0))


def _loads(text):
    return _scan(text, 0)[0]


def dumps(value):
    return _dumps(value)


def loads(text):
    return _loads(text)


def encode_call(token, method, parameters):
    """The message for a call. Most are made with plain values, which need no walk."""
    for value in parameters:
        kind = type(value)
        if not (value is None or kind is str or kind is bool or kind is int and -_LARGEST <= value <= _LARGEST):
            return None
    return _dumps([[0], ['A', token, method, [1]], ['A', *parameters]])


def encode(value):
    """The message for a value that is handed to the host as data."""
    return _Encoder(True).message(value)


def encode_result(value):
    """The message for a step's value: data as far as it is data, a description of what cannot leave."""
    return _Encoder(False).message(value)


def error_message(error):
    """The message for an exception that ends a step."""
    node = ['E', class_name(type(error)), text_of(error), stack_of(error)]
    code = getattr(error, 'code', None)
    if type(code) is str or type(code) is int and not isinstance(error, SystemExit):
        node += ['code', code]
    return _dumps([[0], node])


class _Encoder:
    def __init__(self, is_data):
        self.is_data = is_data
        self.indices = {}
        # Values made on the way are kept until the end: a value's identity is its address.
        self.waiting = []

    def message(self, value):
        parts = [self.value(value)]
        for one in self.waiting:
            parts.append(self.node(one))
        return _dumps(parts)

    def value(self, value):
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -_LARGEST <= value <= _LARGEST else ['b', str(value)]
        if kind is float:
            return _number(value)
        if isinstance(value, Enum):
            return self.value(value.value)
        if isinstance(value, str):
            return str.__getitem__(value, slice(None))
        if isinstance(value, int):
            return self.value(int.__index__(value))
        if isinstance(value, float):
            return _number(float.__add__(value, 0.0))
        if kind is Decimal:
            return self.decimal(value)
        if isinstance(value, (UUID, PurePath)):
            return str(value)
        index = self.indices.get(id(value))
        if index is None:
            index = self.indices[id(value)] = len(self.waiting)
            self.waiting.append(value)
        return [index]

    def decimal(self, value):
        number = float(value)
        if isfinite(number) and Decimal(repr(number)) == value:
            return _number(number)
        if self.is_data:
            raise ValueError(f'{value!r} has more digits than a number of the application holds; hand over str(value)')
        self.waiting.append(_Text(repr(value)))
        return [len(self.waiting) - 1]

    def node(self, value):
        token = references.token_of(value)
        if token is not None:
            return ['H', token]
        kind = type(value)
        if kind is list or kind is tuple:
            return ['A', *map(self.value, value)]
        if kind is dict:
            return self.mapping(value)
        return self.builtin(value) or self.other(value)

    def mapping(self, value):
        node = ['O']
        for key, member in dict.items(value):
            if type(key) is not str:
                break
            node.append(key)
            node.append(self.value(member))
        else:
            return node
        node = ['M']
        for key, member in dict.items(value):
            node.append(self.value(key))
            node.append(self.value(member))
        return node

    def builtin(self, value):
        if isinstance(value, (set, frozenset)):
            return ['S', *map(self.value, value)]
        if isinstance(value, dict):
            return self.mapping(value)
        if isinstance(value, tuple) and hasattr(type(value), '_fields'):
            return self.members(['O'], zip(type(value)._fields, value))
        if isinstance(value, (list, tuple, deque, type({}.keys()), type({}.values()), type({}.items()))):
            return ['A', *map(self.value, value)]
        if isinstance(value, (range, array.array)):
            if len(value) > _LONGEST:
                raise ValueError('this is too long to be handed to the application')
            return ['A', *map(self.value, value)]
        if isinstance(value, (bytes, bytearray, memoryview)):
            return ['Y', 'Uint8Array', binascii.b2a_base64(value, newline=False).decode()]
        if isinstance(value, datetime):
            return ['D', round(value.timestamp() * 1000)]
        if isinstance(value, date):
            return ['D', round(datetime(value.year, value.month, value.day, tzinfo=timezone.utc).timestamp() * 1000)]
        if isinstance(value, BaseException):
            return ['E', class_name(type(value)), text_of(value), '']
        if isinstance(value, re.Pattern) and type(value.pattern) is str:
            flags = [letter for letter, flag in _flags.items() if value.flags & flag]
            return ['X', value.pattern, ''.join(flags)]
        return None

    def other(self, value):
        if type(value) is _Text:
            return ['T', value.text]
        if isinstance(value, type) or isinstance(value, _functions):
            return self.function(value)
        if not self.is_data:
            if type(value).__repr__ is not object.__repr__ and not hasattr(type(value), '__dataclass_fields__'):
                return ['T', _repr(value)]
            return self.members(['I', class_name(type(value))], members_of(value))
        if isinstance(value, timedelta):
            raise TypeError('a timedelta cannot be handed to the application; hand over value.total_seconds()')
        if callable(value):
            return self.function(value)
        if not hasattr(value, '__dict__') and not hasattr(type(value), '__slots__'):
            raise TypeError(f'a value of type {class_name(type(value))} cannot be handed to the application')
        return self.members(['O'], members_of(value))

    def function(self, value):
        name = getattr(value, '__name__', '')
        name = name if type(name) is str else ''
        if not self.is_data:
            return ['F', 'class' if isinstance(value, type) else 'function', name]
        number = references.callback_for(value)
        if number == 0:
            raise TypeError('a function can be handed to the application only as an argument of a call, for its time')
        return ['C', number, name]

    def members(self, node, members):
        for name, member in members:
            node.append(name)
            node.append(self.value(member))
        return node


class _Text:
    __slots__ = ('text',)

    def __init__(self, text):
        self.text = text


def _repr(value):
    try:
        text = repr(value)
    except BaseException as error:
        return f'[{class_name(type(value))}: its text cannot be read: {text_of(error)[:200]}]'
    return str.__getitem__(text, slice(0, 20_000))


def members_of(value):
    """Names and values of the public fields of an instance."""
    found = {}
    for kind in type(value).__mro__:
        slots = kind.__dict__.get('__slots__', ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith('_') and hasattr(value, name):
                found[name] = getattr(value, name)
    for name, member in getattr(value, '__dict__', {}).items():
        if type(name) is str and not name.startswith('_'):
            found[name] = member
    return found.items()


def _number(value):
    if isfinite(value):
        return ['n', '-0'] if value == 0 and copysign(1, value) < 0 else value
    return ['n', 'NaN' if isnan(value) else 'Infinity' if value > 0 else '-Infinity']


_flags = {'i': re.IGNORECASE, 'm': re.MULTILINE, 's': re.DOTALL}
_numbers = {'NaN': float('nan'), 'Infinity': float('inf'), '-Infinity': float('-inf'), '-0': -0.0}
_arrays = {
    'Int8Array': 'b', 'Int16Array': 'h', 'Uint16Array': 'H', 'Int32Array': 'i', 'Uint32Array': 'I', 'Float32Array': 'f',
    'Float64Array': 'd', 'BigInt64Array': 'q', 'BigUint64Array': 'Q',
}


class Record(dict):
    """A plain object of the application, as a dict whose members can be read and set as attributes too."""

    __slots__ = ()

    def __getattr__(self, name):
        # What a dict can do itself is found before this; copying and the like ask for what nobody has.
        if not name.startswith('__'):
            for key in (name, camel(name)):
                if key in self:
                    return self[key]
        told = ', '.join(str(key) for key in list(self)[:50]) or 'none'
        raise AttributeError(f"there is no '{name}' here; members: {told}")

    def __setattr__(self, name, value):
        key = camel(name)
        self[key if key in self and name not in self else name] = value

    def __delattr__(self, name):
        key = name if name in self else camel(name)
        if key not in self:
            raise AttributeError(f"there is no '{name}' here")
        del self[key]

    def __copy__(self):
        return Record(self)

    def copy(self):
        return Record(self)

    def __reduce_ex__(self, protocol):
        return dict, (), None, None, iter(dict.items(self))


Record.__name__ = Record.__qualname__ = 'dict'


def decode(text):
    """The value of a message from the host."""
    parts = _loads(text)
    if len(parts) == 1:
        return _read(parts[0], ())
    root, nodes = parts[0], parts[1:]
    made = [_make(node) for node in nodes]
    # What is inside comes after what holds it; keys and members of sets must be whole before they are used.
    for target, node in zip(reversed(made), reversed(nodes)):
        _fill(target, node, made)
    return _read(root, made)


def _read(value, made):
    if type(value) is not list:
        return value
    first = value[0]
    if type(first) is int:
        return made[first]
    if first == 'n':
        return _numbers[value[1]]
    return int(value[1]) if first == 'b' else None


def _make(node):
    kind = node[0]
    if kind == 'A':
        return []
    if kind == 'O':
        return Record()
    if kind == 'M':
        return {}
    if kind == 'S':
        return set()
    if kind == 'D':
        return None if node[1] is None else _moment(node[1])
    if kind == 'Y':
        data = binascii.a2b_base64(node[2])
        return array.array(_arrays[node[1]], data) if node[1] in _arrays else data
    if kind == 'E':
        return exception_of(node[1], node[2], dict(zip(node[4::2], node[5::2])))
    if kind == 'X':
        return _pattern(node[1], node[2])
    return references.handle_for(node[1])


_epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)


def _moment(milliseconds):
    try:
        return _epoch + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None


def _pattern(source, letters):
    flags = 0
    for letter in letters:
        flags |= _flags.get(letter, 0)
    try:
        return re.compile(source, flags)
    except re.error:
        return source


def _fill(target, node, made):
    kind = node[0]
    if kind == 'A':
        target.extend([_read(value, made) for value in node[1:]])
    elif kind == 'O':
        for index in range(1, len(node), 2):
            target[node[index]] = _read(node[index + 1], made)
    elif kind == 'M':
        for index in range(1, len(node), 2):
            target[_hashable(_read(node[index], made))] = _read(node[index + 1], made)
    elif kind == 'S':
        target.update(_hashable(_read(value, made)) for value in node[1:])


def _hashable(value):
    if type(value) is list:
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return tuple((key, _hashable(member)) for key, member in value.items())
    return frozenset(value) if type(value) is set else value
