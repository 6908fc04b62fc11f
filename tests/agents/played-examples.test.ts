// A finished job becomes an example, its file is read again, and the example becomes a job.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { InvalidOptionError, type ChatStyle } from '../../src/index.ts';
import { parseExample } from '../../src/agents/examples/example-text.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

it('writes a finished job as an example, in the format of the files', async () => {
  const folder = storeFolder();
  const { job } = await played(
    {},
    [`I count first.\n${ts('const n = 2;', 'print(n)')}`, ts('broken('), ts('exit(n * 21)')],
    { message: 'Count.' },
    { settings: { examples: folder } },
  );
  const path = await job.saveExample({ name: 'Count things', number: 3, difficulty: 'M' });
  expect(path).toBe(join(folder, 'helper', 'Count_things.md'));
  const example = parseExample(readFileSync(path, 'utf8'), path);
  expect(example).toEqual(await job.toExample({ name: 'Count things', number: 3, difficulty: 'M' }));
  expect(example.items).toEqual([
    { role: 'user', text: 'Count.' },
    { role: 'assistant', text: 'I count first.', code: 'const n = 2;\nprint(n)', console: '2' },
    { role: 'assistant', code: 'broken(', console: expect.stringContaining('SyntaxError') as string },
    { role: 'assistant', code: 'exit(n * 21)' },
  ]);
});

it.each<ChatStyle>(['MARKDOWN', 'CONSOLE', 'MD_DIALOG'])('plays an example again as a job in %s', async (chatStyle) => {
  const code = (text: string): string => (chatStyle === 'CONSOLE' ? text : ts(text));
  const folder = storeFolder();
  const agent = agentWith({ chatStyle });
  const { kit, model } = await stage(
    [agent],
    [code('globalThis.n = 2; print(n)'), chatStyle === 'MD_DIALOG' ? 'It is two.' : code('exit(n)')],
    { settings: { examples: folder } },
  );
  const first = await kit.submit(agent, { message: 'How much?' });
  const result = await first.result();
  await first.saveExample({ name: 'Two', number: 1 });
  const again = await kit.playExample(agent, 1);
  expect(await again.result()).toEqual(result);
  expect(model.requests).toHaveLength(2);
  expect([await again.local('n'), await again.console()]).toEqual([2, ['2']]);
  expect((await again.usage()).turns).toEqual([]);
  expect((await again.toExample({ name: 'Two' })).items).toEqual((await first.toExample({ name: 'Two' })).items);
});

it('lets the model go on where an example ends', async () => {
  const agent = agentWith();
  const { kit, model } = await stage([agent], [ts('exit(n + 1)')]);
  const items = [
    { role: 'user', text: 'Begin.' },
    { role: 'assistant', text: 'I begin.', code: 'const n = 4; n' },
  ] as const;
  const job = await kit.playExample(agent, { name: 'x', items });
  expect(await job.result()).toBe(5);
  expect(lastMessage(model, 1)).toBe('4');
  expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
});

it('refuses examples without a name, a folder or anything in them', async () => {
  const { kit, job } = await played({}, [ts('exit()')]);
  await expect(job.toExample({ name: '' })).rejects.toThrow(InvalidOptionError);
  await expect(job.saveExample({ name: 'x' })).rejects.toThrow('in which folder');
  await expect(kit.playExample('helper', { name: 'x', items: [] })).rejects.toThrow('nothing in this example');
});

it('shows the example that a variable names', async () => {
  const folder = storeFolder();
  const settings = { settings: { examples: folder } };
  const written = await played({}, [ts('exit("shown")')], { message: 'A' }, settings);
  await written.job.saveExample({ name: 'First', number: 7 });
  const { model } = await played(
    {},
    [ts('print(await showExample())'), ts('print(await showExample({}))'), ts('exit()')],
    { message: 'B', vars: { exampleId: 7 } },
    settings,
  );
  expect(lastMessage(model, 2)).toContain('exit("shown")');
  expect(lastMessage(model, 3)).toContain('exit("shown")');
});
