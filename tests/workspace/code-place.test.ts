// Where in the code of a step a program asked for what it waits for.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { program, Statek } from '../../src/index.ts';

const mailer = { send: async (_text: string) => new Promise<never>(() => undefined) };
let kit: Statek;
beforeEach(async () => {
  kit = await Statek.open({ store: 'memory:', services: { mailer } });
});
afterEach(async () => kit.close());

/** Where the line and column are: the text from there to the end of the line. */
function textAt(source: string, at: { line: number; column: number } | undefined): string | undefined {
  return at && source.split('\n')[at.line - 1]?.slice(at.column - 1);
}

it('points at the line and column, in TypeScript', async () => {
  const workspace = await kit.workspace('typescript', { vars: { mailer: mailer } });
  const source = [
    'const é: string = "ü";',
    'async function order(name: string): Promise<unknown> {',
    '  const first: number = 1; const answer = await ask(`Which ${name}?`);',
    '  return answer;',
    '}',
    'await Promise.all([order("size"), sleep(60_000), mailer.send("x")]);',
  ].join('\n');
  const step = await workspace.run(source);
  expect(step.status).toBe('suspended');
  const places = step.waiting.map(({ kind, at }) => [kind, at?.step, textAt(source, at)]);
  expect(places).toEqual([
    ['ask', 1, expect.stringMatching(/^ask\(`Which/)],
    ['sleep', 1, expect.stringMatching(/^sleep\(60/)],
    ['call', 1, expect.stringMatching(/^mailer\.send\("x"/)],
  ]);
  expect(await workspace.waiting()).toEqual(step.waiting);
});

it('points into an earlier step whose function is called, and keeps that in a fork', async () => {
  const workspace = await kit.workspace('earlier');
  const source = '// one\nconst later = async () => {\n  await signal("go");\n};';
  await workspace.run(source);
  const step = await workspace.run('await later();');
  const [wait] = step.waiting;
  expect(wait?.at).toMatchObject({ step: 1, line: 3 });
  const fork = await workspace.fork(step.commit ?? '');
  expect((await fork.waiting()).map(({ at }) => at)).toEqual([wait?.at]);
});

it('points at the line and column, in Python', async () => {
  const workspace = await kit.workspace('python', { language: 'python' });
  const source = ['ü = "é"', 'def order(name):', '    x = "ä"; return ask(f"Which {name}?")', '', 'order("size")'].join(
    '\n',
  );
  const step = await workspace.run(source);
  const [wait] = step.waiting;
  expect(wait?.at).toMatchObject({ step: 1, line: 3 });
  expect(textAt(source, wait?.at)).toMatch(/^ask\(/);
});

it('names the place in what jobs wait for', async () => {
  const other = await Statek.open({
    store: 'memory:',
    drivers: [program({ role: 'clerk', source: 'const a = 1;\nconst day = await ask("Which day?");\nday' })],
  });
  await other.submit('clerk', {});
  await other.runUntilIdle();
  for await (const pending of other.pending()) expect(pending.at).toMatchObject({ line: 2 });
  await other.close();
});
