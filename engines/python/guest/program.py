# What the host enters the guest for: to run a step, to do something with the program's state, to call a function back. The host
# knows the three functions by their place in memory.
import ast
import gc
import inspect
import sys

from _statek import callbacks, console, futures, handles, loop, sandbox, shared, shown, text
from _statek.channel import STEP_ENDED, give, receive, send
from _statek.names import snake
from _statek.wire import decode, dumps, encode_result, error_message, loads

_main = sys.modules['__main__']
_names = _main.__dict__
_builtins = sys.modules['builtins'].__dict__
# Variables the application gave under another name than is usual here, by the usual one.
_given = {}
_flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def run_step():
    """Runs one step to its end, which may be years away, and reports it."""
    number, _, source = receive().partition('\n')
    futures.begin_step()
    try:
        ended = '=' + _value_of(source, f'step {number}')
    except BaseException as error:
        ended = '!' + error_message(error)
    console.flush()
    send(STEP_ENDED, f'{number}\n{ended}')


def _value_of(source, name):
    tree = ast.parse(source, name)
    shared.check(tree, source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if tree.body:
        _run(compile(tree, name, 'exec', _flags, dont_inherit=True))
    if last is None:
        return '[["u"]]'
    value = _run(compile(ast.Expression(last.value), name, 'eval', _flags, dont_inherit=True))
    # The value for the application, and below it as the author is shown it.
    return f'{encode_result(value)}\n{text.text_of(value)}'


def _run(code):
    if code.co_flags & inspect.CO_COROUTINE:
        return loop.run_to_end(eval(code, _names))
    return eval(code, _names)


def control():
    """Does one thing the host asks for while no step runs."""
    request, _, rest = receive().partition('\n')
    try:
        answer = '=' + (_controls[request](rest) or '')
    except BaseException as error:
        answer = '!' + error_message(error)
    give(answer)


def _define(rest):
    name, _, message = rest.partition('\n')
    value = _names[name] = decode(message)
    # Under the name it would have here it is found beside the builtins, so that it is one variable and not two.
    usual = snake(name)
    if usual != name and (usual not in _builtins or usual in _given):
        _given[usual] = name
        _builtins[usual] = value


def _settle(rest):
    number, failed, message = rest.split('\n', 2)
    futures.record(int(number), failed == '1', message)


def _forget(rest):
    futures.forget(int(rest))


def _held(_):
    return dumps(handles.held_tokens())


def _variables(rest):
    names = [name for name in list(_names) if type(name) is str and name not in _hidden]
    return shown.show(names, [_names[name] for name in names], loads(rest))


def _collect(_):
    gc.collect()


def _reseed(rest):
    sandbox.reseed(int(rest))


_controls = {
    'define': _define, 'settle': _settle, 'forget': _forget, 'held': _held, 'variables': _variables, 'collect': _collect,
    'reseed': _reseed,
}


def print_locals():
    """Prints the variables; what can only be called, and modules, are left out."""
    usual = {name: one for one, name in _given.items() if one not in _names}
    for name, value in list(_names.items()):
        if type(name) is not str or name in _hidden or type(value) in _left_out:
            continue
        console.print(f'{usual.get(name, name)} = {text.shown(value)}')


_left_out = (handles.HostFunction, type(sys))


def boot():
    global _hidden
    console.install()
    loop.install()
    sandbox.install()
    _builtins['print_locals'] = print_locals
    _builtins['__statek_share__'] = shared.share
    _names.clear()
    _names.update(__name__='__main__', __doc__=None, __package__=None, __loader__=None, __spec__=None, __builtins__=sys.modules['builtins'])
    _names['__annotations__'] = {}
    _hidden = frozenset([*_names, '__annotate__', '__conditional_annotations__', '__warningregistry__'])
    sys.argv = ['']
    gc.collect()
    # What is there from the beginning is never garbage; collections leave it, and so its pages, alone.
    gc.freeze()
    give(f'{id(run_step)} {id(control)} {id(callbacks.called_back)}')
