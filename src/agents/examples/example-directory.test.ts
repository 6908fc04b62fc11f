// A folder of examples is listed by number and searched by number and name.
import { expect, test } from 'vitest';
import { MemoryFiles } from '../files/text-files.ts';
import { ExampleDirectory } from './example-directory.ts';

const file = (name: string, number?: number): string =>
  `# name: ${name}\n${number === undefined ? '' : `# seq_id: ${number}\n`}\n\`\`\`ts\n1\n\`\`\``;

const directory = new ExampleDirectory('ex', {
  files: new MemoryFiles({
    'ex/clerk/b.md': file('Move a meeting', 20),
    'ex/clerk/deep/a.md': file('Cancel a meeting', 10),
    'ex/clerk/last_one.md': '```ts\n1\n```',
    'ex/clerk/notes.txt': 'no',
    'ex/other/a.md': file('Other', 10),
  }),
});

test('lists', () => {
  expect(directory.list('clerk').text).toBe('10. Cancel a meeting\n20. Move a meeting\n- last one');
  expect(directory.list('clerk', 1, 1).text).toBe('20. Move a meeting\n… 1 more of 3, from 2 on');
  expect(directory.list('nobody')).toEqual({ examples: [], total: 0, text: 'There are no examples.' });
});

test.each([
  [10, 'Cancel a meeting'],
  ['20', 'Move a meeting'],
  ['cancel  A meeting', 'Cancel a meeting'],
  ['Move', 'Move a meeting'],
  ['Mvoe a meting', 'Move a meeting'],
  ['last', 'last one'],
])('%j finds %s', (id, name) => {
  expect(directory.find('clerk', id).name).toBe(name);
});

test('what is not there, or not clear, is an error', () => {
  expect(() => directory.find('clerk', 'a meeting')).toThrow(
    "Several examples come near 'a meeting': 'Cancel a meeting', 'Move a meeting'.",
  );
  expect(() => directory.find('clerk', 99)).toThrow(
    "There is no example '99'. listOfExamples() lists the 3 there are.",
  );
  expect(() => directory.list('../x')).toThrow('cannot name a file');
  const twice = new ExampleDirectory('ex', {
    files: new MemoryFiles({ 'ex/a/1.md': file('One', 1), 'ex/a/2.md': file('Two', 1) }),
  });
  expect(() => twice.list('a')).toThrow('has the seq_id 1 of');
});
