// The chat application as its reader starts it: the page is built and served, the scripted model answers, Ctrl-C ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { Page, textOf } from '../server/support/page.ts';

const root = join(import.meta.dirname, '../..');

it('says where its page is, answers, and stops', { timeout: 240_000 }, async () => {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const args = ['--import', './examples/from-source.ts', 'examples/chat-app/main.ts', '--port', '0'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH, TMPDIR, NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  await once(output, 'line');
  const [url = ''] = /http:\S+/.exec(lines[0] ?? '') ?? [];
  expect(await (await fetch(url)).text()).toContain('<main id="chat">');

  const page = new Page({ url: `${url}statek/v1/chat/clerk`, token: 'unused', id: 'talk' });
  await page.sendMessage({ text: 'Please book a room.' });
  expect(textOf(page.last)).toContain('For which day?');
  await page.sendMessage({ text: 'Monday' });
  expect(page.last.parts.at(-1)).toMatchObject({ toolName: 'book', state: 'approval-requested' });

  const exited = once(child, 'exit');
  child.kill('SIGINT');
  expect(await exited).toEqual([0, null]);
  const readme = readFileSync(join(root, 'examples/chat-app/README.md'), 'utf8');
  const printed = `${lines.join('\n')}\n`.replace(new URL(url).port, '3000');
  expect(printed).toBe(/^```text\n([\s\S]*?)^```$/m.exec(readme)?.[1]);
});
