// One suite for every language of the workspace: what a step, a wait, a limit, a handle and the history promise does not depend on
// what steps are written in.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Statek, type Step, type Workspace } from '../../src/index.ts';
import { python, typescript, type Dialect, type Program } from './dialects.ts';

class Child {
  readonly name = 'kid';
}

class Account {
  owner = 'Ada';
  balance = 10;
  deposit(amount: number): number {
    this.balance += amount;
    return this.balance;
  }
  fail(): never {
    throw new RangeError('not allowed');
  }
  child(): Child {
    return new Child();
  }
}

function application(): Record<string, unknown> {
  return {
    account: new Account(),
    each: (items: unknown[], call: (item: unknown) => unknown): unknown[] => items.map((item) => call(item)),
    late: async (value: unknown): Promise<unknown> => value,
    lateFail: async (): Promise<never> => {
      throw new Error('rejected');
    },
  };
}

const limits = { softCpuMilliseconds: 200, hardCpuMilliseconds: 400, heapBytes: 24 * 2 ** 20, futures: 20 };

describe.each([typescript, python])(
  '$language',
  ({ language, code, modules }: Dialect) => {
    let folder = '';
    let kit: Statek;
    let named = 0;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'statek-conformance-'));
      kit = await Statek.open({ store: folder, modules, limits });
    });
    afterAll(async () => {
      await kit.close();
      rmSync(folder, { recursive: true, force: true });
    });

    /** A new workspace that has run these programs. */
    const after = async (...programs: Program[]): Promise<Workspace> => {
      const workspace = await kit.workspace(`w${++named}`, { language, vars: application() });
      for (const program of programs) await workspace.run(code[program]);
      return workspace;
    };
    const run = (workspace: Workspace, program: Program): Promise<Step> => workspace.run(code[program]);
    const value = async (workspace: Workspace, program: Program): Promise<unknown> => {
      const step = await run(workspace, program);
      expect([program, step.status, step.error?.message]).toEqual([program, 'done', undefined]);
      return step.value;
    };

    it('keeps variables, and gives the value of the last expression', async () => {
      const workspace = await after('assign');
      expect(await value(workspace, 'useX')).toBe(21);
      expect(await value(workspace, 'nothing')).toBeUndefined();
      expect(await value(workspace, 'useX')).toBe(21);
    });

    it('keeps functions, closures and instances', async () => {
      const workspace = await after('define');
      expect(await value(workspace, 'useDefined')).toEqual([5, 'kept']);
    });

    it('keeps lines in order', async () => {
      const workspace = await after();
      expect((await run(workspace, 'print')).console).toEqual(['hello 1', 'two']);
      expect(await workspace.console()).toEqual(['hello 1', 'two']);
    });

    it('tells where an error is, and keeps what was done before it', async () => {
      const workspace = await after('assign');
      const step = await run(workspace, 'assignThenFail');
      expect(step).toMatchObject({ status: 'failed', error: { message: 'broken', line: 2 } });
      expect(step.error?.frame).toContain('> 2 |');
      expect(await value(workspace, 'readX')).toBe(5);
    });

    it('undoes a failed step that was all or nothing', async () => {
      const workspace = await after('assign');
      expect((await workspace.run(code.assignThenFail, { allOrNothing: true })).status).toBe('failed');
      expect(await value(workspace, 'readX')).toBe(20);
    });

    it('refuses a mistake in the text, with its place', async () => {
      const workspace = await after('assign');
      expect(await run(workspace, 'mistake')).toMatchObject({ status: 'failed', error: { line: 2 } });
      expect(await value(workspace, 'readX')).toBe(20);
    });

    it.each(['endless', 'greedy', 'deep'] as const)('stops %s code, and answers afterwards', async (program) => {
      const workspace = await after('assign');
      const step = await run(workspace, program);
      expect(step.status).toBe('failed');
      // Code may catch that there is no memory or no depth left; it cannot catch that its time is up.
      expect(program !== 'endless' || step.error?.code === 'LIMIT').toBe(true);
      expect(await value(workspace, 'readX')).toBe(20);
    });

    it('uses objects of the application', async () => {
      const workspace = await after();
      expect(await value(workspace, 'field')).toBe('Ada');
      expect(await value(workspace, 'setField')).toBe('Grace');
      expect(await value(workspace, 'call')).toBe(15);
      expect(await value(workspace, 'hostError')).toBe('not allowed');
      expect(await value(workspace, 'callBack')).toEqual([2, 4]);
      expect(await value(workspace, 'useTransient')).toBe('kid');
    });

    it('refuses to keep what cannot be found again, by its name', async () => {
      const workspace = await after('assign');
      const step = await run(workspace, 'keepTransient');
      expect(step.error).toMatchObject({ code: 'NOT_DURABLE' });
      expect(step.error?.message).toContain('held');
      expect(await value(workspace, 'readX')).toBe(20);
    });

    it('waits for asynchronous functions, timers, answers and signals', async () => {
      const workspace = await after();
      const settled = async (program: Program): Promise<unknown> => {
        await run(workspace, program);
        return (await workspace.settled()).value;
      };
      expect(await settled('late')).toBe(5);
      expect(await settled('lateFails')).toBe('rejected');
      expect(await settled('sleepAndTell')).toBe('slept');
      const asked = await run(workspace, 'ask');
      expect(asked).toMatchObject({ status: 'suspended', waiting: [{ kind: 'ask' }] });
      // No details were given, so none are shown to whoever answers.
      expect(asked.waiting[0]?.text).toBe(asked.waiting[0]?.question);
      expect(asked.waiting[0]).not.toHaveProperty('details');
      await kit.answer(asked.waiting[0]?.id ?? '', 'Ada');
      expect((await workspace.settled()).value).toBe('hello Ada');
      const name = `go`;
      await run(workspace, 'signal');
      await kit.signal(name, { n: 1 });
      expect((await workspace.settled()).value).toEqual({ n: 1 });
    });

    it('runs a step that was given meanwhile after the one that waits', async () => {
      const workspace = await after('assign');
      const asked = await run(workspace, 'ask');
      expect((await run(workspace, 'readX')).status).toBe('queued');
      await kit.answer(asked.waiting[0]?.id ?? '', 'Grace');
      expect((await workspace.settled()).value).toBe(20);
    });

    it('goes on in another process from the middle of a loop', async () => {
      const workspace = await after('define');
      const step = await run(workspace, 'loopOfSignals');
      await kit.signal('go', 1);
      await kit.runUntilIdle();
      await kit.close();
      kit = await Statek.open({ store: folder, modules, limits });
      const again = await kit.workspace(workspace.id, { vars: application() });
      await kit.signal('go', 10);
      await kit.signal('go', 100);
      await kit.runUntilIdle();
      expect(await again.step(step.number)).toMatchObject({ status: 'done', value: 111 });
      expect(await value(again, 'useDefined')).toEqual([5, 'kept']);
    });

    it('drops a step that meets a limit after it has waited, and answers the next', async () => {
      const workspace = await after('assign');
      const step = await run(workspace, 'signalThenEndless');
      await kit.signal('go');
      await kit.runUntilIdle();
      expect(await workspace.step(step.number)).toMatchObject({ status: 'failed', error: { code: 'LIMIT' } });
      expect(await value(workspace, 'useX')).toBe(21);
    });

    it('ends a wait that nothing can end', async () => {
      const workspace = await after('assign');
      expect((await run(workspace, 'waitForNothing')).error?.code).toBe('DEADLOCK');
      expect(await value(workspace, 'readX')).toBe(20);
    });

    it('holds a program to its number of futures', async () => {
      const workspace = await after('assign');
      expect((await run(workspace, 'manyFutures')).error?.code).toBe('LIMIT');
      expect(await value(workspace, 'readX')).toBe(20);
    });

    it('shows variables without running code', async () => {
      const workspace = await after('assign', 'trap');
      expect(await workspace.locals()).toMatchObject({ x: 20 });
      expect(await value(workspace, 'readX')).toBe(20);
    });

    it('goes back, forks, looks at the past and tells what changed', async () => {
      const workspace = await after('assign');
      const [{ hash: first } = { hash: '' }] = await workspace.commits({ limit: 1 });
      await run(workspace, 'increaseX');
      const [{ hash: second } = { hash: '' }] = await workspace.commits({ limit: 1 });
      expect(await workspace.diff(first, second)).toEqual([
        { name: 'x', change: 'changed', before: '20', after: '21' },
      ]);

      const past = await workspace.at(first);
      expect(past.locals()).toMatchObject({ x: 20 });
      expect(await past.run(code.useX)).toBe(21);

      const fork = await workspace.fork(first);
      await fork.run(code.increaseX);
      await fork.run(code.increaseX);
      expect(await value(fork, 'readX')).toBe(22);
      expect(await value(workspace, 'readX')).toBe(21);

      await workspace.rollback(first);
      expect(await value(workspace, 'readX')).toBe(20);
    });

    it('looks at the past of a program that waits', async () => {
      const workspace = await after('assign', 'ask');
      const [{ hash } = { hash: '' }] = await workspace.commits({ limit: 1 });
      expect(await (await workspace.at(hash)).run(code.useX)).toBe(21);
      const fork = await workspace.fork(hash);
      await kit.answer((await workspace.step(2)).waiting[0]?.id ?? '', 'both');
      expect((await workspace.settled()).value).toBe('hello both');
      expect((await fork.settled()).value).toBe('hello both');
    });

    it('imports modules of the application and no others', async () => {
      const workspace = await after();
      expect(await value(workspace, 'import')).toBe(8);
      expect((await run(workspace, 'importMissing')).status).toBe('failed');
    });

    it('gives each program its own dice, the same for the same seed', async () => {
      const roll = async (name: string, seed?: number): Promise<unknown> =>
        value(await kit.workspace(name, { language, ...(seed === undefined ? {} : { seed }) }), 'random');
      const [first, second, third, fourth] = [
        await roll('s1', 7),
        await roll('s2', 7),
        await roll('s3'),
        await roll('s4'),
      ];
      expect(first).toBe(second);
      expect(new Set([first, third, fourth]).size).toBe(3);
    });

    it('has the time zone it was given', async () => {
      expect(await value(await kit.workspace('zone', { language, timeZone: 'Asia/Tokyo' }), 'localHour')).toBe(21);
    });

    it('is of one language for good', async () => {
      const { id } = await after();
      const other = language === 'python' ? 'typescript' : 'python';
      await expect(kit.workspace(id, { language: other })).rejects.toThrow(/language/);
    });
  },
  120_000,
);
