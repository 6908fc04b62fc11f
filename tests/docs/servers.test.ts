// The examples of pages about stores with a server run on one, in a place of their own, and print what the page says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';
import { blocksIn, examplesIn, pagesWithServers, root, wrongExamples, type Example } from './support.ts';

const postgres = await postgresForTests();
const redis = await redisForTests();

it('knows every page that needs a server', () => {
  expect(pagesWithServers).toEqual(['docs/postgres.md', 'docs/redis.md']);
});

it.skipIf(postgres === undefined)(
  'docs/postgres.md',
  async () => {
    if (postgres === undefined) return;
    const { schema, drop } = await postgres.freshSchema();
    onTestFinished(drop);
    const examples = examplesIn('docs/postgres.md').map((example) =>
      withPlace(example, {
        "'postgres://user:password@localhost:5432/database'": JSON.stringify(postgres.url),
        "'planner'": JSON.stringify(schema),
      }),
    );
    expect(await wrongExamples(examples)).toEqual([]);

    const blocks = blocksIn(readFileSync(join(root, 'docs/postgres.md'), 'utf8'));
    const index = blocks.findIndex(({ language }) => language === 'sql');
    const rows = await postgres.query((blocks[index]?.text ?? '').replace('planner.', `"${schema}".`));
    const [, , ...printed] = (blocks[index + 1]?.text ?? '').trimEnd().split('\n');
    const cells = printed.map((line) => line.split('|').map((cell) => cell.trim()));
    expect(rows.map(({ parts, title }) => [JSON.stringify(parts).replace(',', ', '), title])).toEqual(cells);
  },
  120_000,
);

it.skipIf(redis === undefined)(
  'docs/redis.md',
  async () => {
    if (redis === undefined) return;
    const { keyPrefix, drop } = redis.freshPrefix();
    onTestFinished(drop);
    const examples = examplesIn('docs/redis.md').map((example) =>
      withPlace(example, {
        "'redis://user:password@localhost:6379/0'": JSON.stringify(redis.url),
        // The server of the tests may be one that keeps nothing.
        "keyPrefix: 'planner'": `keyPrefix: ${JSON.stringify(keyPrefix)}, durability: 'relaxed'`,
      }),
    );
    expect(await wrongExamples(examples)).toEqual([]);
  },
  120_000,
);

/** The example with its address and names replaced; each must be in it. */
function withPlace(example: Example, replaced: Readonly<Record<string, string>>): Example {
  let { code } = example;
  for (const [text, other] of Object.entries(replaced)) {
    expect(code).toContain(text);
    code = code.replace(text, other);
  }
  return { ...example, code };
}
