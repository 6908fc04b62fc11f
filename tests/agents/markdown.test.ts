// The loop in its plainest form: code in fences, console back, until exit.
import { expect, it } from 'vitest';
import { lastMessage, played } from './support/agents.ts';
import { ts } from './support/fences.ts';

it('runs the code of a reply, shows its console, and ends with exit', async () => {
  const { job, model } = await played({}, [
    `Let me see.\n\n${ts('const x = 20;', 'print("x is", x)')}`,
    ts('exit(x + 1)'),
  ]);
  expect([job.status, job.outcome, await job.result()]).toEqual(['DONE', 'completed', 21]);
  expect(lastMessage(model, 1)).toBe('Please.');
  expect(lastMessage(model, 2)).toBe('x is 20');
  expect((await job.chat()).map(({ kind }) => kind)).toEqual(['message', 'reply', 'step', 'reply', 'step']);
  expect(await job.locals()).toEqual({ x: 20 });
});

it('shows errors with their place in the code of the model, and goes on', async () => {
  const { job, model } = await played({}, [ts('const a = 1;', 'throw new RangeError("too far")'), ts('exit(a)')]);
  expect(lastMessage(model, 2)).toMatch(/^RangeError: too far \(line 2, column \d+\)/);
  expect(await job.result()).toBe(1);
});

it('runs all blocks in order, also after one that failed', async () => {
  const { job, model } = await played({}, [
    `${ts('print(1)')}\nand\n${ts('print(2)')}`,
    `${ts('nothing()')}\n${ts('print("this too")')}`,
    ts('exit()'),
  ]);
  expect(lastMessage(model, 2)).toBe('1\n2');
  expect(lastMessage(model, 3)).toMatch(/ReferenceError[\s\S]*this too$/);
  expect(await job.result()).toBeUndefined();
});

it('shows the value of the last expression where nothing was printed', async () => {
  const { model } = await played({}, [ts('[1, 2, 3].map((x) => x * 2)'), ts('exit()')]);
  expect(lastMessage(model, 2)).toBe('[2, 4, 6]');
});

it('tells which fences were not run, and what to do when there was nothing to run', async () => {
  const { model, job } = await played({}, [
    'Here:\n```python\nprint(1)\n```\nand\n```\nplain\n```',
    'I am done.',
    ts('exit("x")'),
  ]);
  const notes = model.requests[1]?.messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  expect(notes?.slice(1)).toEqual([
    expect.stringMatching(/block in 'python' at line 2 .* was not run/),
    expect.stringMatching(/block without a language at line 6 .* was not run/),
    expect.stringMatching(/nothing to run.*fence labelled ts.*exit/),
  ]);
  expect(await job.result()).toBe('x');
});

it('suspends in the code of a reply and goes on with it', async () => {
  const { kit, job, model } = await played({}, [
    ts('print("before");', 'const n = await ask("How many?");', 'print(n)'),
    ts('exit(n)'),
  ]);
  expect(job.status).toBe('SUSPENDED');
  const [question] = await job.waiting();
  await kit.answer(question?.id ?? '', 7);
  expect(await job.result()).toBe(7);
  expect(lastMessage(model, 2)).toBe('before\n7');
});

it('shows messages that came meanwhile at the next turn', async () => {
  const { kit, job, model } = await played({}, [ts('const n = await ask("How many?");'), ts('exit(n)')]);
  await job.say('By the way.');
  const [question] = await job.waiting();
  await kit.answer(question?.id ?? '', 7);
  expect(await job.result()).toBe(7);
  expect(lastMessage(model, 2)).toBe('(no output)\n\nBy the way.');
});

it('reads what was said before its end, though its code ends the job without having heard it', async () => {
  const { kit, job, model } = await played({}, [ts('await signal("go"); exit("first")'), ts('exit("second")')]);
  await job.say('One more thing.');
  await kit.signal('go');
  await kit.runUntilIdle();
  expect(await job.result()).toBe('second');
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('One more thing.');
});

it('makes the request of any turn again, exactly', async () => {
  const { job, model } = await played({}, [ts('print(1)'), ts('print(2)'), ts('exit()')]);
  for (const turn of [1, 2, 3]) {
    const { messages } = await job.request(turn);
    expect(messages).toEqual(model.requests[turn - 1]?.messages);
  }
});

it('counts tokens, cost and time per turn', async () => {
  const { job } = await played({}, [
    { text: ts('1'), tokens: { input: 100, output: 10 }, cost: 0.5 },
    { text: ts('exit()'), tokens: { input: 120, output: 5, cached: 90 }, cost: 0.25 },
  ]);
  const { tokens, cost, turns } = await job.usage();
  expect([tokens.input, tokens.output, tokens.cached, cost]).toEqual([220, 15, 90, 0.75]);
  expect(turns.map(({ turn, difficulty, model }) => [turn, difficulty, model.model])).toEqual([
    [1, 'L', 'scripted'],
    [2, 'L', 'scripted'],
  ]);
});
