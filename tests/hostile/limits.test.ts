// One test for each limit: its default, what happens past it, and that the next step works with what was there before.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Statek } from '../../src/kit/statek.ts';
import { defaultLimits, limitsWith, type WorkspaceLimits } from '../../src/workspace/limits.ts';
import type { Step } from '../../src/workspace/step.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';

let kit: Statek;
beforeAll(async () => {
  kit = await Statek.open({ store: 'memory:' });
});
afterAll(() => kit.close());

const echo = (value: unknown): unknown => value;
const text = (length: number): string => 'x'.repeat(length);
/** Keeps the thread busy for so many milliseconds of CPU time. */
const work = (milliseconds: number): void => {
  const used = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  for (const end = used() + milliseconds; used() < end;);
};
const cell = new Int32Array(new SharedArrayBuffer(4));
const stand = (milliseconds: number): void => void Atomics.wait(cell, 0, 0, milliseconds);
const later = async (value: unknown): Promise<unknown> => value;
let numbered = 0;

async function workspaceWith(limits: Partial<WorkspaceLimits>): Promise<Workspace> {
  const workspace = await kit.workspace(`limits ${++numbered}`, { vars: { echo, text, stand, later }, limits });
  await workspace.run('var kept = 41');
  return workspace;
}

/** The step did not stand, nothing of it is left, and the next one works. */
async function expectDropped(workspace: Workspace, step: Step): Promise<void> {
  expect(step).toMatchObject({ status: 'failed', error: { name: 'LimitError', code: 'LIMIT' }, console: [] });
  expect(await workspace.locals()).not.toHaveProperty('touched');
  expect(await workspace.run('kept + 1')).toMatchObject({ status: 'done', value: 42 });
}

async function expectAnswers(workspace: Workspace): Promise<void> {
  expect(await workspace.run('kept + 1')).toMatchObject({ status: 'done', value: 42 });
}

it('has a default for every limit, and refuses what is no limit', () => {
  expect(limitsWith({})).toEqual(defaultLimits);
  for (const name of Object.keys(defaultLimits)) {
    expect(() => limitsWith({ [name]: 0 })).toThrow(name);
    expect(() => limitsWith({ [name]: Number.POSITIVE_INFINITY })).toThrow(name);
    expect(() => limitsWith({ [name]: 1.5 })).toThrow(name);
  }
  expect(() => limitsWith({ cpu: 1 } as Partial<WorkspaceLimits>)).toThrow('cpu');
});

describe('CPU time', () => {
  it('ends a slice at the soft limit', async () => {
    const workspace = await workspaceWith({ softCpuMilliseconds: 100 });
    const step = await workspace.run('var touched = 1; print("x"); for (;;) try { for (;;); } catch {}');
    expect(step.error?.message).toContain('CPU time');
    expect(step.error?.code).toBe('LIMIT');
    await expectDropped(workspace, step);
  });

  it('ends native work, which knows no soft limit, at the hard one', async () => {
    const workspace = await workspaceWith({ softCpuMilliseconds: 100, hardCpuMilliseconds: 200 });
    const step = await workspace.run('var touched = 1; Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)');
    expect(step.error?.code).toBe('LIMIT');
    await expectDropped(workspace, step);
  });

  it('keeps a hard limit that is lower than the soft one', async () => {
    const workspace = await workspaceWith({ hardCpuMilliseconds: 100 });
    const step = await workspace.run('for (;;);');
    expect(step.error?.code).toBe('LIMIT');
    await expectDropped(workspace, step);
  });

  it('counts what the host does for the program', async () => {
    const workspace = await workspaceWith({ softCpuMilliseconds: 100, hardCpuMilliseconds: 200 });
    const step = await workspace.run('let n = 0; for (; n < 1_000_000; n++) echo(text(1000))');
    expect(step.error?.code).toBe('LIMIT');
    await expectDropped(workspace, step);
  });

  it.each(['typescript', 'python'] as const)('counts the time of the application, too, in %s', async (language) => {
    const isPython = language === 'python';
    const workspace = await kit.workspace(`busy ${language}`, {
      language,
      vars: { work },
      limits: { softCpuMilliseconds: 100 },
    });
    await workspace.run(isPython ? 'kept = 41' : 'var kept = 41');
    const step = await workspace.run(
      isPython
        ? 'touched = 1\nwhile True:\n    try: work(200)\n    except BaseException: pass'
        : 'var touched = 1; for (;;) try { work(200) } catch {}',
    );
    expect(step.error?.message).toContain('CPU time');
    await expectDropped(workspace, step);
  });

  it('ends a slice that takes long without using CPU time, and says so', async () => {
    const workspace = await workspaceWith({ softCpuMilliseconds: 1000, hardCpuMilliseconds: 2000 });
    // The thread stands still, as it does while a function of the application waits for a file or a lock.
    const step = await workspace.run('var touched = 1; for (;;) try { stand(500) } catch {}');
    expect(step.error?.message).toContain('time on the clock');
    await expectDropped(workspace, step);
  });

  it.each(['typescript', 'python'] as const)(
    'ends the slice before it reads a value there is no time left for, in %s',
    async (language) => {
      const isPython = language === 'python';
      const workspace = await kit.workspace(`parts ${language}`, {
        language,
        vars: { echo, work },
        limits: { softCpuMilliseconds: 1000, hardCpuMilliseconds: 1000 },
      });
      await workspace.run(isPython ? 'kept = 41' : 'var kept = 41');
      // Very many empty arrays take longer to read than is left after the work.
      const step = await workspace.run(
        isPython
          ? 'touched = [[] for _ in range(200_000)]\nwhile True: echo(touched)'
          : 'var touched = Array.from({ length: 200_000 }, () => []); for (;;) echo(touched)',
      );
      expect(step.error?.code).toBe('LIMIT');
      await expectDropped(workspace, step);
    },
  );

  it('lets ordinary work be done by default', async () => {
    const workspace = await workspaceWith({});
    const step = await workspace.run('let sum = 0; for (let i = 0; i < 1_000_000; i++) sum += i; sum');
    expect(step.value).toBe(499_999_500_000);
  });
});

describe('memory', () => {
  it('is an error the program can catch', async () => {
    const workspace = await workspaceWith({ heapBytes: 4 * 2 ** 20 });
    const step = await workspace.run(
      '(() => { try { const a = []; for (;;) a.push(new Uint8Array(100_000)) } catch (e) { return e.name } })()',
    );
    expect(step).toMatchObject({ status: 'done', value: 'InternalError' });
    await expectAnswers(workspace);
  });

  it('drops a slice that leaves no room for the next one', async () => {
    const workspace = await workspaceWith({ heapBytes: 4 * 2 ** 20 });
    const step = await workspace.run('var touched = []; try { for (;;) touched.push({}) } catch {} 1');
    expect(step.error?.message).toContain('memory');
    expect(step.error?.code).toBe('LIMIT');
    await expectDropped(workspace, step);
  });

  it('is more by default', async () => {
    const workspace = await workspaceWith({});
    expect((await workspace.run('var large = new Uint8Array(20_000_000); large.length')).value).toBe(20_000_000);
  });
});

describe('depth', () => {
  const depth = 'var touched = 0; const f = () => { touched++; f() }; try { f() } catch (e) { e.name }';

  it('is an error the program can catch', async () => {
    const workspace = await workspaceWith({ stackBytes: 32 * 1024 });
    expect(await workspace.run(depth)).toMatchObject({ status: 'done', value: 'RangeError' });
    await expectAnswers(workspace);
  });

  it('is more by default', async () => {
    const small = await workspaceWith({ stackBytes: 32 * 1024 });
    const usual = await workspaceWith({});
    await small.run(depth);
    await usual.run(depth);
    const reached = await Promise.all([small, usual].map(async (each) => Number((await each.locals())['touched'])));
    expect(reached[1]).toBeGreaterThan((reached[0] ?? 0) * 2);
  });
});

describe('source', () => {
  it('is refused before anything runs', async () => {
    const workspace = await workspaceWith({ sourceBytes: 200 });
    const step = await workspace.run(`var touched = 1; "${'é'.repeat(100)}"`);
    expect(step).toMatchObject({ status: 'failed', error: { code: 'CELL_TOO_LARGE' } });
    expect(await workspace.locals()).not.toHaveProperty('touched');
    await expectAnswers(workspace);
  });

  it('is a mebibyte by default', async () => {
    const workspace = await workspaceWith({});
    expect((await workspace.run(`"${'x'.repeat(1_000_000)}".length`)).value).toBe(1_000_000);
    expect((await workspace.run(' '.repeat(2 ** 20 + 1))).error?.code).toBe('CELL_TOO_LARGE');
    await expectAnswers(workspace);
  });
});

describe('console', () => {
  it('is cut, and says how much was left out', async () => {
    const workspace = await workspaceWith({ consoleBytes: 100 });
    const step = await workspace.run('for (let i = 0; i < 100; i++) print("0123456789"); kept');
    expect(step.value).toBe(41);
    expect(step.console.slice(0, -1).join('').length).toBeLessThanOrEqual(100);
    expect(step.console.at(-1)).toMatch(/left out; a step may print 100\./);
    await expectAnswers(workspace);
  });

  it('counts lines without text', async () => {
    const workspace = await workspaceWith({ consoleBytes: 100 });
    const step = await workspace.run('for (let i = 0; i < 1000; i++) print("")');
    expect(step.console.length).toBeLessThanOrEqual(101);
    await expectAnswers(workspace);
  });

  it('is for the whole step, however many slices it takes', async () => {
    const workspace = await workspaceWith({ consoleBytes: 100 });
    await workspace.run('for (let i = 0; i < 20; i++) { print("0123456789"); await later(i) }');
    const step = await workspace.settled();
    expect(step.console.filter((line) => line === '0123456789').length).toBeLessThan(11);
    await expectAnswers(workspace);
  });

  it('counts errors that nobody caught', async () => {
    const workspace = await workspaceWith({ consoleBytes: 1000 });
    const step = await workspace.run('for (let i = 0; i < 5000; i++) Promise.reject(new Error("lost " + i)); 1');
    expect(step.console.join('').length).toBeLessThan(1200);
    expect(step.console.length).toBeLessThan(30);
    await expectAnswers(workspace);
  });

  it('is a quarter of a mebibyte by default', async () => {
    const workspace = await workspaceWith({});
    const step = await workspace.run('for (let i = 0; i < 30; i++) print("x".repeat(10_000))');
    expect(step.console.slice(0, -1).join('').length).toBeGreaterThan(250_000);
    expect(step.console.at(-1)).toContain('left out');
  });
});

describe('values', () => {
  it('to the application are refused as an error the program can catch', async () => {
    const workspace = await workspaceWith({ valueBytes: 2000 });
    const step = await workspace.run('try { echo("x".repeat(3000)) } catch (e) { e.code }');
    expect(step.value).toBe('WIRE_SIZE');
    await expectAnswers(workspace);
  });

  it('of very many parts are refused, whatever their length, and brackets in texts are no parts', async () => {
    const workspace = await workspaceWith({ valueBytes: 200_000 });
    const parts = await workspace.run('try { echo(Array.from({ length: 8000 }, () => [])) } catch (e) { e.message }');
    expect(parts.value).toMatch(/too many parts: \d+ .*, 12500 allowed/);
    const brackets = await workspace.run(
      'echo("[\\"[".repeat(30_000)).length + echo(Array.from({ length: 5000 }, () => [])).length',
    );
    expect(brackets.value).toBe(95_000);
    await expectAnswers(workspace);
  });

  it('from the application are refused as an error the program can catch', async () => {
    const workspace = await workspaceWith({ valueBytes: 2000 });
    const step = await workspace.run('try { text(3000) } catch (e) { e.code }');
    expect(step.value).toBe('WIRE_SIZE');
    await expectAnswers(workspace);
  });

  it('of steps are refused, and what the step did stays', async () => {
    const workspace = await workspaceWith({ valueBytes: 2000 });
    const step = await workspace.run('var done = 1; "x".repeat(3000)');
    expect(step).toMatchObject({ status: 'failed', error: { code: 'WIRE_SIZE' } });
    expect(await workspace.locals()).toMatchObject({ done: 1 });
    await expectAnswers(workspace);
  });

  it('in errors are cut', async () => {
    const workspace = await workspaceWith({});
    const step = await workspace.run('throw new Error("x".repeat(1_000_000))');
    expect(step.status).toBe('failed');
    expect(step.error?.message.length).toBeLessThan(200_000);
    await expectAnswers(workspace);
  });

  it('may have megabytes by default', async () => {
    // However long the machine takes for them.
    const workspace = await workspaceWith({ softCpuMilliseconds: 60_000, hardCpuMilliseconds: 120_000 });
    expect((await workspace.run('echo(text(5_000_000)).length')).value).toBe(5_000_000);
    for (const length of [9_000_000, 30_000_000])
      expect((await workspace.run(`try { echo("x".repeat(${length})) } catch (e) { e.code }`)).value).toBe('WIRE_SIZE');
    expect((await workspace.run('"x".repeat(30_000_000)')).error?.code).toBe('WIRE_SIZE');
  });
});

describe('what is handed to the application in one slice', () => {
  it.each(['typescript', 'python'] as const)('ends the slice when it is too much, in %s', async (language) => {
    const isPython = language === 'python';
    const workspace = await kit.workspace(`handed ${language}`, {
      language,
      vars: { echo, later },
      limits: { handedBytes: 100_000 },
    });
    await workspace.run(isPython ? 'kept = 41' : 'var kept = 41');
    for (const call of ['echo', 'later']) {
      const step = await workspace.run(
        isPython
          ? `touched = 1\nfor _ in range(30):\n    try: ${call === 'later' ? 'start(later, "x" * 5000)' : 'echo("x" * 5000)'}\n    except BaseException: pass`
          : `var touched = 1; for (let i = 0; i < 30; i++) try { void ${call}("x".repeat(5000)) } catch {}`,
      );
      expect(step.error?.message).toContain('100000 bytes to the application');
      await expectDropped(workspace, step);
    }
  });

  it('is counted anew in each slice, and does not count what is printed', async () => {
    const workspace = await workspaceWith({ handedBytes: 100_000 });
    const step = 'for (let i = 0; i < 15; i++) { echo("x".repeat(5000)); print("y".repeat(10_000)) } kept';
    expect((await workspace.run(step)).value).toBe(41);
    expect((await workspace.run(step)).value).toBe(41);
  });

  it('is 64 MiB by default', async () => {
    const workspace = await workspaceWith({ softCpuMilliseconds: 60_000, hardCpuMilliseconds: 60_000 });
    const step = await workspace.run(
      'const s = "x".repeat(8_000_000); for (let i = 0; i < 8; i++) echo(s).length; kept',
    );
    expect(step.value).toBe(41);
    await expectDropped(
      workspace,
      await workspace.run('var touched = "x".repeat(8_000_000); for (let i = 0; i < 9; i++) echo(touched)'),
    );
  });
});

describe('futures', () => {
  it('end a slice that waits for too many', async () => {
    const workspace = await workspaceWith({ futures: 5 });
    const step = await workspace.run('var touched = 1; for (let i = 0; i < 6; i++) try { sleep(1000) } catch {}');
    expect(step.error?.code).toBe('LIMIT');
    await expectDropped(workspace, step);
  });

  it('count those of earlier steps', async () => {
    const workspace = await workspaceWith({ futures: 5 });
    expect((await workspace.run('for (let i = 0; i < 5; i++) void signal("never"); 1')).value).toBe(1);
    await expectDropped(workspace, await workspace.run('var touched = 1; void signal("never")'));
  });

  it('are a thousand by default', async () => {
    const workspace = await workspaceWith({});
    expect((await workspace.run('for (let i = 0; i < 1000; i++) void signal("never"); 1')).value).toBe(1);
    await expectDropped(workspace, await workspace.run('var touched = 1; void signal("never")'));
  });
});

describe('slices of a step', () => {
  const many = 'var touched = 0; for (let i = 0; i < 8; i++) { await later(i); touched++ } touched';

  it('end a step that takes too many', async () => {
    const workspace = await workspaceWith({ slicesPerStep: 4 });
    await workspace.run(many);
    const step = await workspace.settled();
    expect(step).toMatchObject({ status: 'failed', error: { code: 'LIMIT' } });
    expect(step.error?.message).toContain('4 slices');
    await expectAnswers(workspace);
  });

  it('are more by default', async () => {
    const workspace = await workspaceWith({});
    await workspace.run(many);
    expect(await workspace.settled()).toMatchObject({ status: 'done', value: 8 });
  });
});
