# What only the program of a job can do: end it, and start other jobs. Elsewhere the host refuses each of these.
from _statek.futures import begun, end_job, get_all, request, seconds_of, start, startable, waiting
from _statek.names import camel

_NOTHING = object()


class Subtask:
    """A job that was started and is not waited for, as it was when it was looked at."""

    __slots__ = ('id', 'state', 'outcome', 'result', 'error')

    def __init__(self, told):
        for name in Subtask.__slots__:
            setattr(self, name, told.get(name))

    def __repr__(self):
        told = ', '.join(f'{name}={getattr(self, name)!r}' for name in Subtask.__slots__ if getattr(self, name) is not None)
        return f'Subtask({told})'


def _job(what, agent, message, vars, timeout, options):
    role = agent.get('role') if isinstance(agent, dict) else agent
    if not isinstance(role, str) or role == '':
        raise TypeError(f'{what}(agent, message) needs the role of an agent')
    given = {camel(name): value for name, value in options.items() if value is not None}
    if message is not None:
        given['message'] = message
    if vars is not None:
        given['vars'] = dict(vars)
    if 'keepFor' in given:
        given['keepFor'] = round(seconds_of(given['keepFor']) * 1000)
    if isinstance(given.get('retry'), dict):
        given['retry'] = {
            name: round(seconds_of(value) * 1000) if name in ('backoff', 'longest') else value
            for name, value in given['retry'].items()
        }
    return waiting({'role': role, 'options': given}, timeout)


def delegate(agent, message=None, *, vars=None, timeout=None, **options):
    """Gives work to another agent, and waits for its result. It has only the variables it is given."""
    return begun(request('child', _job('delegate', agent, message, vars, timeout, options)))


def delegate_mute(agent, message=None, *, vars=None, timeout=None, **options):
    """Gives work to another agent that sends nothing to anybody: what it would have said is the result."""
    return begun(request('child', _job('delegate_mute', agent, message, vars, timeout, {**options, 'mute': True})))


class Conversation:
    """A conversation with another agent: what it answered last, and how to say more to it."""

    __slots__ = ('id', 'answer')

    def __init__(self, told):
        self.id = told['id']
        self.answer = told['answer']

    def say(self, message):
        """Says more to it, and waits for its answer."""
        return begun(request('subtask', {'action': 'say', 'id': self.id, 'message': message}), self._answered)

    def _answered(self, told):
        self.answer = told['answer']
        return self.answer

    def __repr__(self):
        return f'Conversation(id={self.id!r}, answer={self.answer!r})'


def delegate_dialog(agent, message=None, *, vars=None, timeout=None, **options):
    """Gives work to another agent, which stays there to be talked with."""
    asked = _job('delegate_dialog', agent, message, vars, timeout, options)
    return begun(request('child', {'dialog': True, **asked}), Conversation)


def delegate_all(agent, every):
    """Gives work to many at once, each with the named arguments in a dict; waits for all results, or raises what fails first."""
    return get_all([start(delegate, agent, **given) for given in every])


def start_subtask(agent, message=None, *, vars=None, timeout=None, **options):
    """Gives work to another agent without waiting: its end arrives as a notice."""
    asked = _job('start_subtask', agent, message, vars, timeout, options)
    return begun(request('subtask', {'action': 'start', **asked}), Subtask)


def find_subtask(task):
    """How a subtask is doing, by its id; None if there is no such subtask."""
    name = task.id if isinstance(task, Subtask) else str(task)
    return begun(request('subtask', {'action': 'find', 'id': name}), lambda told: told and Subtask(told))


def complete_subtask(value=None):
    """Answers whoever started this job as a subtask, and goes on."""
    return begun(request('subtask', {'action': 'complete', 'value': value}))


def exit(value=_NOTHING):
    """Ends the job; the value is its result."""
    end_job('The job has ended with exit().', {'outcome': 'completed', **({} if value is _NOTHING else {'value': value})})


def fail(reason='The program called fail().'):
    """Ends the job: it could not be done."""
    end_job('The job has ended with fail().', {'outcome': 'failed', 'reason': str(reason)})


startable.update((delegate, delegate_mute, delegate_dialog, start_subtask, find_subtask, complete_subtask))
functions = (
    delegate,
    delegate_mute,
    delegate_dialog,
    delegate_all,
    start_subtask,
    find_subtask,
    complete_subtask,
    exit,
    fail,
)
