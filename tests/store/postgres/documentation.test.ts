// The example in docs/postgres.md runs, and the query below it finds what it wrote.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describePostgres } from './support/trial.ts';

const root = join(import.meta.dirname, '../../..');
const page = await readFile(join(root, 'docs/postgres.md'), 'utf8');

function block(language: string): string {
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';
}

await describePostgres('docs/postgres.md', (trial) => {
  test('the example and its query', async () => {
    const entry = (name: string): string => pathToFileURL(join(root, 'src', `${name}.ts`)).href;
    const code = block('typescript')
      .replaceAll("'statek'", `'${entry('index')}'`)
      .replaceAll("'statek/store'", `'${entry('store')}'`)
      .replace("'statek/postgres'", `'${entry('postgres')}'`)
      .replace(/'postgres:\/\/[^']*'/, `'${trial.url}'`)
      .replace("'planner'", `'${trial.schema}'`);
    const folder = await mkdtemp(join(tmpdir(), 'statek-docs-'));
    try {
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      await writeFile(join(folder, 'example.ts'), code);
      await promisify(execFile)(process.execPath, [join(folder, 'example.ts')]);
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(await trial.query(block('sql').replace('planner', '$schema'))).toEqual([
      { parts: ['monday', 9], title: 'Planning' },
    ]);
  });
});
