// Conversations in the terminal: through a pipe, on a terminal, and with a job that a page and an MCP client continue.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { ChatPrinter } from '../../src/cli/chat/printer.ts';
import { Output } from '../../src/cli/output/output.ts';
import { Page, textOf } from '../server/support/page.ts';
import { expectProcesses, kill, mainFile, printed, start, statek, temporaryFolder } from './support/statek.ts';

expectProcesses();

const folder = join(import.meta.dirname, 'chat-application');
const lines = (...texts: string[]): string => `${texts.join('\n')}\n`;
const dictation = (...replies: (string | null)[][]): string => JSON.stringify(replies);
const code = (...text: string[]): string => `\`\`\`ts\n${text.join('\n')}\n\`\`\``;

it('says each line of a pipe, answers questions, decides, and continues', async () => {
  const store = join(temporaryFolder(), 'data');
  const words = ['chat', 'guide', '--id', 'talk', '--store', store];
  const first = await statek(words, {
    folder,
    input: lines(
      dictation([`Let me see.\n${code("const day = await ask('Which day?');", 'print(await pay(20));')}`], ['Done.']),
      'Friday',
      'perhaps',
      'yes',
    ),
  });
  expect([first.code, first.stderr]).toEqual([0, 'Type yes or no.\nTo continue: statek chat talk\n']);
  expect(first.stdout.split('\n')).toEqual([
    'Let me see.',
    ...code("const day = await ask('Which day?');", 'print(await pay(20));').split('\n'),
    'Which day?',
    '← Friday',
    '→ pay {"arguments":[20]}',
    'Approve? guide.pay(20)',
    'Approve? guide.pay(20)',
    '  approved',
    '← paid 20',
    '| paid 20',
    'Done.',
    '',
  ]);
  // By the beginning of its id, in another process: it shows the last answer, and denies.
  const second = await statek(['chat', 'tal', '--store', store, '--json'], {
    folder,
    input: lines(
      dictation([code('try { await pay(1) } catch (error) { print(error.name, error.message) }')], ['Then not.']),
      'no, too dear',
    ),
  });
  const events = second.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(second.code).toBe(0);
  expect(events.find(({ type }) => type === 'decide')).toMatchObject({ text: 'guide.pay(1)' });
  expect(events.find(({ type }) => type === 'verdict')).toMatchObject({ approved: false, comment: 'too dear' });
  expect(JSON.stringify(events.findLast(({ type }) => type === 'step'))).toContain('too dear');
  const texts = events.filter(({ type }) => type === 'text').map(({ text }) => text);
  expect(texts.join('')).toMatch(/^Done\.[\s\S]*Then not\.$/);
  expect(events.at(-1)).toMatchObject({ type: 'rest', rest: { reason: 'done' } });
});

it('talks with programs, and says what is wrong', async () => {
  const store = join(temporaryFolder(), 'data');
  const program = await statek(['chat', 'asks', '--store', store], { folder, input: lines('Go.', 'Monday') });
  expect(program.stdout).toBe('Which day?\n← Monday\non Monday\n');
  const missing = await statek(['chat', 'nobody', '--store', store], { folder });
  expect([missing.code, missing.stderr]).toEqual([
    3,
    expect.stringMatching(/There is no role 'nobody'.*The roles are .*guide/),
  ]);
  const failed = await statek(['chat', 'guide', '--store', store], { folder, input: lines('No dictation.') });
  expect([failed.code, failed.stdout]).toEqual([1, 'Nobody has dictated anything.\n']);
});

it('shows what others say, and a job that another process works on, which a page and an MCP client continue', async () => {
  const place = temporaryFolder();
  const store = join(place, 'data');
  const serving = start(['serve', '--store', store, '--port', '0', '--json'], { folder });
  onTestFinished(() => kill(serving));
  const [line] = (await once(createInterface(serving.stdout), 'line')) as [string];
  const { url, token } = JSON.parse(line) as { url: string; token: string };

  // The page begins.
  const page = new Page({ url: `${url}v1/chat/guide`, token, id: 'talk' });
  await page.sendMessage({ text: dictation(['From the page.']) });
  expect(textOf(page.last)).toBe('From the page.');

  // The terminal continues, and leaves the work to the server.
  const terminal = await statek(['chat', 'talk', '--no-worker', '--store', store], {
    folder,
    input: lines(dictation(['From the terminal.'])),
  });
  expect(terminal.stdout).toBe('> [["From the page."]]\nFrom the page.\nFrom the terminal.\n');

  // Then an MCP client.
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}mcp`), { requestInit }));
  onTestFinished(() => client.close());
  const said = await client.callTool({ name: 'say', arguments: { job: 'talk', message: dictation(['From MCP.']) } });
  expect(said.isError).not.toBe(true);
  const after = start(['chat', 'talk', '--no-worker', '--store', store], { folder });
  onTestFinished(() => kill(after));
  await printed(after, 'From MCP.\n');
  after.stdin.end();

  // A page that is loaded now has all of it, once.
  const response = await fetch(`${url}v1/chat/guide/talk`, { headers: { authorization: `Bearer ${token}` } });
  const { messages } = (await response.json()) as { messages: Parameters<typeof textOf>[0][] };
  expect(messages.map(textOf)).toEqual([
    '[["From the page."]]',
    'From the page.',
    '[["From the terminal."]]',
    'From the terminal.',
    '[["From MCP."]]',
    'From MCP.',
  ]);
});

it.skipIf(!existsSync('/usr/bin/script'))('on a terminal, streams, stops with ^C, and leaves with ^D', async () => {
  const place = temporaryFolder();
  const permission = join(place, 'go');
  const command = `'${process.execPath}' '${mainFile}' chat guide --id talk --store '${join(place, 'data')}'`;
  const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '1', STATEK_TEST_PERMISSION: permission },
  });
  onTestFinished(() => kill(child));
  await printed(child, '> ');
  const see = async (typed: string, wanted: string | RegExp): Promise<void> => {
    const seen = printed(child, wanted);
    child.stdin.write(typed);
    await seen;
  };
  // The half that is there is shown before the rest is said.
  await see(`${dictation(['Half of it, ', null, 'and the rest.'])}\r`, /\nHalf of it, $/);
  const rest = printed(child, /and the rest\.[\s\S]*> /);
  writeFileSync(permission, '');
  await rest;
  await see(`${dictation(['Never ', null, 'ending.'])}\r`, /\nNever $/);
  await see('\u0003', /Stopped in the chat\.[\s\S]*> /);
  await see(`${dictation([code('print(await pay(3))')], ['Paid.'])}\r`, 'yes, or no and why: ');
  await see('y\r', /paid 3[\s\S]*Paid\.[\s\S]*> /);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.write('\u0004');
  expect(await ended).toBe(0);
});

it('erases what is taken back, row by row', () => {
  let written = '';
  const stdout = { isTTY: true, columns: 10, rows: 5, write: (text: string) => ((written += text), true) };
  const out = new Output({ json: false, environment: { NO_COLOR: '1' }, stdout, stderr: stdout });
  const printer = new ChatPrinter(out);
  const text = (piece: string, isFirst: boolean): void =>
    printer.show({ type: 'text', part: 'text-1-0', text: piece, isFirst });
  text('a first line\nand', true);
  printer.show({ type: 'reset' });
  // Twelve characters take two rows of ten, and the cursor is in the third.
  expect(written).toBe('a first line\nand\r\u001B[2A\u001B[J');
  written = '';
  text('Right.', true);
  printer.show({ type: 'text-end', part: 'text-1-0' });
  expect(written).toBe('Right.\n');
  // What is committed stays, and what has left the screen cannot be erased.
  printer.show({ type: 'reset' });
  text('x\n'.repeat(9), true);
  written = '';
  printer.show({ type: 'reset' });
  expect(written).toBe('\nThe reply begins again:\n');
  // Control characters of programs do nothing.
  written = '';
  text('\u001B[2J', true);
  expect(written).toBe('\\x1b[2J');
});
