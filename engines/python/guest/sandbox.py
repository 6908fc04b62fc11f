# What a workspace has instead of a machine: durable sleep, modules of the application, time zones; and clear exceptions for the
# rest. Nothing here keeps guest code in; the host does that. It only says things in Python's own terms.
import builtins
import calendar
import importlib.machinery
import os
import random
import sys
import time
import zoneinfo

from _statek import failures, futures, jobs
from _statek.channel import MODULE, ZONES, send
from _statek.wire import decode

_missing = {
    'js': 'JavaScript',
    'pyodide': 'JavaScript',
    'pyodide_js': 'JavaScript',
    '_pyodide': 'JavaScript',
    '_pyodide_core': 'JavaScript',
    'ctypes': 'Foreign code',
    '_ctypes': 'Foreign code',
}


class _Application:
    """Finds modules the application registered, and says which do not exist here."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        root = name.partition('.')[0]
        if root in _missing:
            raise ModuleNotFoundError(f"No module named '{name}': {_missing[root]} cannot be reached from a workspace", name=name)
        if root in sys.stdlib_module_names:
            return None
        answer = send(MODULE, name)
        if not answer.startswith('='):
            return None
        kind, _, source = answer[1:].partition('\n')
        loader = _Loader(source)
        place = name.replace('.', '/')
        spec = importlib.machinery.ModuleSpec(name, loader, is_package=kind == 'package')
        spec.origin = f'{place}/__init__.py' if kind == 'package' else f'{place}.py'
        return spec


class _Loader:
    def __init__(self, source):
        self.source = source

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        source, self.source = self.source, None
        exec(compile(source, module.__spec__.origin, 'exec', dont_inherit=True), module.__dict__)


def _refused(what, error=PermissionError):
    def refused(*_, **__):
        raise error(what)

    return refused


def _zones():
    answer = send(ZONES)
    return set(decode(answer[1:]))


def reseed(seed):
    """A new program: its dice, and the constants that tell its time zone."""
    random.seed(seed)
    year = time.gmtime().tm_year
    winter, summer = sorted(
        (time.localtime(calendar.timegm((year, month, 1, 0, 0, 0))) for month in (1, 7)), key=lambda local: local.tm_gmtoff
    )
    time.timezone, time.altzone = -winter.tm_gmtoff, -summer.tm_gmtoff
    time.tzname = (winter.tm_zone, summer.tm_zone)
    time.daylight = int(winter.tm_gmtoff != summer.tm_gmtoff)


def install():
    sys.meta_path.insert(0, _Application)
    time.sleep = futures.sleep
    builtins.input = _refused('a workspace has no keyboard; use ask(question)', EOFError)
    for name in ('system', '_exit', 'abort', 'kill', 'killpg', 'popen'):
        if hasattr(os, name):
            setattr(os, name, _refused(f'os.{name} does not exist in a workspace: there are no processes'))
    zoneinfo.reset_tzpath(['/usr/share/zoneinfo'])
    zoneinfo.available_timezones = _zones
    for name in ('ask', 'approve', 'clarify', 'signal', 'sleep', 'until', 'start', 'get_all', 'get_any'):
        setattr(builtins, name, getattr(futures, name))
    for function in jobs.functions:
        setattr(builtins, function.__name__, function)
    for kind in (failures.HostError, failures.CancelledError, failures.OutcomeUnknownError):
        kind.__module__ = 'builtins'
        setattr(builtins, kind.__name__, kind)
