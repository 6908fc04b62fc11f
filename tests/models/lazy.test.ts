// Who asks no model loads no code of any provider; who asks one loads only that one's.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const index = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href;

async function packagesLoadedBy(code: string): Promise<unknown> {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ resolve(name, context, next) {
      if (/^(ai$|@ai-sdk\\/)/.test(name) && !context.parentURL?.includes('node_modules')) loaded.add(name);
      return next(name, context);
    } });
    const { Models } = await import(${JSON.stringify(index)});
    ${code}
    console.log(JSON.stringify([...loaded].toSorted()));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  return JSON.parse(stdout) as unknown;
}

const ask = (model: string): string => `
  const fetch = () => Promise.reject(new TypeError('fetch failed'));
  const models = new Models({ env: { ANTHROPIC_API_KEY: 'key' }, fetch, retry: { attempts: 1 } });
  await models.ask({ model: '${model}', messages: [{ role: 'user', content: 'Hello' }] }).catch(() => undefined);`;

it('loads nothing before it is needed', async () => {
  expect(await packagesLoadedBy('new Models({ env: {} }).resolve("openai/gpt-5");')).toEqual([]);
});

it.each([
  ['anthropic/claude', '@ai-sdk/anthropic'],
  ['ollama/llama3', '@ai-sdk/openai-compatible'],
])('loads for %s only %s', async (model, name) => {
  expect(await packagesLoadedBy(ask(model))).toEqual([name, '@ai-sdk/provider'].toSorted());
});
