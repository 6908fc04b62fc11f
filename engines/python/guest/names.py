# Names as each side writes them: snake_case here, camelCase there.
import re

_boundary = re.compile(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])')
_joint = re.compile(r'(?<=[A-Za-z0-9])_+([a-z0-9])')


def snake(name):
    return _boundary.sub('_', name).lower() if not name.isupper() else name


def camel(name):
    return _joint.sub(lambda match: match[1].upper(), name)
