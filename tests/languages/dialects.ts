// The same programs in each language, so that one suite can hold both to the same promises.

export interface Dialect {
  readonly language: 'typescript' | 'python';
  /** Programs by what they do; the suite says what must come of them. */
  readonly code: Readonly<Record<Program, string>>;
  readonly modules: Readonly<Record<string, string>>;
}

export type Program =
  | 'assign' // x is 20
  | 'useX' // x + 1
  | 'readX' // x
  | 'increaseX' // x grows by one
  | 'nothing' // a step without a value
  | 'define' // a function `add` with a counter behind it, and an object `kept` of a class
  | 'useDefined' // calls add(2), add(3) and gives [the second result, kept's field]
  | 'print' // prints hello 1, then two
  | 'assignThenFail' // x is 5, then an error 'broken' on line 2
  | 'mistake' // a mistake in the text on line 2
  | 'endless' // runs without end, and catches everything it can
  | 'greedy' // takes all memory there is, and keeps it out of variables
  | 'deep' // recurses without end
  | 'field' // account.owner
  | 'setField' // account.owner is 'Grace'; gives it
  | 'call' // account.deposit(5)
  | 'hostError' // catches what account.fail() throws; gives its text
  | 'callBack' // each([1, 2], doubled)
  | 'late' // late(4) + 1
  | 'lateFails' // catches what lateFail() is rejected with; gives its text
  | 'sleepAndTell' // sleeps 10 ms, gives 'slept'
  | 'ask' // ask('name?'), gives 'hello ' and the answer
  | 'signal' // waits for the signal 'go', gives what was sent
  | 'loopOfSignals' // waits for 'go' three times; gives the sum
  | 'signalThenEndless' // waits for 'go', then runs without end
  | 'waitForNothing' // waits for what nothing can end
  | 'keepTransient' // keeps what account.child() gives in the variable held
  | 'useTransient' // account.child().name
  | 'trap' // a variable whose printing would change x
  | 'import' // imports `twice` from the module and gives twice(4)
  | 'importMissing' // imports what is not registered
  | 'random' // a random number
  | 'localHour' // the local hour of 2026-07-01T12:00Z
  | 'manyFutures'; // asks for more timers than allowed

export const typescript: Dialect = {
  language: 'typescript',
  modules: { tools: 'export const twice = (x) => 2 * x;' },
  code: {
    assign: 'let x = 20',
    useX: 'x + 1',
    readX: 'x',
    increaseX: 'x = x + 1',
    nothing: 'if (false) {}',
    define:
      'let count = 0\nfunction add(n: number) { count += n; return count }\nclass Kept { field = "kept" }\nconst kept = new Kept()',
    useDefined: 'add(2)\nconst second = add(3);\n[second, kept.field]',
    print: "print('hello', 1)\nprint('two')",
    assignThenFail: "x = 5\nthrow new Error('broken')",
    mistake: 'let y = 1\nlet = = 2',
    endless: 'for (;;) try { for (;;); } catch {} finally {}',
    greedy: '(() => { const all = []; for (;;) all.push(new Uint8Array(100000).fill(1)) })()',
    deep: 'const down = () => down() + 1\ndown()',
    field: 'account.owner',
    setField: "account.owner = 'Grace'\naccount.owner",
    call: 'account.deposit(5)',
    hostError: 'let text\ntry { account.fail() } catch (error) { text = error.message }\ntext',
    callBack: 'each([1, 2], (n) => n * 2)',
    late: '(await late(4)) + 1',
    lateFails: 'let why\ntry { await lateFail() } catch (error) { why = error.message }\nwhy',
    sleepAndTell: "await sleep(10)\n'slept'",
    ask: "'hello ' + (await ask('name?'))",
    signal: "await signal('go')",
    loopOfSignals: "let sum = 0\nfor (let i = 0; i < 3; i++) sum += await signal('go')\nsum",
    signalThenEndless: "await signal('go')\nfor (;;);",
    waitForNothing: 'await new Promise(() => {})',
    keepTransient: 'const held = account.child()',
    useTransient: 'account.child().name',
    trap: 'const trap = { get now() { x = -1; return 1 }, toString() { x = -1; return "" } }',
    import: "import { twice } from 'tools'\ntwice(4)",
    importMissing: "import { nothing } from 'not-there'\nnothing",
    random: 'Math.random()',
    localHour: "new Date('2026-07-01T12:00:00Z').getHours()",
    manyFutures: 'for (let i = 0; i < 50; i++) sleep(1000)',
  },
};

export const python: Dialect = {
  language: 'python',
  modules: { 'tools.py': 'def twice(x): return 2 * x\n' },
  code: {
    assign: 'x = 20',
    useX: 'x + 1',
    readX: 'x',
    increaseX: 'x = x + 1',
    nothing: 'if False: pass',
    define:
      'count = 0\ndef add(n):\n    global count\n    count += n\n    return count\nclass Kept:\n    def __init__(self): self.field = "kept"\nkept = Kept()',
    useDefined: 'add(2)\nsecond = add(3)\n[second, kept.field]',
    print: "print('hello', 1)\nprint('two')",
    assignThenFail: "x = 5\nraise ValueError('broken')",
    mistake: 'y = 1\nlet = = 2',
    endless: 'while True:\n    try:\n        while True: pass\n    except BaseException: pass\n    finally: pass',
    greedy: '(lambda: [bytearray(b"x" * 100000) for _ in iter(int, 1)])()',
    deep: 'def down(): return down() + 1\ndown()',
    field: 'account.owner',
    setField: "account.owner = 'Grace'\naccount.owner",
    call: 'account.deposit(5)',
    hostError: 'try:\n    account.fail()\nexcept Exception as error:\n    text = str(error)\ntext',
    callBack: 'each([1, 2], lambda n: n * 2)',
    late: 'late(4) + 1',
    lateFails: 'try:\n    lateFail()\nexcept Exception as error:\n    why = str(error)\nwhy',
    sleepAndTell: "sleep(0.01)\n'slept'",
    ask: "'hello ' + ask('name?')",
    signal: "signal('go')",
    loopOfSignals: "sum(signal('go') for _ in range(3))",
    signalThenEndless: "signal('go')\nwhile True: pass",
    waitForNothing: 'import asyncio\nawait asyncio.get_running_loop().create_future()',
    keepTransient: 'held = account.child()',
    useTransient: 'account.child().name',
    trap: 'class Trap:\n    def __repr__(self):\n        global x\n        x = -1\n        return ""\n    now = property(__repr__)\ntrap = Trap()',
    import: 'from tools import twice\ntwice(4)',
    importMissing: 'import not_there',
    random: 'import random\nrandom.random()',
    localHour: 'import time\ntime.localtime(1782907200).tm_hour',
    manyFutures: 'for _ in range(50): start(sleep, 1000)',
  },
};
