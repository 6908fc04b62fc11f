// The program of the continuation tests: loops inside functions inside Promise.all, with try/finally, closures, a class
// instance, a half-consumed generator and a Map of handles, waiting for signals in the middle.

export const program = `
class Counter {
  #count = 0;
  constructor(readonly name: string) {}
  next(): number { return ++this.#count; }
}
const counter = new Counter('steps');
function* letters() { for (const letter of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) yield letter; }
const generator = letters();
const first = generator.next().value;
const books = new Map([['ledger', ledger], ['again', ledger]]);
const log: string[] = [];

async function worker(name: string, rounds: number): Promise<string> {
  let total = 0;
  const remember = (value: number) => { total += value; return total; };
  try {
    for (let round = 1; round <= rounds; round++) {
      const value = await signal('go ' + name + ' ' + round);
      const line = name + round + ' ' + generator.next().value + ' ' + counter.next() + ' ' + remember(value);
      print(line);
      log.push(line);
      books.get(round % 2 ? 'ledger' : 'again').note(line);
    }
    return name + '=' + total;
  } finally {
    print(name + ' is done');
  }
}

print('begin ' + first);
const results = await Promise.all([worker('x', 3), worker('y', 3)]);
print('end');
({ results, count: counter.next(), same: books.get('ledger') === books.get('again'), rest: [...generator], log })
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
