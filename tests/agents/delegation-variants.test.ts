// Ways to have another agent work: silently, in a conversation, many at once.
import { expect, it } from 'vitest';
import { Agent, DialogAgent, Models, type Job } from '../../src/index.ts';
import { scriptedModel, type ScriptStep } from '../../src/testing.ts';
import { agentWith, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

async function asked(bossScript: readonly ScriptStep[], clerkScript: readonly ScriptStep[], isDialog = true) {
  const sent: string[] = [];
  const boss = agentWith({ role: 'boss', metadata: { MODEL: 'boss' } });
  const metadata = { MODEL: 'clerk' };
  const clerk = isDialog
    ? new DialogAgent({ role: 'clerk', metadata, sendMessage: (body) => void sent.push(body) })
    : new Agent({ role: 'clerk', metadata });
  const models = {
    boss: scriptedModel(bossScript, { name: 'boss' }),
    clerk: scriptedModel(clerkScript, { name: 'clerk' }),
  };
  const { kit } = await stage([boss, clerk], [], { models: new Models({ models, env: {}, retry: { attempts: 1 } }) });
  const job = await kit.submit(boss, { id: 'b', message: 'Go.' });
  return { result: await job.result(), sent, models, kit, job };
}

/** The commit that a job was submitted with. */
async function submittedAt(job: Job): Promise<number | undefined> {
  for await (const { revision } of job.events()) return revision;
  return undefined;
}

it('delegateMute returns what the child would have said, and nothing is sent', async () => {
  const { result, sent } = await asked(
    [ts('const text = await delegateMute("clerk", { message: "Say it" });'), ts('exit(text)')],
    [`One moment.\n${ts('await answer("From code.");')}`, 'All *done*.\n\n- a'],
  );
  expect([result, sent]).toEqual(['One moment.\n\nFrom code.\n\nAll *done*.\n\n- a', []]);
});

it('delegateMute returns the result as text if the child said nothing', async () => {
  const script = [ts('const text = await delegateMute("clerk");'), ts('exit(text)')];
  const { result } = await asked(script, [ts('exit({ a: [1, 2] })')], false);
  expect(result).toBe('{ a: [1, 2] }');
});

it('delegateMute keeps what code said right before it ended', async () => {
  const script = [ts('const text = await delegateMute("clerk");'), ts('exit(text)')];
  const { result, sent } = await asked(script, [ts('await answer("Last words."); exit()')]);
  expect([result, sent]).toEqual(['Last words.', []]);
});

it('delegateDialog goes on with the same child, which speaks for itself', async () => {
  const { result, sent, kit } = await asked(
    [
      ts('const talk = await delegateDialog("clerk", { message: "How many?" });', 'print(talk.answer)'),
      ts('const more = await talk.say("And tomorrow?");'),
      ts('exit([more, talk.answer, talk.id])'),
    ],
    [ts('let n = 3;'), 'Three.', ts('n++'), 'Four.'],
  );
  const [child] = await kit.jobs({ role: 'clerk' });
  expect([result, sent]).toEqual([
    ['Four.', 'Four.', child?.id],
    ['Three.', 'Four.'],
  ]);
  expect([await kit.countJobs({ role: 'clerk' }), await child?.local('n')]).toEqual([1, 4]);
});

it('a conversation refuses what comes too early, or too late', async () => {
  const { result } = await asked(
    [
      ts(
        'const talk = await delegateDialog("clerk", { message: "a" });',
        'const first = talk.say("b");',
        'const early = await talk.say("c").catch((error) => error.message);',
        'const late = await first.then(() => talk.say("d")).catch((error) => error.message);',
      ),
      ts('exit([early, late])'),
    ],
    ['A.', ts('fail("enough")')],
  );
  expect(result).toEqual([
    expect.stringContaining('has not answered yet'),
    expect.stringContaining('(clerk) failed: enough'),
  ]);
});

it('delegateAll submits many children in one durable write', async () => {
  const { result, kit } = await asked(
    [ts('const all = await delegateAll("clerk", [1, 2, 3].map((n) => ({ vars: { n } })));'), ts('exit(all)')],
    [ts('exit(n * n)'), ts('exit(n * n)'), ts('exit(n * n)')],
    false,
  );
  expect(result).toEqual([1, 4, 9]);
  const revisions = await Promise.all((await kit.jobs({ role: 'clerk' })).map(submittedAt));
  expect([revisions.length, new Set(revisions).size]).toEqual([3, 1]);
});

it('gives a child limits of its own', async () => {
  const { result } = await asked(
    [
      ts('const error = await delegate("clerk", { limits: { turns: 1 } }).catch((thrown) => thrown.message);'),
      ts('exit(error)'),
    ],
    [ts('1')],
    false,
  );
  expect(result).toContain('it took 1 turns');
});
