# asyncio on durable waits: where another loop would sleep or poll, this one puts the program aside.
import asyncio
import asyncio.events

from _statek.futures import drop, is_settled, pause, request


class _Waits:
    """Stands where a loop has its selector: what it waits for are futures of the host."""

    def __init__(self):
        self.watched = {}

    def select(self, timeout):
        if timeout is None or timeout > 0:
            self.wait(timeout)
        for number in [number for number in self.watched if is_settled(number)]:
            future = self.watched.pop(number)
            if not future.done():
                future.set_result(None)
        return ()

    def wait(self, timeout):
        timer = None
        if timeout is not None:
            timer = request('sleep', {'milliseconds': timeout * 1000})
        while not (timer is not None and is_settled(timer)) and not any(map(is_settled, self.watched)):
            pause()
        if timer is not None:
            drop(timer)

    def get_map(self):
        return {}

    def close(self):
        self.watched.clear()


class DurableLoop(asyncio.BaseEventLoop):
    """The event loop of a workspace. Timers and calls to the application outlive the process."""

    def __init__(self):
        super().__init__()
        self._selector = _Waits()
        self.slow_callback_duration = float('inf')

    def statek_watch(self, number):
        future = self.create_future()
        self._selector.watched[number] = future
        return future.__iter__()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def close(self):
        if self.is_running():
            raise RuntimeError('Cannot close a running event loop')
        self._selector.close()
        super().close()

    def run_in_executor(self, executor, function, *arguments):
        # There are no threads: what would run beside the loop runs at once.
        future = self.create_future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


class _Policy(asyncio.events._AbstractEventLoopPolicy):
    def __init__(self):
        self._loop = None

    def get_event_loop(self):
        if self._loop is None:
            raise RuntimeError('There is no current event loop.')
        return self._loop

    def set_event_loop(self, loop):
        self._loop = loop

    def new_event_loop(self):
        return DurableLoop()


_own = None


def run_to_end(coroutine):
    """Runs a step that awaits at its top level, always on the same loop."""
    global _own
    if _own is None or _own.is_closed():
        _own = DurableLoop()
    task = _own.create_task(coroutine)
    return _own.run_until_complete(task)


def install():
    asyncio.events._event_loop_policy = _Policy()
    asyncio.EventLoop = asyncio.SelectorEventLoop = DurableLoop
