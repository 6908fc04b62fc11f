// The example prints what its page says.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../examples/mcp-tools');

it('runs', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.ts')]);
  const [, said] = /```text\n([\s\S]*?)```/.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? [];
  expect(stdout).toBe(said);
}, 90_000);
