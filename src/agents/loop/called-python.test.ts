import { expect, it } from 'vitest';
import { calledPythonTool } from './called-python.ts';

it.each([
  ['find()', { name: 'find', positional: [] }],
  ['x = find("a", days=[1, 2])', { name: 'find', positional: ['a'], named: { days: [1, 2] }, variable: 'x' }],
  ["find('it''s')", undefined],
  ['find(\'it\\\'s\', "a\\"b")', { name: 'find', positional: ["it's", 'a"b'] }],
  [
    'find(True, None, -1.5e3, (1, 2), {"a": {1: False}})',
    { name: 'find', positional: [true, null, -1500, [1, 2], { a: { 1: false } }] },
  ],
  ['# first\nfind(today)  # why\n', { name: 'find', positional: ['today'] }],
  ['find(user.name, f(1, [2]), n + 1)', undefined],
  ['find(user.name, f(1, [2])[0])', { name: 'find', positional: ['…', '…'] }],
  ['find(__proto__=1)', { name: 'find', positional: [], named: { ['__proto__']: 1 } }],
  ['user.find()', undefined],
  ['find(); more()', undefined],
  ['find("a" "b")', undefined],
  ['find([1 2])', undefined],
  ['find({"__proto__": {"a": 1}})', { name: 'find', positional: [{ ['__proto__']: { a: 1 } }] }],
  ['find("#", 1) # find(2)', { name: 'find', positional: ['#', 1] }],
  ['find(', undefined],
  ['', undefined],
] as const)('reads %j', (source, expected) => {
  expect(calledPythonTool(source)).toEqual(expected);
});
