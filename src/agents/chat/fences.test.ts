import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { piecesOf } from './fences.ts';

const fence = '```';

it('finds prose and code in order, with the line where code begins', () => {
  const pieces = piecesOf(`First.\n${fence}ts\nlet x = 1\n${fence}\nThen.`);
  expect(pieces).toMatchObject([
    { kind: 'prose', text: 'First.' },
    { kind: 'fence', label: 'ts', code: 'let x = 1', line: 3, closed: true },
    { kind: 'prose', text: 'Then.' },
  ]);
});

it('takes a longer fence around a shorter one, and tildes', () => {
  expect(piecesOf(`${fence}\`md\n${fence}ts\n1\n${fence}\n${fence}\``)).toMatchObject([
    { label: 'md', code: `${fence}ts\n1\n${fence}` },
  ]);
  expect(piecesOf('~~~python\nx = 1\n~~~')).toMatchObject([{ label: 'python', code: 'x = 1' }]);
});

it('says that a fence was never closed', () => {
  expect(piecesOf(`${fence}ts\nlet x`)).toMatchObject([{ kind: 'fence', code: 'let x', closed: false }]);
});

it('does not take code within a line for a fence', () => {
  expect(piecesOf(`${fence}x${fence} is code`)).toMatchObject([{ kind: 'prose' }]);
});

it('removes the indent of the fence from its code, and no more', () => {
  expect(piecesOf(`  ${fence}ts\n    deep\n  flat\n  ${fence}`)).toMatchObject([{ code: '  deep\nflat' }]);
});

it('loses nothing of a reply', () => {
  const line = fc.oneof(
    fc.constantFrom(fence, `${fence}ts`, '~~~', '~~~~py', `${fence}\``, '', ' ', 'text', '  code()', '`x`'),
    fc.string({ maxLength: 8 }).map((text) => text.replaceAll('\n', ' ')),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const kept = piecesOf(lines.join('\n')).map(({ text }) => text);
      // Only empty prose between fences may go.
      expect(
        kept
          .join('\n')
          .split('\n')
          .filter((text) => text.trim() !== ''),
      ).toEqual(lines.filter((text) => text.trim() !== ''));
    }),
  );
});
