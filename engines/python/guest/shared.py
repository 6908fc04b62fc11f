# Values that other programs share: they are read under their names like any variable. A step that would bind such a name is refused
# before any of it runs, as Python itself refuses to assign to None; what code writes past that is put right before the next step.
import ast
import json
import sys
from keyword import iskeyword

from _statek.names import snake

_names = sys.modules['__main__'].__dict__
_builtins = sys.modules['builtins'].__dict__
# Where each name stands, and its value: under its own name among the variables, under the usual one beside the builtins.
_shared = {}
_functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_scopes = (*_functions, ast.ClassDef)
_comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def share(given):
    """Shares values, given as JSON. A name that means something else already is left alone."""
    for name, value in json.loads(given).items():
        usual = snake(name)
        _put(name, value, _names)
        if usual != name:
            _put(usual, value, _builtins)


def _put(name, value, place):
    is_free = name not in _names and name not in _builtins
    if name.isidentifier() and not iskeyword(name) and (name in _shared or is_free):
        _shared[name] = (place, value)
        place[name] = value


def check(tree, source, step):
    """Refuses a step that would bind a name others share."""
    if not _shared:
        return
    for name, (place, value) in _shared.items():
        if place is _builtins:
            _names.pop(name, None)
        place[name] = value
    found = [(node.lineno, node.col_offset, name) for name, node in _bindings(tree) if name in _shared]
    if found:
        line, column, name = min(found)
        text = source.split('\n')[line - 1]
        offset = len(text.encode()[:column].decode(errors='replace')) + 1
        what = f'cannot assign to {name}: it is remembered, and others share it; remember({name!r}, value) changes it'
        raise SyntaxError(what, (step, line, offset, text))


def _bindings(tree):
    """The names a step binds among the variables of the program, each with the node that does it."""
    # With each node the names that are the program's there: all of them, or those a function declares global.
    left = [(tree, None)]
    while left:
        node, declared = left.pop()
        for name in _bound_by(node):
            if declared is None or name in declared:
                yield name, node
        if isinstance(node, _scopes):
            inside = node.body if isinstance(node.body, list) else [node.body]
            own = _declared_global(inside)
            left += [(one, own) for one in inside]
            left += [(one, declared) for one in _around(node)]
        elif isinstance(node, _comprehensions):
            # Its own variables stay inside; what := names does not.
            for generator in node.generators:
                left += [(one, declared) for one in (generator.iter, *generator.ifs)]
            parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            left += [(one, declared) for one in parts if one is not None]
        else:
            left += [(one, declared) for one in ast.iter_child_nodes(node)]


def _bound_by(node):
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.alias(name=name, asname=other):
            return (other or name.partition('.')[0],)
        case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name) | ast.MatchMapping(rest=name):
            return (name,)
    return ()


def _declared_global(body):
    found = set()
    left = list(body)
    while left:
        node = left.pop()
        if isinstance(node, ast.Global):
            found.update(node.names)
        if not isinstance(node, _scopes):
            left += ast.iter_child_nodes(node)
    return found


def _around(node):
    """What of a function or class is evaluated outside of it."""
    arguments = [*node.args.defaults, *filter(None, node.args.kw_defaults)] if isinstance(node, _functions) else []
    return [*getattr(node, 'decorator_list', ()), *getattr(node, 'bases', ()), *getattr(node, 'keywords', ()), *arguments]
