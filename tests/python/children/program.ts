// The program of the continuation test: loops inside generators inside a function, with try/finally, closures, a class instance, a
// half-consumed generator and a dictionary of handles, waiting for signals in the middle. There is no `await` in it.

export const program = `
class Counter:
    def __init__(self, name):
        self.name = name
        self._count = 0

    def next(self):
        self._count += 1
        return self._count

counter = Counter('steps')
letters = (letter for letter in 'abcdefgh')
first = next(letters)
books = {'ledger': ledger, 'again': ledger}
log = []

def worker(name, rounds):
    total = 0
    def remember(value):
        nonlocal total
        total += value
        return total
    try:
        for round in range(1, rounds + 1):
            value = signal(f'go {name} {round}')
            line = f'{name}{round} {next(letters)} {counter.next()} {remember(value)}'
            print(line)
            log.append(line)
            books['ledger' if round % 2 else 'again'].note(line)
            yield
        return f'{name}={total}'
    finally:
        print(name, 'is done')

def work(*order):
    workers = {'x': worker('x', 3), 'y': worker('y', 3)}
    results = {}
    for name in order:
        try:
            next(workers[name])
        except StopIteration as end:
            results[name] = end.value
    return [results[name] for name in 'xy']

print('begin', first)
results = work(*'xyyxxxyy')
print('end')
dict(results=results, count=counter.next(), same=books['ledger'] is books['again'], rest=list(letters), log=log)
`;

/** The signals, in the order in which they are sent. */
export const signals = [
  ['go x 1', 1],
  ['go y 1', 10],
  ['go y 2', 20],
  ['go x 2', 2],
  ['go x 3', 3],
  ['go y 3', 30],
] as const;

export const expectedConsole = [
  'begin a',
  'x1 b 1 1',
  'y1 c 2 10',
  'y2 d 3 30',
  'x2 e 4 3',
  'x3 f 5 6',
  'x is done',
  'y3 g 6 60',
  'y is done',
  'end',
];

export const expectedValue = {
  results: ['x=6', 'y=60'],
  count: 7,
  same: true,
  rest: ['h'],
  log: expectedConsole.filter((line) => /^[xy]\d/.test(line)),
};
