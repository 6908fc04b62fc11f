# Errors of the application as Python exceptions, and exceptions as what the host is told of them.
import builtins
from itertools import islice


class HostError(Exception):
    """An error thrown by the application. `name` is its class there, `code` its code if it has one."""

    name = 'Error'
    code = None


class CancelledError(HostError):
    """What was waited for will not come: it was cancelled."""

    name = 'CancelledError'


class OutcomeUnknownError(HostError):
    """The process ended while a call was under way: it may have had its effect or not."""

    name = 'OutcomeUnknownError'


class JobEnded(SystemExit):
    """The job ends with this slice; whoever catches this changes nothing."""


# What the application's own language calls its errors, in Python's words.
_known = {
    'Error': HostError,
    'CancelledError': CancelledError,
    'OutcomeUnknownError': OutcomeUnknownError,
    'TypeError': TypeError,
    'RangeError': ValueError,
    'URIError': ValueError,
    'SyntaxError': ValueError,
    'EvalError': RuntimeError,
    'ReferenceError': NameError,
}
# Names that are Python's already, for applications that throw them.
for _name in (
    'ValueError', 'KeyError', 'IndexError', 'LookupError', 'AttributeError', 'ArithmeticError', 'ZeroDivisionError',
    'OverflowError', 'NotImplementedError', 'PermissionError', 'FileNotFoundError', 'FileExistsError', 'TimeoutError',
    'ConnectionError', 'InterruptedError', 'OSError', 'RuntimeError', 'AssertionError', 'EOFError', 'NameError',
):
    _known[_name] = getattr(builtins, _name)
_MOST_CLASSES = 500


def exception_of(name, text, members):
    """The exception for an error of the host's."""
    kind = _known.get(name)
    if kind is None:
        simple = ''.join(part if part.isidentifier() or part.isdigit() else '_' for part in name[:100])
        kind = type(simple if simple.isidentifier() else 'HostError', (HostError,), {'name': name, '__module__': 'host'})
        if len(_known) < _MOST_CLASSES:
            _known[name] = kind
    made = kind(text)
    for key, value in members.items():
        if key == 'code':
            made.code = value
    if issubclass(kind, HostError):
        made.name = name
    return made


def class_name(kind):
    """The name of a class, whatever its metaclass says."""
    return type.__dict__['__name__'].__get__(kind)


def text_of(error):
    try:
        # The place is told beside it, and the name of the file is ours.
        is_ours = isinstance(error, SyntaxError) and type(error.msg) is str
        text = error.msg if is_ours else str(error)
        if type(text) is not str:
            text = str.__getitem__(text, slice(None))
    except BaseException:
        text = '(its text cannot be read)'
    if text == '' and isinstance(error, MemoryError):
        text = 'there is no more memory'
    return text[:100_000]


_MOST_FRAMES = 100


def stack_of(error):
    """Where the author's own code was, innermost first: one line for each place."""
    places = []
    trace = BaseException.__traceback__.__get__(error)
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith('step '):
            line, _, column, _ = next(islice(code.co_positions(), trace.tb_lasti // 2, None), (None,) * 4)
            places.append(_place(code.co_name, code.co_filename, line or trace.tb_lineno, (column or 0) + 1))
            if len(places) > 2 * _MOST_FRAMES:
                del places[_MOST_FRAMES // 2]
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and isinstance(error.filename, str) and error.filename.startswith('step '):
        if isinstance(error.lineno, int):
            places.append(_place('', error.filename, error.lineno, error.offset if isinstance(error.offset, int) else 1))
    places.reverse()
    return '\n'.join(places)


def _place(name, file, line, column):
    return f'    at {name} ({file}:{line}:{column})'
