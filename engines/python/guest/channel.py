# The one way out of the guest: a descriptor that only the host knows what to do with. A request is written, its answer read.
# Reading is also the one place where the whole program can be put aside: the host keeps the stack and gives it back later.
from posix import read as _read, write as _write

_CHANNEL = 1000
_CHUNK = 4096

PAUSE, MODULE, ZONES = 0, 100, 101
SHAPE, GET, SET, CALL, COLLECTION, PRINT, FUTURE, STEP_ENDED, CONSTRUCT, PLACE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10


def receive():
    """What the host has for us, as text."""
    data = part = _read(_CHANNEL, _CHUNK)
    while len(part) == _CHUNK:
        part = _read(_CHANNEL, _CHUNK)
        data += part
    return data.decode('utf-8', 'surrogatepass')


def give(text):
    """Hands text to the host without waiting for anything."""
    _write(_CHANNEL, text.encode('utf-8', 'surrogatepass'))


def send(operation, text=''):
    """Sends a request and returns the host's answer as it is."""
    _write(_CHANNEL, f'{operation}\n{text}'.encode('utf-8', 'surrogatepass'))
    return receive()
