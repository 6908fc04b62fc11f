// Follows the page about the command line: types its commands in order and compares what they print. Ids, hashes, sizes and
// times are of the day; everything else is as on the page.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/line/commands.ts';
import { blocksIn, root } from './support.ts';

const run = promisify(execFile);
const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');

it('prints what the page says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-cli-page-'));
  try {
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'home'));
    const program = join(folder, 'bin/statek');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'src/cli/main.ts')}' "$@"\n`);
    chmodSync(program, 0o755);
    let place = join(folder, 'home');
    const blocks = blocksIn(page);
    const printed: string[] = [];
    const promised: string[] = [];
    for (const [index, { language, text }] of blocks.entries()) {
      if (language !== 'sh') continue;
      const typed = text
        .split('\n')
        .filter((one) => one.startsWith('$ '))
        .map((one) => one.slice(2));
      const { stdout } = await run('bash', ['-c', `set -e\n${typed.join('\n')}\npwd > '${folder}/place'`], {
        cwd: place,
        env: { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}` },
      });
      const next = blocks[index + 1];
      if (next?.language === 'text') {
        printed.push(`${text}${timeless(stdout)}`);
        promised.push(`${text}${timeless(next.text)}`);
      }
      place = readFileSync(join(folder, 'place'), 'utf8').trim();
    }
    expect(printed).toEqual(promised);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);

it('has every command', () => {
  for (const { name } of commands) expect(page).toMatch(new RegExp(`\`${name}[ \`]`));
});

function timeless(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\b[0-9a-f]{12}\b/g, 'HASH')
    .replaceAll(/\bnow\b|\b[\d.]+ (?:s|min) ago/g, 'TIME')
    .replaceAll(/\b[\d.]+ (?:KiB|B)\b/g, 'SIZE')
    .replaceAll(/ +/g, ' ');
}
