// The small examples: each prints what its README says, word for word, and ends well.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runExample } from './support.ts';

const folder = join(import.meta.dirname, '../../examples');
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'main.ts')));
const printing = [
  'console',
  'data-analysis',
  'direct-cli',
  'express',
  'external-event',
  'fleet',
  'human-approval',
  'office',
  'mcp-tools',
  'retrieval',
  'state',
  'subtasks',
  'task-state',
  'time-travel',
  'typed-task',
];

it.each(printing)(
  '%s',
  async (name) => {
    const { code, out, error } = await runExample(name);
    expect([code, error]).toEqual([0, '']);
    expect(out).toBe(/^```text\n([\s\S]*?)^```$/m.exec(read(`${name}/README.md`))?.[1]);
  },
  240_000,
);

it('lists all of them', () => {
  const listed = [...read('README.md').matchAll(/^\| \[([\w-]+)\]\(\1\/README\.md\)/gm)].map((match) => match[1]);
  expect(listed).toEqual(expect.arrayContaining(names));
  expect(names).toEqual(expect.arrayContaining(printing));
});
