// Text made to hurt: nested, long or huge. It is compiled or refused, and quickly; the process goes on.
import { describe, expect, it } from 'vitest';
import { compileCell } from './cell.ts';
import { CellError } from './errors.ts';

function compile(source: string): string {
  try {
    compileCell(source, { name: 'step', modules: new Set(), maxBytes: 4_000_000 });
    return 'compiled';
  } catch (error) {
    if (error instanceof CellError) return error.code;
    throw error;
  }
}

const pairs: readonly (readonly [open: string, close: string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['x={a:', '}'],
  ['`${', '}`'],
  ['a(', ')'],
  ['a[', ']'],
  ['function f(){', '}'],
  ['class A{static{', '}}'],
  ['try{', '}catch{}'],
  ['x=<T>(y=', ')=>1'],
  ['[...', ']'],
  ['let [', ']'],
  ['type T=[', ']'],
  ['let x: Array<', '>'],
  ['a?', ':1'],
];

const prefixes: readonly string[] = [
  '!',
  '- ',
  'typeof ',
  'await ',
  'new ',
  'x=>',
  'async x=>',
  'a=',
  'a?b:',
  'if(1)',
  'if(1){}else ',
  'while(1)',
  'for(;;)',
  'do ',
  'l:',
  'a<',
  '<any>',
  '(',
  '{',
  '[',
  '`${',
  '/*',
  '"',
  'let x:',
  'type A=keyof ',
  'a.',
  'a=>{',
  'yield ',
  'function ',
  'class ',
  'enum A{',
  '@a ',
];

const chains: readonly string[] = [
  '+1',
  '**1',
  '&&1',
  '??1',
  '.b',
  '?.b',
  '()',
  '[0]',
  '``',
  '!',
  ' as any',
  ',1',
  ' in a',
  '?1:1',
  '[]',
  '|1',
];

const depth = 20_000;

describe('depth', () => {
  it.each(pairs)('%s…%s', (open, close) => {
    expect(compile(open.repeat(depth) + close.repeat(depth))).toBeTypeOf('string');
    expect(compile(`${open.repeat(depth)}1${close.repeat(depth)}`)).toBeTypeOf('string');
  });

  it.each(prefixes)('%s…', (prefix) => {
    expect(compile(prefix.repeat(depth))).toBeTypeOf('string');
    expect(compile(`${prefix.repeat(depth)}1`)).toBeTypeOf('string');
  });

  it.each(chains)('a%s…', (link) => {
    expect(compile(`a${link.repeat(depth)}`)).toBeTypeOf('string');
    expect(compile(`let a: b${link.repeat(depth)}`)).toBeTypeOf('string');
  });

  it('is refused as such, and the next cell compiles', () => {
    expect(compile(`${'('.repeat(100_000)}1${')'.repeat(100_000)}`)).toBe('CELL_TOO_LARGE');
    expect(compile('1 + 1')).toBe('compiled');
  });

  it('in syntax that is tried in two ways at each level is stopped', () => {
    const start = performance.now();
    expect(compile(`${'<any>('.repeat(60)}1${')'.repeat(60)}`)).toBe('CELL_TOO_LARGE');
    expect(compile(`${'`${<T>('.repeat(60)}1${')}`'.repeat(60)}`)).toBe('CELL_TOO_LARGE');
    expect(performance.now() - start).toBeLessThan(15_000);
  });

  it('does not count for long sums', () => {
    expect(compile(`const text = ${'"line" +\n'.repeat(2000)}""`)).toBe('compiled');
  });
});

describe('size', () => {
  it.each([
    ['a million characters on one line', `const data = [${'12345,'.repeat(166_000)}]; data.length`],
    ['a million characters in one string', `"${'é'.repeat(500_000)}".length`],
    ['many lines', 'const a = 1\n'.repeat(1).concat('f(a as number)\n'.repeat(30_000))],
    ['many comments', '// { ( [\n'.repeat(100_000)],
    ['slashes', '/'.repeat(1_000_000)],
    ['spaces', ' '.repeat(1_000_000)],
    ['line ends', '\r\n'.repeat(500_000)],
    ['a comment that never ends', `/*${' *'.repeat(500_000)}`],
    ['a frame in a long line', `${'x'.repeat(500_000)} ${'y'.repeat(500_000)}`],
  ])('%s', (_, source) => {
    const start = performance.now();
    expect(compile(source)).toBeTypeOf('string');
    // Generous: it is about seconds against minutes.
    expect(performance.now() - start).toBeLessThan(15_000);
  });

  it('past the limit is refused without reading it', () => {
    expect(() => compileCell('x'.repeat(1_048_577), { name: 'step', modules: new Set() })).toThrow(
      expect.objectContaining({ code: 'CELL_TOO_LARGE' }),
    );
  });
});
