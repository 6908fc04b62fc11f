# What a program prints: the text Python makes of it, one entry of the console for each print.
import builtins
import io
import sys

from _statek.channel import PRINT, send
from _statek.wire import dumps

_LONGEST = 19_800
_plain_print = builtins.print


def _emit(level, text):
    if len(text) > _LONGEST:
        text = f'{text[:_LONGEST]}… ({len(text) - _LONGEST:,} more of {len(text):,} characters)'
    send(PRINT, f'{level}\n' + dumps([[0], ['A', text]]))


class _Stream(io.TextIOBase):
    """A stream whose lines go to the console."""

    encoding = 'utf-8'
    errors = 'strict'
    newlines = None

    def __init__(self, level, number):
        self._level = level
        self._number = number
        self._part = ''

    def writable(self):
        return True

    def fileno(self):
        return self._number

    @property
    def name(self):
        return '<stdout>' if self._number == 1 else '<stderr>'

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f'write() argument must be str, not {type(text).__name__}')
        *lines, self._part = (self._part + text).split('\n')
        for line in lines:
            _emit(self._level, line)
        return len(text)

    def block(self, text):
        """Text of one print: it stays one entry, however many lines it has."""
        whole = self._part + text
        if whole.endswith('\n'):
            self._part = ''
            _emit(self._level, whole[:-1])
        else:
            self._part = whole

    def flush(self):
        if self._part:
            text, self._part = self._part, ''
            _emit(self._level, text)


_out = _Stream('log', 1)
_err = _Stream('error', 2)


def print(*values, sep=' ', end='\n', file=None, flush=False):
    """Prints the values to the console, or to a file."""
    stream = sys.stdout if file is None else file
    if type(stream) is not _Stream:
        return _plain_print(*values, sep=sep, end=end, file=file, flush=flush)
    if not (sep is None or isinstance(sep, str)) or not (end is None or isinstance(end, str)):
        raise TypeError('sep and end must be None or a string')
    stream.block((' ' if sep is None else sep).join(map(str, values)) + ('\n' if end is None else end))


def flush():
    _out.flush()
    _err.flush()


def install():
    sys.stdout = sys.__stdout__ = _out
    sys.stderr = sys.__stderr__ = _err
    sys.stdin = sys.__stdin__ = None
    builtins.print = print
