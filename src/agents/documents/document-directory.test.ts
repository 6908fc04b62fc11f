// Documents: listed by topic, found in several ways, shown in parts, and only to the roles they are for.
import { expect, test } from 'vitest';
import { MemoryFiles } from '../files/text-files.ts';
import { DocumentDirectory } from './document-directory.ts';

const files = new MemoryFiles({
  'docs/a.md': '# ord_no: 2\n# topic: Travel\n# title: Booking trains\n\nOne\nTwo\nThree\n',
  'docs/b.txt': 'ord_no: 1\ntopic: Travel\ntitle: Booking flights\naudience: clerk, guide\nFly.',
  'docs/Office/rooms.md': '# Rooms and keys\nNote: locked.',
  'docs/Office/old_desk.txt': 'A desk.',
  'docs/secret.md': '---\ntitle: "Salaries"\ntopic: Money\naudience: boss\n---\nMuch.',
  'docs/nobody.md': '# title: Nothing\n# audience:\nx',
  'docs/image.png': 'x',
});
const documents = new DocumentDirectory('docs', { files });

test('are listed by topic, number and title, for a role', () => {
  expect(documents.list('clerk')).toBe(
    'Office:\n- Rooms and keys\n- old desk\nTravel:\n1. Booking flights\n2. Booking trains',
  );
  expect(documents.list('boss', 'money')).toBe('Money:\n- Salaries');
  expect(documents.list('other', 'Travel')).toBe('Travel:\n2. Booking trains');
  expect(() => documents.list('clerk', 'Traval')).toThrow(
    "There are no documents on 'Traval'. Did you mean Travel? Topics are Office, Travel.",
  );
  expect(new DocumentDirectory('none', { files }).list('clerk')).toBe('There are no documents.');
});

test.each([
  [1, 'Fly.'],
  ['1', 'Fly.'],
  ['booking FLIGHTS', 'Fly.'],
  ['flight', 'Fly.'],
  ['Boking flihgts', 'Fly.'],
  ['keys', '# Rooms and keys\nNote: locked.'],
])('%j is found', (key, text) => {
  expect(documents.show('clerk', key)).toBe(text);
});

test('are shown in parts', () => {
  expect(documents.show('x', 2, { limit: 1 })).toBe('One\n… 2 more lines of 3; startFrom: 2 shows them');
  expect(documents.show('x', 2, { startFrom: 3, topic: 'Travel' })).toBe('Three');
  expect(documents.show('x', 2, { startFrom: 9 })).toBe("'Booking trains' has 3 lines.");
  expect(() => documents.show('x', 2, { from: 1 } as never)).toThrow("no option 'from'");
  expect(() => documents.show('x', 2, { startFrom: 0 })).toThrow('startFrom');
});

test('others are not found, and cannot be guessed at', () => {
  expect(() => documents.show('clerk', 'Salaries')).toThrow("There is no document 'Salaries'.");
  expect(() => documents.show('clerk', 'Salaris')).toThrow("There is no document 'Salaris'.");
  expect(() => documents.show('clerk', 'Nothing')).toThrow('There is no document');
  expect(() => documents.show('clerk', 'booking')).toThrow(
    "Several documents come near 'booking': 'Booking flights' (Travel), 'Booking trains' (Travel).",
  );
});

test('are searched, best first, with the line that fits', () => {
  expect(documents.search('clerk', 'LOCKED')).toBe("'Rooms and keys' (Office), line 2: Note: locked.");
  expect(documents.search('clerk', 'booking two').split('\n')).toEqual([
    "'Booking trains' (Travel), line 2: Two",
    "'Booking flights' (Travel), line 1: Fly.",
  ]);
  expect(documents.search('clerk', 'booking', { limit: 1, topic: 'travel' }).split('\n')).toHaveLength(1);
  expect(documents.search('clerk', 'much')).toMatch(/^No document has these words/);
  expect(documents.search('boss', 'much')).toContain('Salaries');
  expect(documents.search('clerk', '?!')).toMatch(/^No document/);
  expect(() => documents.search('clerk', 'x', { most: 1 } as never)).toThrow("no option 'most'");
});

test('a wrong header is an error with its line', () => {
  const broken = new DocumentDirectory('d', { files: new MemoryFiles({ 'd/a.md': '# title: A\n# ord_no: x' }) });
  expect(() => broken.list('clerk')).toThrow("a.md:2 ord_no is 'x'; it must be a whole number.");
});
