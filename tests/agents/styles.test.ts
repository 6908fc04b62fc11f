// The four chat styles: what is code, what is prose, how a console looks, and what ends a job.
import { expect, it } from 'vitest';
import { lastMessage, played } from './support/agents.ts';
import { ts } from './support/fences.ts';

it('CONSOLE: the whole reply is code, and the console comes in lines with >', async () => {
  const { job, model } = await played({ chatStyle: 'CONSOLE' }, [
    '// look\nconst x = 2\nprint("a")\nprint("b")',
    'exit(x)',
  ]);
  expect(lastMessage(model, 2)).toBe('> a\n> b');
  expect(await job.result()).toBe(2);
});

it('CONSOLE: an empty reply gets a note', async () => {
  const { model, job } = await played({ chatStyle: 'CONSOLE' }, ['  ', 'exit(1)']);
  expect(lastMessage(model, 2)).toContain('nothing to run');
  expect(await job.result()).toBe(1);
});

it('MD_DIALOG: fences run, the console is boxed, and a reply without code is the answer', async () => {
  const { job, model } = await played({ chatStyle: 'MD_DIALOG' }, [
    `I look.\n${ts('print("a")')}`,
    'It is a.\n\n```json\n{}\n```',
  ]);
  expect(lastMessage(model, 2)).toBe('<CONSOLE>\na\n</CONSOLE>');
  expect([job.status, await job.result()]).toEqual(['DONE', 'It is a.\n\n```json\n{}\n```']);
});

it('MD_DIALOG: the next message goes on in the same workspace', async () => {
  const { job, model, kit } = await played({ chatStyle: 'MD_DIALOG' }, [
    ts('const a = 5'),
    'Done.',
    ts('print(a + 1)'),
    'Six.',
  ]);
  expect(job.status).toBe('DONE');
  await job.say('And one more?');
  expect(job.status).toBe('STARTED');
  await kit.runUntilIdle();
  expect(await job.result()).toBe('Six.');
  expect(lastMessage(model, 4)).toBe('<CONSOLE>\n6\n</CONSOLE>');
});

it('DIRECT: code runs only through its tool, and fences never', async () => {
  const { job, model } = await played({ chatStyle: 'DIRECT' }, [
    { text: 'I look.', toolCalls: [{ name: 'ts_cli', input: { code: 'const a = 1; print("in"); a' } }] },
    { toolCalls: [{ name: 'ts_cli', input: { code: 'a + 1' } }] },
    `Two.\n${ts('exit(3)')}`,
  ]);
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['ts_cli']);
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ id: 'call-1', output: 'in' }] });
  expect(model.requests[2]?.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ id: 'call-2', output: '2' }] });
  expect(await job.result()).toBe(`Two.\n${ts('exit(3)')}`);
});

it('runs nothing of a block that was cut', async () => {
  const { job, model } = await played({}, [{ text: '```ts\nprint("half', finish: 'length' }, ts('exit(1)')]);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('cut because it became too long');
  expect(await job.console()).toEqual([]);
  expect(await job.result()).toBe(1);
});

it('takes the style of the job, then of the metadata, then of the agent', async () => {
  const { job } = await played(
    { chatStyle: 'DIRECT', metadata: { MODEL: 'script', CHAT_STYLE: 'MD_DIALOG' } },
    ['Hi.'],
    {
      message: 'x',
    },
  );
  expect((await job.definition()).style).toBe('MD_DIALOG');
  const other = await played({ metadata: { MODEL: 'script', CHAT_STYLE: 'MD_DIALOG' } }, ['exit(1)'], {
    message: 'x',
    chatStyle: 'CONSOLE',
  });
  expect(await other.job.result()).toBe(1);
});

it.each(['ts', 'typescript', 'js', 'TS'])('runs fences labelled %s', async (label) => {
  const { job } = await played({}, [`\`\`\`${label}\nexit(1)\n\`\`\``]);
  expect(await job.result()).toBe(1);
});

it.each(['CONSOLE', 'MARKDOWN'] as const)('%s: replies with nothing to run are errors in a row', async (chatStyle) => {
  const { job, model } = await played({ chatStyle, limits: { errorsInARow: 2 } }, [' ', '']);
  expect([job.outcome, model.requests.length]).toEqual(['limit', 2]);
  expect(lastMessage(model, 2)).toMatch(/nothing to run.*exit/);
});
