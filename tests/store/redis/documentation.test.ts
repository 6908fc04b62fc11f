// The example in docs/redis.md says clearly where the client library is missing. That it runs is tested with those of the other pages.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeRedis } from './support/trial.ts';

const root = join(import.meta.dirname, '../../..');
const page = await readFile(join(root, 'docs/redis.md'), 'utf8');
const example = /```ts\n([^]*?)```/.exec(page)?.[1] ?? '';

const withoutClient = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (name === '@redis/client') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    },
  });
`)}`;

await describeRedis('docs/redis.md', (trial) => {
  async function run(...flags: readonly string[]): Promise<void> {
    const entry = (name: string): string => pathToFileURL(join(root, 'src', `${name}.ts`)).href;
    const code = example
      .replaceAll("'statek/store'", `'${entry('store')}'`)
      .replace("'statek/redis'", `'${entry('redis')}'`)
      .replace(/'redis:\/\/[^']*'/, `'${trial.url}?durability=relaxed'`)
      .replace("'planner'", `'${trial.keyPrefix}'`);
    const folder = await mkdtemp(join(tmpdir(), 'statek-docs-'));
    try {
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      await writeFile(join(folder, 'example.ts'), code);
      await promisify(execFile)(process.execPath, [...flags, join(folder, 'example.ts')]);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  test('without the client library', async () => {
    await expect(run('--import', withoutClient)).rejects.toThrow(/STORE_FEATURE|npm install @redis\/client/);
  });
});
