# Records: handles of objects that may have any fields. What the class declares is on the handle's class; every other field is the
# host's to give, so one that was added a moment ago is there. A plain object of the application is a dictionary as well.
from _statek.channel import COLLECTION, GET, SET, send
from _statek.handles import HostObject, ask_host, kind_of, made, makers, method_of, token_of
from _statek.names import camel, snake
from _statek.wire import decode, encode

_NOTHING = '=[["u"]]'


def _request(handle, change, *parameters):
    return ask_host(COLLECTION, encode([token_of(handle), change, list(parameters)]))


def _found(handle, name):
    """The name under which the host has a field, or None."""
    for one in (name, camel(name)):
        if _request(handle, 'has', one):
            return one
    return None


class HostRecord(HostObject):
    """An object of the application that may have any fields."""

    __slots__ = ()

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        # The cheapest request there is: fields are read more often than anything else.
        for one in {name, camel(name)}:
            answer = send(GET, f'{token_of(self)}\n{one}')
            if answer.startswith('=') and answer != _NOTHING:
                return decode(answer[1:])
            # A method that its class has got since this program met the object.
            if answer.startswith('&'):
                return method_of(name, one).__get__(self)
        if _found(self, name) is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return None

    def __setattr__(self, name, value):
        declared = type(self)._statek_names.get(name)
        field = declared or _found(self, name) or camel(name)
        ask_host(SET, encode([token_of(self), field, value]))

    def __delattr__(self, name):
        field = _found(self, name)
        if field is None:
            raise AttributeError(name)
        _request(self, 'delete', field)

    def __dir__(self):
        return [*object.__dir__(self), *map(snake, _request(self, 'names'))]

    def __repr__(self):
        shown = (f'{snake(name)}={_shown(self, name)}' for name in _request(self, 'names'))
        return f'{type(self).__name__}({", ".join(shown)})'


def _shown(handle, name):
    value = ask_host(GET, f'{token_of(handle)}\n{name}')
    if isinstance(value, HostRecord) and not isinstance(value, HostPlain):
        return f'<{type(value).__name__}>'
    text = repr(value)
    return text if len(text) <= 500 else text[:500] + '…'


class HostPlain(HostRecord):
    """A live plain object of the application: its fields are attributes and items."""

    __slots__ = ()

    def __getitem__(self, key):
        if not _request(self, 'has', key):
            raise KeyError(key)
        return ask_host(GET, f'{token_of(self)}\n{key}')

    def __setitem__(self, key, value):
        ask_host(SET, encode([token_of(self), key, value]))

    def __delitem__(self, key):
        if not _request(self, 'has', key):
            raise KeyError(key)
        _request(self, 'delete', key)

    def __contains__(self, key):
        return isinstance(key, str) and _request(self, 'has', key)

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __bool__(self):
        return len(self) > 0

    def keys(self):
        return _request(self, 'names')

    def values(self):
        return [self[key] for key in self.keys()]

    def items(self):
        return [(key, self[key]) for key in self.keys()]

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __eq__(self, other):
        return HostObject.__eq__(self, other) if isinstance(other, HostObject) else dict(self.items()) == other

    __hash__ = HostObject.__hash__

    def __repr__(self):
        return repr(dict(self.items()))


def _record(token, shape):
    base = HostPlain if shape['name'] == 'Object' else HostRecord
    return made(kind_of(shape, base), token, shape.get('is') or ())


makers['record'] = _record
