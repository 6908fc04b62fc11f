# Guest functions handed to the host as arguments. They have a number for as long as the call lasts.
import inspect

from _statek.channel import give, receive
from _statek.wire import decode, encode, error_message, references

_open = {}
_calls = 0
_last = 0


def _callback_for(function):
    global _last
    if _calls == 0:
        return 0
    _last += 1
    _open[_last] = function
    return _last


references.callback_for = _callback_for


class Callbacks:
    """A call to the host during which functions among its arguments can be called back."""

    __slots__ = ('first',)

    def __enter__(self):
        global _calls
        self.first = _last
        _calls += 1

    def __exit__(self, *_):
        global _calls
        _calls -= 1
        # Numbers are never given again: what the host kept of an earlier call must not reach a later one's functions.
        for number in range(self.first + 1, _last + 1):
            _open.pop(number, None)


def called_back():
    """The host calls a function that was among the arguments of a call under way."""
    number, _, parameters = receive().partition('\n')
    try:
        function = _open.get(int(number))
        if function is None:
            raise TypeError('this function can be called only while the call it was handed to lasts')
        result = function(*decode(parameters))
        if inspect.iscoroutine(result):
            result.close()
            raise TypeError('a function that the application calls cannot wait: it returned a coroutine')
        text = '=' + encode(result)
    except BaseException as error:
        text = '!' + error_message(error)
    give(text)
