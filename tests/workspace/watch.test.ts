// An expression in the course of time, and exact differences between commits.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InvalidOptionError, Statek, type Workspace } from '../../src/index.ts';

let kit: Statek;
beforeEach(async () => {
  kit = await Statek.open({ store: 'memory:' });
});
afterEach(async () => kit.close());

/** A workspace whose `total` is 0, -1, -2 … after so many steps. */
async function counting(steps: number, language: 'typescript' | 'python' = 'typescript'): Promise<Workspace> {
  const workspace = await kit.workspace(`counting-${language}`, { language });
  await workspace.run(language === 'python' ? 'total = 0\nseen = []' : 'let total = 0; const seen: number[] = []');
  for (let step = 1; step < steps; step++)
    await workspace.run(language === 'python' ? 'total -= 1\nseen.append(total)' : 'total -= 1; seen.push(total)');
  return workspace;
}

describe('watch', () => {
  it('has the value at every commit, oldest first, and why it has none', async () => {
    const workspace = await counting(5);
    const { values, isSampled } = await workspace.watch('total * 2');
    expect(values.map(({ value, error }) => value ?? error)).toEqual([
      expect.stringMatching(/^ReferenceError/),
      expect.stringMatching(/^ReferenceError/),
      0,
      -2,
      -4,
      -6,
      -8,
    ]);
    expect(isSampled).toBe(false);
    expect(values.map(({ hash }) => hash).toReversed()).toEqual((await workspace.commits()).map(({ hash }) => hash));
    // Looking changes nothing.
    await workspace.watch('total = 100');
    expect(await workspace.locals()).toMatchObject({ total: -4 });
  });

  it('samples evenly where there are more commits than asked for, with the ends', async () => {
    const workspace = await counting(40);
    const { values, isSampled } = await workspace.watch('total', { limit: 5 });
    expect(values).toHaveLength(5);
    expect(isSampled).toBe(true);
    expect(values.at(-1)?.value).toBe(-39);
    const some = await workspace.watch('total', { from: 3, to: 6 });
    expect(some.values.map(({ sequence }) => sequence)).toEqual([3, 4, 5, 6]);
  });

  it('goes through the commits of the workspace a fork came from', async () => {
    const workspace = await counting(4);
    const fork = await workspace.fork();
    await fork.run('total = 7');
    const { values } = await fork.watch('total', { from: 2 });
    expect(values.map(({ value }) => value)).toEqual([0, -1, -2, -3, -3, 7]);
  });

  it('is told by expressions that never end, wait or are empty', async () => {
    const workspace = await counting(1);
    const { values } = await workspace.watch('for (;;) {}', { from: 2 });
    expect(values[0]?.error).toMatch(/limit/);
    await expect(workspace.watch('  ')).rejects.toThrow(InvalidOptionError);
    await expect(workspace.watch('1', { limit: 0 })).rejects.toThrow(InvalidOptionError);
  });
});

describe('find', () => {
  it.each(['typescript', 'python'] as const)('finds the first commit at which it is true, in %s', async (language) => {
    const workspace = await counting(40, language);
    const { found, evaluated } = await workspace.find('total < -20');
    expect(found?.sequence).toBe(23);
    expect(evaluated).toBeLessThan(40);
    expect((await workspace.find('seen')).found?.sequence).toBe(language === 'python' ? 3 : 2);
    expect((await workspace.find('total > 5')).found).toBeUndefined();
  });

  it.each(['typescript', 'python'] as const)('says why it has no value anywhere, in %s', async (language) => {
    const workspace = await counting(3, language);
    expect((await workspace.find('totl < 0')).error).toMatch(/^(?:Reference|Name)Error: .*totl/);
    expect(await workspace.find('total > 5')).not.toHaveProperty('error');
  });

  it('finds one that is true no longer', async () => {
    const workspace = await counting(10);
    await workspace.run('total = 0');
    expect((await workspace.find('total === -4')).found?.sequence).toBe(6);
  });

  it('finds one in what retention has left', async () => {
    const workspace = await counting(30);
    await kit.gc({ retention: { last: 12 } });
    const { found } = await workspace.find('total < -3');
    expect(found).toBeDefined();
    expect(typeof (await workspace.at(found?.hash ?? '')).locals()['total']).toBe('number');
    expect((await workspace.find('total < -25')).found?.sequence).toBe(28);
  });
});

describe('diff', () => {
  it.each(['typescript', 'python'] as const)('sees changes where values are cut, in %s', async (language) => {
    const isPython = language === 'python';
    const workspace = await kit.workspace(`diff-${language}`, { language });
    const before = await workspace.run(
      isPython
        ? 'rows = list(range(5000))\ntext = "x" * 50000\nsame = rows\nother = {"a": [1, 2, {"b": 3}]}'
        : 'const rows = Array.from({ length: 5000 }, (_, i) => i); let text = "x".repeat(50000); const same = rows; const other = { a: [1, 2, { b: 3 }] };',
    );
    const after = await workspace.run(
      isPython ? 'rows[4321] = -1\ntext = text[:-1] + "y"' : 'same[4321] = -1; text = text.slice(0, -1) + "y"',
    );
    const differences = await workspace.diff(before.commit ?? '', after.commit ?? '');
    expect(differences.map(({ name, change }) => `${change} ${name}`)).toEqual([
      'changed rows',
      'changed same',
      'changed text',
    ]);
    expect(await workspace.diff(after.commit ?? '', after.commit ?? '')).toEqual([]);
  });

  it('sees that two variables no longer share a value', async () => {
    const workspace = await kit.workspace('shared');
    const before = await workspace.run('const a = { n: 1 }; let pair = [a, a];');
    const after = await workspace.run('pair = [a, { n: 1 }];');
    const differences = await workspace.diff(before.commit ?? '', after.commit ?? '');
    expect(differences.map(({ name }) => name)).toEqual(['pair']);
  });
});

describe('fork with other variables', () => {
  it.each(['typescript', 'python'] as const)('begins with them, in one commit, in %s', async (language) => {
    const workspace = await counting(3, language);
    const commits = await workspace.commits();
    const fork = await workspace.fork(undefined, { id: `edited-${language}`, vars: { total: 50, extra: { a: [1] } } });
    expect(await fork.locals()).toMatchObject({ total: 50, extra: { a: [1] } });
    expect(await workspace.locals()).toMatchObject({ total: -2 });
    expect((await fork.commits()).length).toBe(commits.length + 2);
    const step = await fork.run('total + 1');
    expect(step.value).toBe(51);
  });

  it.each(['typescript', 'python'] as const)('goes on in the middle of a wait with them, in %s', async (language) => {
    const workspace = await kit.workspace(`waiting-${language}`, { language });
    const isPython = language === 'python';
    const step = await workspace.run(
      isPython
        ? 'price = 10\nday = ask("When?")\nf"{day} {price}"'
        : 'let price = 10; const day = await ask("When?"); `${day} ${price}`',
    );
    const fork = await workspace.fork(step.commit, { vars: { price: 99 } });
    await kit.answer(step.waiting[0]?.id ?? '', 'Friday');
    expect((await workspace.settled()).value).toBe('Friday 10');
    expect((await fork.settled()).value).toBe('Friday 99');
  });

  it('refuses what another process could not find, and names that are none; nothing is left behind', async () => {
    const workspace = await counting(2);
    for (const vars of [{ total: { on: () => 1, socket: new AbortController() } }, { '1x': 1 }, { ask: 1 }])
      await expect(workspace.fork(undefined, { id: 'never', vars })).rejects.toThrow(InvalidOptionError);
    expect(await kit.findWorkspace('never')).toBeUndefined();
    await expect(workspace.fork(undefined, { id: 'x', wars: {} } as never)).rejects.toThrow(/wars/);
  });
});
