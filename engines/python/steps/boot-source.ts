// The boot code as one piece of text: the modules in guest/, each made in the order of their imports, after the parts of the
// standard library that most programs use.
import { readFileSync } from 'node:fs';

const folder = new URL('../guest/', import.meta.url);

/** In the order in which they import each other. */
export const guestModules = [
  'channel',
  'failures',
  'names',
  'wire',
  'console',
  'futures',
  'jobs',
  'callbacks',
  'handles',
  'live',
  'records',
  'shown',
  'text',
  'loop',
  'sandbox',
  'shared',
  'program',
] as const;

/** What is there without an import taking time; the rest of the library is read when it is asked for. */
const preloaded = [
  ...[
    'abc',
    'array',
    'ast',
    'asyncio',
    'base64',
    'binascii',
    'bisect',
    'calendar',
    'cmath',
    'collections',
    'contextlib',
  ],
  ...[
    'copy',
    'csv',
    'dataclasses',
    'datetime',
    'decimal',
    'difflib',
    'enum',
    'fractions',
    'functools',
    'gc',
    'hashlib',
  ],
  ...[
    'heapq',
    'html',
    'inspect',
    'io',
    'itertools',
    'json',
    'keyword',
    'linecache',
    'math',
    'numbers',
    'operator',
    'os',
  ],
  ...['pathlib', 'pickle', 'pprint', 'queue', 'random', 're', 'secrets', 'statistics', 'string', 'struct', 'textwrap'],
  ...[
    'threading',
    'time',
    'traceback',
    'types',
    'typing',
    'unicodedata',
    'urllib.parse',
    'uuid',
    'warnings',
    'weakref',
  ],
  ...['zlib', 'zoneinfo', '_strptime'],
];

export function guestFiles(): Record<string, string> {
  return Object.fromEntries(guestModules.map((name) => [name, readFileSync(new URL(`${name}.py`, folder), 'utf8')]));
}

export function bootSource(): string {
  return `
import sys, types
import ${preloaded.join(', ')}
def boot(sources):
    import contextvars
    package = types.ModuleType('_statek')
    package.__path__ = []
    sys.modules['_statek'] = package
    for name, source in sources.items():
        module = sys.modules['_statek.' + name] = types.ModuleType('_statek.' + name)
        setattr(package, name, module)
        exec(compile(source, '<statek ' + name + '>', 'exec'), module.__dict__)
    # Guest code cannot import it; the context of the thread that the host uses keeps it alive.
    for name in ['_statek', *('_statek.' + name for name in sources)]:
        del sys.modules[name]
    contextvars.ContextVar('statek').set(package)
    package.program.boot()
boot(${JSON.stringify(guestFiles())})
`;
}
