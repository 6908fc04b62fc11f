// Warmup: code of the application before the first turn, shown to the model as if it had written it.
import { expect, it } from 'vitest';
import { SupervisedAgent, tool, type Store, type SubmitOptions } from '../../src/index.ts';
import type { SupervisedAgentOptions } from '../../src/types.ts';
import { jobRows } from '../../src/jobs/rows.ts';
import type { ScriptStep } from '../../src/testing.ts';
import { stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

const find = tool({
  name: 'find',
  input: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute: ({ title }: { title: string }) => `found ${title}`,
});

async function warmed(
  options: Partial<SupervisedAgentOptions>,
  script: readonly ScriptStep[],
  submit: SubmitOptions = {},
) {
  const agent = new SupervisedAgent({ role: 'helper', metadata: { MODEL: 'script' }, ...options });
  const { kit, model } = await stage([agent], script);
  const job = await kit.submit(agent, { message: 'Go.', ...submit });
  await kit.runUntilIdle();
  return { model, job: await job.refresh() };
}

it('runs block by block, the job\u2019s own first, and shows code and console', async () => {
  const { model, job } = await warmed(
    { warmup: 'const a = 1;\nprint("a is", a)\n// ------------\nconst b = a + own;\nprint(b)' },
    [ts('exit(b)')],
    { warmup: 'const own = 10;' },
  );
  expect(await job.result()).toBe(11);
  expect(model.requests[0]?.messages.slice(1)).toEqual([
    { role: 'user', content: 'Begin.' },
    { role: 'assistant', content: ts('const own = 10;') },
    { role: 'user', content: '(no output)' },
    { role: 'assistant', content: ts('const a = 1;', 'print("a is", a)') },
    { role: 'user', content: 'a is 1' },
    { role: 'assistant', content: ts('const b = a + own;', 'print(b)') },
    { role: 'user', content: '11\n\nGo.' },
  ]);
});

it('splits at comment lines of ten or more dashes only', async () => {
  const { job } = await warmed({ warmup: 'print(1)\n// ---------\nprint(2)\n  //-----------------\nprint(3)' }, [
    ts('exit()'),
  ]);
  const steps = (await job.chat()).flatMap((item) => (item.kind === 'step' && item.warmup ? [item.console] : []));
  expect(steps).toEqual([['1', '2'], ['3']]);
});

it('hides a block and what it prints', async () => {
  const secret = tool({ name: '_secret', execute: () => 42 });
  const { model, job } = await warmed(
    { tools: [secret], warmup: '//STATEK: hidden = True\nconst key = _secret();\nprint(key)' },
    [ts('exit(key)')],
  );
  expect(await job.result()).toBe(42);
  expect(JSON.stringify(model.requests[0])).not.toMatch(/_secret|42/);
});

it('shows a call as a tool call', async () => {
  const { model } = await warmed(
    {
      tools: [find],
      metadata: { MODEL: 'script', LLM_TOOLS_SCOPE: 'APPLICATION' },
      warmup: 'const first = find({ title: "x" }) //STATEK: as tool',
    },
    [ts('exit(first)')],
  );
  expect(model.requests[0]?.messages.slice(2, 4)).toMatchObject([
    { role: 'assistant', content: [{ type: 'tool-call', name: 'find', input: { title: 'x' } }] },
    { role: 'tool', content: [{ type: 'tool-result', name: 'find', output: 'found x' }] },
  ]);
});

it('is a state of its own: READY, WARMING_UP, STARTED, SUSPENDED, STARTED, DONE', async () => {
  const seen: string[] = [];
  const agent = new SupervisedAgent({ role: 'helper', metadata: { MODEL: 'script' }, warmup: 'const a = 1;' });
  const place: { store?: Store } = {};
  const hit = async (): Promise<void> => {
    const [entry] = (await place.store?.read(jobRows, [['j']])) ?? [];
    if (entry !== undefined && seen.at(-1) !== entry.value.status) seen.push(entry.value.status);
  };
  const { kit } = await stage([agent], [ts('const n = await ask("?")'), ts('exit(a + n)')], { faults: { hit } });
  place.store = kit.store;
  const job = await kit.submit(agent, { id: 'j', message: 'x' });
  await kit.runUntilIdle();
  await kit.answer((await job.waiting())[0]?.id ?? '', 2);
  expect(await job.result()).toBe(3);
  await hit();
  expect(seen).toEqual(['READY', 'WARMING_UP', 'STARTED', 'SUSPENDED', 'STARTED', 'DONE']);
});

it('fails the job when it fails, and counts no turn', async () => {
  const { job, model } = await warmed({ warmup: 'nothing()' }, []);
  expect([job.outcome, job.error?.message]).toEqual([
    'failed',
    expect.stringMatching(/^The warmup failed: ReferenceError: .*nothing/),
  ]);
  expect(model.requests).toHaveLength(0);
});

it('refuses a directive that does not exist', async () => {
  const agent = new SupervisedAgent({ role: 'x', metadata: { MODEL: 'script' }, warmup: '//STATEK: secret = True\n1' });
  expect(() => agent.createJobDef()).toThrow(/directive 'secret = True'/);
});
