// The small examples: each prints what its README says, word for word, and ends well. With a key they ask a real model.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ModelServer } from '../models/server/server.ts';
import { runExample } from './support.ts';

const folder = join(import.meta.dirname, '../../examples');
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'main.ts')));
const printing = [
  'analyst',
  'coding-agent',
  'console',
  'data-analysis',
  'direct-cli',
  'evaluation',
  'express',
  'external-event',
  'fleet',
  'human-approval',
  'mcp-client',
  'mcp-tools',
  'nightly',
  'office',
  'retrieval',
  'state',
  'subtasks',
  'support-desk',
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

/** Those that have a side in each language: what they print in Python is the last block. */
it.each(['coding-agent', 'evaluation', 'mcp-client', 'support-desk'])(
  '%s in Python',
  async (name) => {
    const { code, out, error } = await runExample(name, ['--python']);
    expect([code, error]).toEqual([0, '']);
    const printed = [...read(`${name}/README.md`).matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
    expect(out).toBe(printed.at(-1));
  },
  240_000,
);

it('lists all of them', () => {
  const listed = [...read('README.md').matchAll(/^\| \[([\w-]+)\]\(\1\/README\.md\)/gm)].map((match) => match[1]);
  expect(listed).toEqual(expect.arrayContaining(names));
  expect(names).toEqual(expect.arrayContaining(printing));
});

it('tells one story of those of the state managers, and says which there are', async () => {
  const { code, out } = await runExample('state', ['team']);
  expect([code, out.split('\n')[0]]).toEqual([0, '── team']);
  expect(await runExample('state', ['nothing'])).toMatchObject({
    code: 1,
    error: expect.stringContaining('team') as unknown,
  });
}, 240_000);

it('asks a real model where there is a key', async () => {
  const server = await ModelServer.start();
  onTestFinished(() => server.close());
  server.say(...['typescript', 'python'].map(() => ({ text: ["exit('from afar')"] })));
  const { code, out, error } = await runExample('console', [], {
    OPENAI_API_KEY: 'sk-key',
    OPENAI_API_URL: `${server.url}/v1/responses`,
  });
  expect([code, error.trim()]).toEqual([
    0,
    'The model is openai/gpt-5-mini; with EXAMPLE_MODEL=scripted a script would answer.',
  ]);
  expect(out.match(/result: "from afar"/g)).toHaveLength(2);
}, 240_000);

it.each([
  ['12', '--every', '3000'],
  ['4', '--every', '3000', '--python'],
])(
  'finishes every job of a cluster whose processes are killed: %s %s %s %s',
  async (agents = '', ...options) => {
    const { code, out, error } = await runExample('cluster', ['--agents', agents, '--processes', '2', ...options]);
    expect([code, error]).toEqual([0, '']);
    expect(out).toContain(`\n${agents} of ${agents} completed`);
    expect(out).toContain(`\n${agents} deliveries`);
    expect(out).toContain('both towns: true');
  },
  240_000,
);
