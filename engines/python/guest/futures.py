# Futures: what a program waits for. A plain call waits by putting the whole program aside; `start` asks for something and goes on.
from asyncio import _get_running_loop
from datetime import date, datetime, timedelta
from itertools import islice
from sys import _getframe

from _statek.channel import FUTURE, PAUSE, PLACE, send
from _statek.console import flush
from _statek.failures import HostError, JobEnded
from _statek.wire import decode, encode

# Outcomes that came and were not fetched yet: (failed, message) by number.
_outcomes = {}
# Futures whose outcomes nobody wants any more.
_unwanted = set()
_starting = False
# The program has ended its job: it can ask for nothing more, and wait for nothing.
_ended = None


def end_job(message, parameters):
    """Ends the job with this slice. Whoever catches what is raised meets it again at the next wait."""
    global _ended
    request('end', parameters)
    _ended = message
    raise JobEnded(message)


def begin_step():
    global _ended, _starting
    _ended = None
    _starting = False


def record(number, failed, message):
    if number in _unwanted:
        _unwanted.discard(number)
    else:
        _outcomes[number] = (failed, message)


def forget(number):
    _outcomes.pop(number, None)
    _unwanted.discard(number)


def drop(number):
    """Nobody will fetch the outcome of this future, whether it has come or not."""
    if _outcomes.pop(number, None) is None:
        _unwanted.add(number)


def is_settled(number):
    return number in _outcomes


def pause():
    """Puts the program aside until something has settled."""
    if _ended is not None:
        raise JobEnded(_ended)
    flush()
    answer = send(PAUSE)
    if answer.startswith('!'):
        raise RuntimeError(answer[1:])


def outcome_of(number):
    """The outcome of a future that has settled: its value, or its exception raised."""
    failed, message = _outcomes.pop(number)
    value = decode(message)
    if not failed:
        return value
    if isinstance(value, BaseException):
        raise value
    raise HostError(f'the application threw {value!r}')


def wait(number):
    while number not in _outcomes:
        pause()
    return outcome_of(number)


def begun(number, made=None):
    """What a call gives that has become a future: its outcome, or the future itself if that was asked for."""
    global _starting
    _place(number, _getframe(1))
    if not _starting:
        value = wait(number)
        return value if made is None else made(value)
    _starting = False
    return Future(number, None, made)


def _place(number, frame):
    """Tells the host where in the code of a step something was asked for."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith('step '):
            _, _, column, _ = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
            send(PLACE, f'{number}\n({code.co_filename}:{frame.f_lineno}:{(column or 0) + 1})')
            return
        frame = frame.f_back


def request(kind, parameters):
    """Asks the host for a timer, a signal or an answer; returns the future's number."""
    if _ended is not None:
        raise JobEnded(_ended)
    answer = send(FUTURE, encode([kind, parameters]))
    if answer.startswith('!'):
        raise decode(answer[1:])
    return decode(answer[1:])


class Future:
    """Something that was started and may have an outcome. `result()` waits for it; `await` works too."""

    __slots__ = ('_number', '_kept', '_made', '__weakref__')

    def __init__(self, number, kept=None, made=None):
        self._number = number
        self._kept = kept
        self._made = made

    def done(self):
        return self._kept is not None or self._number in _outcomes

    def result(self):
        if self._kept is None:
            while self._number not in _outcomes:
                pause()
            try:
                value = outcome_of(self._number)
                self._kept = (True, value if self._made is None else self._made(value))
            except Exception as error:
                self._kept = (False, error)
        fine, value = self._kept
        if fine:
            return value
        raise value

    def exception(self):
        try:
            self.result()
        except Exception as error:
            return error
        return None

    def __await__(self):
        loop = _get_running_loop()
        watch = getattr(loop, 'statek_watch', None)
        if watch is not None and not self.done():
            yield from watch(self._number)
        return self.result()

    def __repr__(self):
        return f'<Future {self._number} {"done" if self.done() else "waiting"}>'


startable = set()


def start(function, /, *arguments, **named):
    """Begins a call to the application (or ask, sleep, until, signal) without waiting; returns a Future."""
    global _starting
    if function not in startable and not getattr(function, '_statek_startable', False):
        raise TypeError('start() takes a function of the application, or delegate, ask, sleep, until or signal')
    _starting = True
    try:
        value = function(*arguments, **named)
    finally:
        _starting = False
    return _future_of(value)


def _future_of(value):
    return value if isinstance(value, Future) else Future(0, (True, value))


def get_all(futures):
    """Waits for everything in a list that was started; returns the results in order, or raises what fails first."""
    every = [_future_of(one) for one in futures]
    while True:
        results = [one.result() for one in every if one.done()]
        if len(results) == len(every):
            return results
        pause()


def get_any(futures):
    """Waits for the first of a list that succeeds, and returns its result; raises if all fail."""
    every = [_future_of(one) for one in futures]
    if not every:
        raise ValueError('get_any() needs something to wait for')
    while True:
        errors = []
        for one in every:
            if one.done():
                error = one.exception()
                if error is None:
                    return one.result()
                errors.append(error)
        if len(errors) == len(every):
            raise ExceptionGroup('none of them succeeded', errors)
        pause()


def waiting(parameters, timeout):
    """The parameters of a wait that ends with an error after so many seconds, if it is told to."""
    if timeout is None:
        return parameters
    return {**parameters, 'timeout': seconds_of(timeout) * 1000}


def ask(question, details=None, *, timeout=None):
    """Asks a person, and waits for the answer, however long that takes."""
    return begun(request('ask', waiting({'question': str(question), 'details': details}, timeout)))


def clarify(question, *, timeout=None):
    """Asks whoever gave the task, and waits for the answer."""
    return begun(request('ask', waiting({'question': str(question), 'details': {'clarify': True}}, timeout)))


def approve(what, details=None, *, timeout=None):
    """Waits until a person approves; raises if it is denied."""
    return begun(request('approve', waiting({'question': str(what), 'details': details}, timeout)))


def signal(name, *, timeout=None):
    """Waits for a signal of that name, and returns what was sent with it."""
    if not isinstance(name, str) or name == '':
        raise TypeError('signal(name) needs a name')
    return begun(request('signal', waiting({'name': name}, timeout)))


def seconds_of(given):
    seconds = given.total_seconds() if isinstance(given, timedelta) else given
    if not isinstance(seconds, (int, float)):
        if not hasattr(seconds, '__float__') and not hasattr(seconds, '__index__'):
            raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as a number of seconds")
        seconds = float(seconds)
    if seconds != seconds or seconds < 0:
        raise ValueError('sleep length must be non-negative')
    return seconds


def sleep(seconds):
    """Waits so many seconds (or a timedelta); the program may move to another process meanwhile."""
    seconds = seconds_of(seconds)
    if seconds == 0 and not _starting:
        return None
    return begun(request('sleep', {'milliseconds': seconds * 1000}))


def until(moment):
    """Waits until a moment: a datetime, a date, or the text of one."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    if isinstance(moment, datetime):
        time = moment.timestamp()
    elif isinstance(moment, date):
        time = datetime(moment.year, moment.month, moment.day).timestamp()
    else:
        raise TypeError('until(moment) needs a datetime')
    return begun(request('until', {'time': round(time * 1000)}))


startable.update((ask, approve, clarify, signal, sleep, until))
