# The value of a step as its author is shown it: what Python's own prompt would print, cut to a size one can read.
from collections import deque
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from _statek.failures import class_name
from _statek.wire import Record, members_of

_ITEMS = 25
_TEXT = 500
_DEPTH = 8
_LONGEST = 19_800
_brackets = {list: '[]', tuple: '()', set: '{}'}


def text_of(value):
    """A text as it is, None as nothing, anything else as Python writes it."""
    if value is None:
        return ''
    text = str.__getitem__(value, slice(None)) if isinstance(value, str) else _Writer().text(value, 0)
    return cut(text, _LONGEST)


def shown(value):
    """The same for the value of a variable: texts have quotes, and None is told."""
    return cut(_Writer().text(value, 0), _LONGEST)


def cut(text, longest):
    if len(text) <= longest:
        return text
    return f'{text[:longest]}… ({len(text) - longest:,} more of {len(text):,} characters)'


class _Writer:
    def __init__(self):
        self.open = set()
        # A small structure that holds itself many times would fill any memory if it were written out.
        self.left = _LONGEST

    def text(self, value, depth):
        if self.left < 0:
            return '…'
        kind = dict if type(value) is Record else type(value)
        if kind in (list, tuple, set, frozenset, dict, deque):
            return self.guarded(value, depth, self.mapping if kind is dict else self.sequence)
        text = self.simple(value, kind, depth)
        self.left -= len(text)
        return text

    def simple(self, value, kind, depth):
        if kind is str:
            return repr(value) if len(value) <= _TEXT else repr(value[:_TEXT]) + f'… ({len(value):,} characters)'
        if kind in (FunctionType, MethodType, BuiltinFunctionType):
            return f'<function {value.__name__}>'
        if kind is ModuleType:
            return f'<module {value.__name__!r}>'
        if kind.__repr__ is object.__repr__:
            return self.guarded(value, depth, self.instance)
        try:
            return cut(repr(value), _LONGEST)
        except Exception as error:
            return f'<{class_name(kind)}: its text cannot be read: {class_name(type(error))}>'

    def guarded(self, value, depth, write):
        if id(value) in self.open or depth >= _DEPTH:
            return '…'
        self.open.add(id(value))
        self.left -= 2
        try:
            return write(value, depth + 1)
        finally:
            self.open.discard(id(value))

    def sequence(self, value, depth):
        parts = [self.text(item, depth) for item, _ in zip(value, range(_ITEMS))]
        more = self.more(len(value))
        kind = type(value)
        if kind is tuple and len(value) == 1:
            return f'({parts[0]},)'
        if kind is set and not parts:
            return 'set()'
        opened, closed = _brackets.get(set if kind is frozenset else kind, '[]')
        text = f'{opened}{", ".join(parts + more)}{closed}'
        return text if kind in _brackets else f'{kind.__name__}({text})'

    def mapping(self, value, depth):
        entries = [entry for entry, _ in zip(value.items(), range(_ITEMS))]
        parts = [f'{self.text(key, depth)}: {self.text(member, depth)}' for key, member in entries]
        return '{' + ', '.join(parts + self.more(len(value))) + '}'

    def instance(self, value, depth):
        fields = [entry for entry, _ in zip(members_of(value), range(_ITEMS))]
        parts = [f'{name}={self.text(member, depth)}' for name, member in fields]
        return f'{class_name(type(value))}({", ".join(parts)})'

    def more(self, length):
        return [f'… {length - _ITEMS:,} more, {length:,} in all'] if length > _ITEMS else []
