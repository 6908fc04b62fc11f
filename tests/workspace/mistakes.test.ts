// Mistakes of somebody who uses Statek for the first time: each is refused where it is made, and the answer says what to do.
import { describe, expect, it } from 'vitest';
import { Agent, InvalidOptionError, JobStateError, openStore, program, Statek } from '../../src/index.ts';
import { guestFunctions } from '../../src/workspace/variables/reserved-names.ts';
import { openKit, openWorkspace, valueOf } from './support/kits.ts';

const open = Statek.open.bind(Statek) as (...given: unknown[]) => Promise<Statek>;

it.each([
  ['without options', []],
  ['with undefined', [undefined]],
  ['with null', [null]],
  ['with a number', [7]],
  ['with a text', ['./data']],
  ['without a store', [{}]],
  ['with an undefined store', [{ store: undefined }]],
  ['with a number for a store', [{ store: 7 }]],
  ['with an empty store', [{ store: '' }]],
  ['with an object that is not a store', [{ store: { path: './data' } }]],
])('refuses to open %s, and says what to give', async (_how, given) => {
  const failure = await open(...given).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvalidOptionError);
  expect((failure as Error).message).toMatch(/^Statek\.open.*store/);
});

it.each([[undefined], [null], [7], [{}]])('refuses %o as the location of a store', async (location) => {
  await expect(openStore(location as never)).rejects.toThrow(InvalidOptionError);
  await expect(openStore(location as never)).rejects.toThrow(/a folder.*'memory:'/);
});

const languages = [
  {
    language: 'typescript',
    refused: ['exit', 'print', 'sleep', 'console', 'delegateAll', 'class', 'await', 'undefined', '__statek_x'],
    taken: ['None', 'def', 'start', 'get_all', 'event', 'input', 'answer'],
  },
  {
    language: 'python',
    refused: ['exit', 'print', 'sleep', 'None', 'def', 'class', 'lambda', 'get_all', 'HostError', '__statek_x'],
    taken: ['console', 'delegateAll', 'function', 'event', 'input', 'list'],
  },
] as const;

describe.each(languages)('in $language', ({ language, refused, taken }) => {
  const driver = program({ role: 'runner', source: '1', language });
  const agent = new Agent({ role: 'clerk', language, metadata: { MODEL: 'mock/clerk' } });

  it('names of guest functions and words of the language are refused as variables when given', async () => {
    const kit = await openKit({ drivers: [driver], agents: [agent] });
    for (const name of refused) {
      const vars = { [name]: 1 };
      for (const given of [
        () => kit.workspace('main', { language, vars }),
        () => kit.submit(driver, { vars }),
        () => kit.submit(agent, { vars }),
      ]) {
        const failure = await given().catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(InvalidOptionError);
        expect((failure as Error).message).toMatch(new RegExp(`^kit\\.(workspace|submit): vars\\.${name} `));
      }
    }
    expect(await kit.countJobs()).toBe(0);
    const workspace = await kit.workspace('main', { language });
    const failure = await kit.workspace('main', { vars: { exit: 1 } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidOptionError);
    expect(await valueOf(workspace, '1 + 1')).toBe(2);
  });

  it('other names are taken', async () => {
    const kit = await openKit({ drivers: [driver] });
    const vars = Object.fromEntries(taken.map((name, index) => [name, index]));
    const workspace = await kit.workspace('main', { language, vars });
    for (const [name, index] of Object.entries(vars))
      expect([name, await valueOf(workspace, name)]).toEqual([name, index]);
    await kit.submit(driver, { vars });
  });

  it('the list of guest functions is what a program finds', async () => {
    const workspace = await openWorkspace({ language });
    const missing: string[] = [];
    for (const name of guestFunctions[language])
      if ((await workspace.run(name)).error !== undefined) missing.push(name);
    expect(missing).toEqual([]);
  });
});

it.each([
  { language: 'typescript' as const, source: 'priceList.find(1)', wrong: 'prices' },
  { language: 'python' as const, source: 'price_list.find(1)', wrong: 'prices' },
])('says in $language that a service was not given to the program', async ({ language, source, wrong }) => {
  const kit = await openKit({ services: { priceList: { find: (id: number) => id } } });
  const workspace = await kit.workspace('main', { language });
  const { error } = await workspace.run(source);
  expect(error?.message).toMatch(
    /is not defined: the application has a service 'priceList' that this program was not given/,
  );
  expect((await workspace.run(wrong)).error?.message).not.toContain('service');
});

it.each([
  ['typescript', 'setTimeout(() => 1, 10)', /^setTimeout is not defined: use await sleep\(milliseconds\)\.$/],
  ['typescript', "const fs = require('node:fs')", /^require is not defined: use import/],
  ['typescript', "await fetch('http://example.org')", /^fetch is not defined: .*the application can pass a function/],
  ['typescript', 'constructor2', /^constructor2 is not defined$/],
  ['typescript', "throw new ReferenceError('it is not defined')", /^it is not defined$/],
  ['typescript', "throw new Error('fetch is not defined')", /^fetch is not defined$/],
  ['python', 'import requests', /^No module named 'requests': there is Python's standard library/],
] as const)('says in %s what to write instead of %s', async (language, source, message) => {
  const kit = await openKit();
  const workspace = await kit.workspace('main', { language });
  const { error } = await workspace.run(source);
  expect(error?.message).toMatch(message);
  expect((await workspace.run('1 + 1')).value).toBe(2);
});

it('names no language can take are refused for a role that no process has announced the language of', async () => {
  const far = program({ role: 'far', source: '1' });
  const there = await openKit({ store: 'memory:far', drivers: [far] });
  const here = await openKit({ store: 'memory:far' });
  await expect(here.submit('far', { vars: { exit: 1 } })).rejects.toThrow(/vars\.exit/);
  await here.submit('far', { vars: { def: 1 } });
  expect(await there.countJobs()).toBe(1);
});

it('the id of a job cannot be the name of a workspace, which is said when it is submitted', async () => {
  const driver = program({ role: 'runner', source: '1' });
  const kit = await openKit({ drivers: [driver] });
  await kit.workspace('taken');
  const failure = await kit.submit(driver, { id: 'taken' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(JobStateError);
  expect((failure as Error).message).toMatch(/a workspace 'taken' already.*another id/);
  expect(await kit.countJobs()).toBe(0);
  const first = await kit.submit(driver, { id: 'first' });
  await first.result();
  await expect(first.again({ id: 'taken' })).rejects.toThrow(/a workspace 'taken' already/);
  expect(await (await kit.submit(driver, { id: 'first' })).result()).toBe(1);
});

it('the name of a workspace cannot be the id of a job that has not begun', async () => {
  const driver = program({ role: 'runner', source: 'const kept = 5; kept' });
  const kit = await openKit({ drivers: [driver] });
  const job = await kit.submit(driver, { id: 'waiting' });
  await expect(kit.workspace('waiting')).rejects.toThrow(/'waiting' is a job that has not begun/);
  expect(await job.result()).toBe(5);
  expect(await valueOf(await kit.workspace('waiting'), 'kept')).toBe(5);
});
