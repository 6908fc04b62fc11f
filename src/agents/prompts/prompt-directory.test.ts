// Folders of prompts and warmups: a file is read again when it changes, and only then.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { MemoryFiles } from '../files/text-files.ts';
import { PromptDirectory } from './prompt-directory.ts';
import { WarmupDirectory } from './warmup-directory.ts';

const prompt = (text: string): string => `# MODEL: a/b\n# System Prompt\n${text}`;

class CountedFiles extends MemoryFiles {
  reads = 0;

  override read(path: string): string {
    this.reads++;
    return super.read(path);
  }
}

test('a changed file reaches those who ask afterwards', () => {
  const files = new CountedFiles({ 'prompts/clerk.md': prompt('one') });
  const clock = new ManualClock(1_000_000);
  const prompts = new PromptDirectory('prompts', { files, clock });
  const first = prompts.load('clerk');
  expect(prompts.load('clerk')).toBe(first);
  expect(files.reads).toBe(1);

  files.write(join('prompts', 'clerk.md'), prompt('two'), clock.now());
  const second = prompts.load('clerk');
  expect(second.template.text).toBe('two');
  expect(first.template.text).toBe('one');
  expect(second.hash).not.toBe(first.hash);

  // Dates are coarse: the same date and size, and yet another text.
  files.write(join('prompts', 'clerk.md'), prompt('six'), clock.now());
  expect(prompts.load('clerk').template.text).toBe('six');

  // Touched, not changed.
  clock.advance(10_000);
  const third = prompts.load('clerk');
  files.write(join('prompts', 'clerk.md'), prompt('six'), clock.now());
  expect(prompts.load('clerk')).toBe(third);

  files.remove(join('prompts', 'clerk.md'));
  expect(prompts.find('clerk')).toBeUndefined();
});

test('a broken file is an error until it is mended', () => {
  const files = new MemoryFiles({ 'prompts/clerk.md': prompt('{who}') });
  const clock = new ManualClock(1_000_000);
  const prompts = new PromptDirectory('prompts', { files, clock });
  expect(() => prompts.load('clerk')).toThrow('{who}');
  expect(() => prompts.load('clerk')).toThrow('{who}');
  expect(prompts.load('clerk', ['who']).template.placeholders).toEqual(new Set(['who']));
  files.write('prompts/clerk.md', prompt('you'), 2);
  expect(prompts.load('clerk').template.text).toBe('you');
});

test('a missing role is an error that lists the others, and a role never leads elsewhere', () => {
  const files = new MemoryFiles({ 'prompts/clerk.md': prompt(''), 'prompts/old/x.md': '', 'prompts/a.txt': '' });
  const prompts = new PromptDirectory('prompts', { files });
  expect(prompts.roles()).toEqual(['clerk']);
  expect(() => prompts.load('clrek')).toThrow('The folder has prompts for clerk. Did you mean clerk?');
  expect(() => prompts.load('../secret')).toThrow("The role '../secret' cannot name a file");
  expect(() => prompts.load('old/x')).toThrow('cannot name a file');
});

test('warmups are found by language', () => {
  const files = new MemoryFiles({ 'warm/a.ts': 'let x = 1;\r\n', 'warm/b.py': 'x = 1' });
  const warmups = new WarmupDirectory('warm', { files });
  expect(warmups.find('a', 'typescript')).toMatchObject({ language: 'typescript', text: 'let x = 1;\n' });
  expect(warmups.find('b', 'python')).toMatchObject({ language: 'python', text: 'x = 1' });
  expect(warmups.find('c', 'python')).toBeUndefined();
  expect(() => warmups.find('a', 'python')).toThrow("The warmup is typescript, and the agent 'a' writes python");
});
