# Handles: what guest code holds for objects of the application. A handle has just the fields and methods that were exposed; each
# use is a call to the host, which checks it.
from weakref import WeakValueDictionary

from _statek.callbacks import Callbacks
from _statek.channel import CALL, CONSTRUCT, GET, SET, SHAPE, send
from _statek.futures import begun
from _statek.names import camel, snake
from _statek.wire import decode, encode, encode_call, references

_token = None  # the slot's own reader and writer, set below
_handles = WeakValueDictionary()
_kinds = {}
_depth = 0
_MOST_SHOWN = 100
_PAGE = 100


def ask_host(operation, text):
    answer = send(operation, text)
    if answer.startswith('!'):
        raise decode(answer[1:])
    return decode(answer[1:])


def call(token, method, arguments, named):
    """Calls a method (or, with no name, the function itself). The outcome may take its time."""
    text = None if named else encode_call(token, method, arguments)
    if text is None:
        # Keyword arguments are for the host to place: parameters it knows by name, or the object of options at the end.
        keywords = [{camel(name): value for name, value in named.items()}] if named else []
        with Callbacks():
            answer = send(CALL, encode([token, method, list(arguments), *keywords]))
    else:
        answer = send(CALL, text)
    if answer.startswith('~'):
        return begun(int(answer[1:]))
    value = decode(answer[1:])
    if answer.startswith('!'):
        raise value
    return value


class HostObject:
    """An object of the application."""

    __slots__ = ('_statek_token', '_statek_classes', '__weakref__')
    _statek_fields = ()

    def __init__(self):
        raise TypeError('objects of the application are made by the application')

    def __setattr__(self, name, value):
        field = type(self)._statek_names.get(name)
        if field is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}' that can be set")
        if name not in type(self)._statek_writable:
            raise AttributeError(f"'{name}' of '{type(self).__name__}' is read-only")
        ask_host(SET, encode([_token.__get__(self), field, value]))

    def __delattr__(self, name):
        raise AttributeError(f"'{name}' of '{type(self).__name__}' cannot be deleted")

    def __eq__(self, other):
        return isinstance(other, HostObject) and _token.__get__(self) == _token.__get__(other)

    def __hash__(self):
        return hash(_token.__get__(self))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        raise TypeError('an object of the application cannot be pickled; keep it in a variable')

    def __repr__(self):
        global _depth
        kind = type(self)
        if _depth > 0:
            return _label(self)
        _depth += 1
        try:
            shown = [f'{name}={_read(self, field)}' for name, field in kind._statek_fields[:_MOST_SHOWN]]
            return f'{kind.__name__}({", ".join(shown)})'
        finally:
            _depth -= 1


HostObject._statek_names = {}
HostObject._statek_writable = frozenset()
_token = HostObject.__dict__['_statek_token']
_classes = HostObject.__dict__['_statek_classes']


def _read(handle, field):
    try:
        text = repr(ask_host(GET, f'{_token.__get__(handle)}\n{field}'))
        return text if len(text) <= 500 else text[:500] + '…'
    except Exception as error:
        return f'<{type(error).__name__}>'


def _label(handle):
    kind = type(handle)
    for name, field in kind._statek_fields:
        if name in ('name', 'title', 'id'):
            return f'<{kind.__name__} {_read(handle, field)}>'
    return f'<{kind.__name__}>'


class HostFunction(HostObject):
    """A function of the application."""

    __slots__ = ('_statek_name',)
    _statek_startable = True

    def __call__(self, /, *arguments, **named):
        return call(_token.__get__(self), '', arguments, named)

    @property
    def __name__(self):
        return self._statek_name

    def __repr__(self):
        return f'<function {self._statek_name} of the application>'


class HostClass(HostObject):
    """A class of the application: calling it makes an object there."""

    __slots__ = ('_statek_name',)

    def __call__(self, /, *arguments, **named):
        keywords = [{camel(name): value for name, value in named.items()}] if named else []
        with Callbacks():
            return ask_host(CONSTRUCT, encode([_token.__get__(self), list(arguments), *keywords]))

    def __instancecheck__(self, value):
        return isinstance(value, HostObject) and HostClass.__dict__['_statek_name'].__get__(self) in _classes.__get__(value)

    def __subclasscheck__(self, kind):
        return False

    def __mro_entries__(self, bases):
        raise TypeError(f'{self.__name__} is a class of the application and cannot be extended here')

    @property
    def __name__(self):
        return HostClass.__dict__['_statek_name'].__get__(self)

    def __getattr__(self, name):
        raise AttributeError(f"class '{self.__name__}' has no attribute '{name}'")

    def __repr__(self):
        return f'<class {self.__name__} of the application>'


def _class(token, shape):
    kind = _kinds.get(shape['kind'])
    if kind is None:
        body = {'__slots__': (), '__module__': 'host', '__doc__': f'The class {shape["name"]} of the application.'}
        for method in shape['methods']:
            for one in {snake(method), method}:
                body[one] = method_of(one, method)
        kind = _kinds[shape['kind']] = type('class', (HostClass,), body)
    handle = made(kind, token)
    HostClass.__dict__['_statek_name'].__set__(handle, shape['name'])
    return handle


def _pages(self):
    """What the host has many of comes page by page."""
    cursor = None
    while True:
        page = call(_token.__get__(self), 'page', [_PAGE] if cursor is None else [_PAGE, cursor], {})
        yield from page['items']
        cursor = page.get('cursor')
        if cursor is None:
            return


def _field(field, writable):
    def read(self):
        return ask_host(GET, f'{_token.__get__(self)}\n{field}')

    def write(self, value):
        ask_host(SET, encode([_token.__get__(self), field, value]))

    return property(read, write if writable else None, doc=f'The field {field} of the application\'s object.')


def method_of(name, method):
    def called(self, /, *arguments, **named):
        return call(_token.__get__(self), method, arguments, named)

    called.__name__ = called.__qualname__ = name
    called.__module__ = 'host'
    called.__doc__ = f'Calls {method} of the application\'s object. Keyword arguments go to its parameters of those names; others become an object of options.'
    called._statek_startable = True
    return called


def _kind_of(shape, base=HostObject):
    """The class of all handles that offer the same."""
    names = {}
    body = {'__slots__': (), '__module__': 'host'}
    fields = []
    writable = set()
    for field in shape['fields']:
        name = snake(field['name'])
        for one in {name, field['name']}:
            body[one] = _field(field['name'], field['writable'])
            names[one] = field['name']
            if field['writable']:
                writable.add(one)
        fields.append((name, field['name']))
    for method in shape['methods']:
        for one in {snake(method), method}:
            if one not in names:
                body[one] = method_of(one, method)
    length = next((field['name'] for field in shape['fields'] if field['name'] in ('length', 'size')), None)
    if length is not None:
        body['__len__'] = lambda self: ask_host(GET, f'{_token.__get__(self)}\n{length}')
        body['__bool__'] = lambda self: True
    if shape.get('iterable'):
        body['__iter__'] = _pages
        body['__bool__'] = lambda self: True
    body['_statek_names'] = names
    body['_statek_writable'] = frozenset(writable)
    body['_statek_fields'] = tuple(fields)
    body['__match_args__'] = tuple(name for name, _ in fields)
    told = ', '.join(name for name, _ in fields) or 'none'
    methods = ', '.join(f'{snake(method)}()' for method in shape['methods']) or 'none'
    body['__doc__'] = f'An object of the application.\n\nFields: {told}\nMethods: {methods}'
    name = ''.join(part if part.isalnum() or part == '_' else '_' for part in shape['name'])
    return type(name if name.isidentifier() else 'Object', (base,), body)


def kind_of(shape, base=HostObject):
    kind = _kinds.get(shape['kind'])
    if kind is None:
        kind = _kinds[shape['kind']] = _kind_of(shape, base)
    return kind


def made(kind, token, classes=()):
    handle = object.__new__(kind)
    _token.__set__(handle, token)
    _classes.__set__(handle, tuple(classes))
    return handle


def _handle_for(token):
    handle = _handles.get(token)
    if handle is None:
        shape = ask_host(SHAPE, token)
        handle = makers[shape['form']](token, shape)
        _handles[token] = handle
    return handle


def _function(token, shape):
    handle = made(HostFunction, token)
    HostFunction.__dict__['_statek_name'].__set__(handle, shape['name'])
    return handle


# How the handle of each form is made; live.py adds collections.
makers = {
    'function': _function,
    'class': _class,
    'object': lambda token, shape: made(kind_of(shape), token, shape.get('is') or ()),
}


def token_of(value):
    return _token.__get__(value) if isinstance(value, HostObject) else None


def held_tokens():
    return [token for token, handle in list(_handles.items()) if handle is not None]


references.handle_for = _handle_for
references.token_of = token_of
