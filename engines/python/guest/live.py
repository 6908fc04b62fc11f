# Live collections of the application: list-, dict- and set-like handles. Reading one asks the host, page by page where it is
# iterated; writing goes through.
from collections.abc import MutableMapping, MutableSequence, MutableSet

from _statek.channel import COLLECTION
from _statek.handles import HostObject, ask_host, made, makers, token_of
from _statek.wire import encode

_PAGE = 100


def _request(handle, change, *parameters):
    return ask_host(COLLECTION, encode([token_of(handle), change, list(parameters)]))


def _pages(handle):
    start = 0
    while page := _request(handle, 'page', start, _PAGE):
        yield from page
        start += len(page)


class _Live(HostObject):
    __slots__ = ()

    def __len__(self):
        return _request(self, 'size')

    __hash__ = HostObject.__hash__


class HostList(_Live, MutableSequence):
    """A live list of the application."""

    __slots__ = ()

    def _place(self, index, size):
        place = index.__index__()
        if place < 0:
            place += size
        if not 0 <= place < size:
            raise IndexError('list index out of range')
        return place

    def __getitem__(self, index):
        size = len(self)
        if isinstance(index, slice):
            places = range(*index.indices(size))
            if places.step == 1:
                found = []
                for start in range(places.start, places.stop, _PAGE):
                    found += _request(self, 'page', start, min(_PAGE, places.stop - start))
                return found
            return [_request(self, 'at', place) for place in places]
        return _request(self, 'at', self._place(index, size))

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            items = list(self)
            items[index] = value
            self._replace(items)
        else:
            _request(self, 'put', self._place(index, len(self)), value)

    def __delitem__(self, index):
        if isinstance(index, slice):
            items = list(self)
            del items[index]
            self._replace(items)
        else:
            _request(self, 'splice', self._place(index, len(self)), 1, [])

    def insert(self, index, value):
        size = len(self)
        place = max(0, index + size) if index < 0 else min(index, size)
        _request(self, 'splice', place, 0, [value])

    def append(self, value):
        _request(self, 'splice', len(self), 0, [value])

    def extend(self, values):
        _request(self, 'splice', len(self), 0, list(values))

    def pop(self, index=-1):
        size = len(self)
        if size == 0:
            raise IndexError('pop from empty list')
        return _request(self, 'splice', self._place(index, size), 1, [])[0]

    def clear(self):
        _request(self, 'resize', 0)

    def sort(self, *, key=None, reverse=False):
        self._replace(sorted(self, key=key, reverse=reverse))

    def copy(self):
        return list(self)

    def _replace(self, items):
        size = len(self)
        for place, item in enumerate(items):
            _request(self, 'put', place, item)
        if len(items) < size:
            _request(self, 'resize', len(items))

    def __iter__(self):
        return _pages(self)

    def __eq__(self, other):
        if isinstance(other, HostObject):
            return HostObject.__eq__(self, other)
        return isinstance(other, list) and list(self) == other

    __hash__ = HostObject.__hash__

    def __add__(self, other):
        return list(self) + list(other)

    def __radd__(self, other):
        return list(other) + list(self)

    def __repr__(self):
        return repr(list(self))


class HostDict(_Live, MutableMapping):
    """A live dictionary of the application."""

    __slots__ = ()

    def __getitem__(self, key):
        if not _request(self, 'has', key):
            raise KeyError(key)
        return _request(self, 'get', key)

    def __setitem__(self, key, value):
        _request(self, 'set', key, value)

    def __delitem__(self, key):
        if not _request(self, 'delete', key):
            raise KeyError(key)

    def __contains__(self, key):
        return _request(self, 'has', key)

    def __iter__(self):
        return (key for key, _ in _pages(self))

    def items(self):
        return ((key, value) for key, value in _pages(self))

    def values(self):
        return (value for _, value in _pages(self))

    def clear(self):
        _request(self, 'clear')

    def copy(self):
        return dict(self.items())

    def __eq__(self, other):
        if isinstance(other, HostObject):
            return HostObject.__eq__(self, other)
        return isinstance(other, dict) and dict(self.items()) == other

    __hash__ = HostObject.__hash__

    def __repr__(self):
        return repr(dict(self.items()))


class HostSet(_Live, MutableSet):
    """A live set of the application."""

    __slots__ = ()

    @classmethod
    def _from_iterable(cls, items):
        return set(items)

    def __contains__(self, value):
        return _request(self, 'has', value)

    def __iter__(self):
        return _pages(self)

    def add(self, value):
        _request(self, 'add', value)

    def discard(self, value):
        _request(self, 'delete', value)

    def clear(self):
        _request(self, 'clear')

    def update(self, *others):
        for other in others:
            for value in other:
                self.add(value)

    def copy(self):
        return set(self)

    def union(self, *others):
        return set(self).union(*others)

    def intersection(self, *others):
        return set(self).intersection(*others)

    def difference(self, *others):
        return set(self).difference(*others)

    def issubset(self, other):
        return set(self).issubset(other)

    def issuperset(self, other):
        return set(self).issuperset(other)

    def __eq__(self, other):
        if isinstance(other, HostObject):
            return HostObject.__eq__(self, other)
        return isinstance(other, (set, frozenset)) and set(self) == other

    __hash__ = HostObject.__hash__

    def __repr__(self):
        return repr(set(self))


makers['array'] = lambda token, shape: made(HostList, token)
makers['map'] = lambda token, shape: made(HostDict, token)
makers['set'] = lambda token, shape: made(HostSet, token)
