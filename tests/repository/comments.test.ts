// What an editor shows when somebody points at a name: members of jobs and options of agents say what they are.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each([
  ['kit/statek.ts', 'export class Statek'],
  ['agents/job.ts', 'export class Job<'],
  ['agents/kinds/agent-options.ts', 'export interface AgentOptions'],
  ['agents/kinds/agent-options.ts', 'export interface JobDefOptions'],
  ['jobs/changes/new-job.ts', 'export interface JobOptions'],
  ['kit/options.ts', 'export interface StatekOptions'],
])('%s: every public member of "%s" has a comment', (file, declaration) => {
  const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
  const start = source.indexOf(declaration);
  const lines = source.slice(start, source.indexOf('\n}\n', start)).split('\n');
  const members = lines.flatMap((line, index) => {
    const [, name] = /^  (?:readonly |get |override |static |async |\*)*(\w+)\??[:(<]/.exec(line) ?? [];
    const isHidden = /^  (?:#|protected|private|constructor)/.test(line) || name === 'constructor';
    return name === undefined || isHidden ? [] : [{ name, before: lines[index - 1] ?? '' }];
  });
  expect(members.length).toBeGreaterThan(3);
  expect(members.filter(({ before }) => !before.trim().endsWith('*/')).map(({ name }) => name)).toEqual([]);
});
