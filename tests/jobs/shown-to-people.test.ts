// Whoever decides sees what they decide about: the arguments of a call, the details of a question, wherever they look.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { program, tool, type PendingFuture } from '../../src/index.ts';
import { futureRows, type CallRow } from '../../src/workspace/rows.ts';
import { openKit } from '../workspace/support/kits.ts';

/** A driver whose source is its input. */
const anything = program({ role: 'anything', source: String });

const pay = tool({
  name: 'pay',
  input: z.object({ to: z.string(), euros: z.number(), note: z.string().optional() }),
  approval: 'always',
  execute: async ({ to }) => `paid ${to}`,
});

async function pendingOf(pending: AsyncIterable<PendingFuture>): Promise<PendingFuture[]> {
  const found: PendingFuture[] = [];
  for await (const one of pending) found.push(one);
  return found;
}

it('shows the arguments of a call and the details of a question to whoever decides', async () => {
  const bank = { pay };
  const kit = await openKit({ drivers: [anything], services: { bank } });
  const job = await kit.submit(anything, {
    id: 'payer',
    input: `await Promise.all([
      bank.pay("mallory", 5000),
      approve("Delete?", { files: ["a", "b"], from: bank }),
      ask("Which?", ["x", "y"]),
      ask("Why?"),
      signal("go"),
    ])`,
    vars: { bank },
  });
  await kit.runUntilIdle();
  const expected = [
    {
      id: 'payer/1',
      kind: 'call',
      label: 'bank.pay(…)',
      text: "bank.pay({ to: 'mallory', euros: 5000 })",
      arguments: [{ to: 'mallory', euros: 5000 }],
      undecided: true,
    },
    {
      id: 'payer/2',
      kind: 'approve',
      text: "Delete? { files: ['a', 'b'], from: [bank] }",
      question: 'Delete?',
      details: { files: ['a', 'b'], from: '[bank]' },
      undecided: true,
    },
    { id: 'payer/3', kind: 'ask', text: "Which? ['x', 'y']", details: ['x', 'y'], undecided: false },
    { id: 'payer/4', kind: 'ask', text: 'Why?', undecided: false },
    { id: 'payer/5', kind: 'signal', text: "signal 'go'", undecided: false },
  ];
  const pending = await pendingOf(kit.pending());
  expect(pending).toMatchObject(expected);
  expect(await job.waiting()).toMatchObject(expected);
  expect(pending.map((one) => 'details' in one)).toEqual([false, true, true, false, false]);
  expect(await job.decisions()).toMatchObject(expected.slice(0, 2).map(({ text }) => ({ text })));
  const suspended: unknown[] = [];
  for await (const { kind, data } of job.events()) {
    if (kind !== 'suspended') continue;
    suspended.push(data);
    break;
  }
  expect(suspended).toEqual([{ waiting: expected.slice(0, 4).map(({ id, kind, text }) => ({ id, kind, text })) }]);
});

it('cuts what is large, says how large it is, and has all of it in the journal', async () => {
  const kit = await openKit({ drivers: [anything], services: { pay } });
  const job = await kit.submit(anything, {
    input: `await pay({ note: "n".repeat(100_000), to: "mallory", euros: 1 })`,
    vars: { pay },
  });
  await kit.runUntilIdle();
  const [only] = await job.waiting();
  expect(only?.text).toMatch(
    /^pay\(\{ to: 'mallory', euros: 1, note: 'n{500}… \(99,500 more of 100,000 characters\)' \}\)$/,
  );
  expect([only?.arguments, (only?.characters ?? 0) > 100_000]).toEqual([undefined, true]);
  const [call] = await job.calls();
  expect(await call?.input()).toEqual([{ to: 'mallory', euros: 1, note: 'n'.repeat(100_000) }]);
});

it('shows what a workspace waits for, and what was asked in Python', async () => {
  const role = program({
    role: 'python',
    language: 'python',
    source: `approve("Send?", {"sum": 5})`,
  });
  const kit = await openKit({ drivers: [role], services: { pay } });
  const workspace = await kit.workspace('desk', { vars: { pay } });
  const step = await workspace.run('await pay("ann", 3)');
  expect(step.waiting).toMatchObject([{ text: "pay({ to: 'ann', euros: 3 })", arguments: [{ to: 'ann', euros: 3 }] }]);
  const job = await kit.submit(role);
  await kit.runUntilIdle();
  expect(await job.waiting()).toMatchObject([{ text: 'Send? { sum: 5 }', details: { sum: 5 } }]);
});

it('binds and checks calls that were recorded before that was done at the call', async () => {
  const kit = await openKit({ drivers: [anything], services: { pay } });
  const job = await kit.submit(anything, { id: 'old', input: 'await pay("ann", 3)', vars: { pay } });
  await kit.runUntilIdle();
  const [entry] = await kit.store.read(futureRows, [['old', 1]]);
  const future = entry?.value as CallRow;
  const { token, method } = future.call;
  // As it would have been written: positions, and no word of how far they had come.
  const value = { ...future, call: { token, method, parameters: '[[0],["A","ann",3]]' } };
  await kit.store.commit([{ writes: [{ kind: 'put', collection: futureRows, key: ['old', 1], value }] }]);
  expect((await job.waiting())[0]?.text).toBe("pay('ann', 3)");
  await kit.approve('old/1');
  expect(await job.result()).toBe('paid ann');
});
