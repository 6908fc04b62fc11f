// Follows the page about the command line: types its commands in order and compares what they print. Ids, hashes, sizes and
// times are of the day; everything else is as on the page.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/line/commands.ts';
import { blocksIn, root } from './support.ts';

/** For a few commands, on a machine however busy. */
const patienceMilliseconds = 240_000;
const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');

// It starts some thirty processes, and Node may hang at the end of one (nodejs/node#54918). `type` says where.
it('prints what the page says', { retry: 2, timeout: 1_200_000 }, async () => {
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
      const stdout = await type(`${typed.join('\n')}\npwd > '${folder}/place'`, place, join(folder, 'bin'));
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
});

/** What lines print that are typed into a shell. If one of them does not end, the error says which, and what it waited for. */
function type(lines: string, place: string, programs: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const shell = spawn('bash', ['-c', `set -ex\n${lines}`], {
    cwd: place,
    env: { ...process.env, PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}` },
    stdio: 'pipe',
    detached: true,
  });
  let stdout = '';
  let stderr = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  shell.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const group = shell.pid ?? 0;
  const guard = setTimeout(() => {
    const threads = spawnSync('ps', ['-eLo', 'pgid,pid,tid,stat,pcpu,wchan:32,comm,args'], { encoding: 'utf8' }).stdout;
    const own = threads.split('\n').filter((line) => Number.parseInt(line, 10) === group);
    reject(new Error(`This did not end:\n${stderr}\nPrinted so far:\n${stdout}\nIts threads:\n${own.join('\n')}`));
    process.kill(-group, 'SIGKILL');
  }, patienceMilliseconds);
  shell.once('error', reject);
  shell.once('close', (code) => {
    clearTimeout(guard);
    if (code === 0) resolve(stdout);
    else reject(new Error(`This failed (${code}):\n${stderr}`));
  });
  return promise;
}

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
