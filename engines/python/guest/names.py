# Names as each side writes them: snake_case here, camelCase there. A word of the language gets an underscore behind it.
import re
from keyword import iskeyword

_boundary = re.compile(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])')
_joint = re.compile(r'(?<=[A-Za-z0-9])_+([a-z0-9])')


def snake(name):
    if name.isupper():
        return name
    made = _boundary.sub('_', name).lower()
    return made + '_' if iskeyword(made) else made


def camel(name):
    if name.endswith('_') and iskeyword(name[:-1]):
        return name[:-1]
    return _joint.sub(lambda match: match[1].upper(), name)
