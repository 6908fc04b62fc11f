// Mistakes that callers without types make: each is an error with a code that names what was written, and none is ignored.
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Agent, idOf, Models, program, remove, Statek, tags, tool, Versioned } from '../../src/index.ts';
import { scriptedModel, simulate, SimulatedClock } from '../../src/testing.ts';
import { loose, refusal } from '../support/mistakes.ts';

const hello = program({ role: 'hello', source: '1' });
const agent = (options: object): Agent => new Agent({ role: 'a', metadata: { MODEL: 'script' }, ...options });

async function opened(): Promise<Statek> {
  const kit = await Statek.open({ store: 'memory:', drivers: [hello] });
  onTestFinished(() => kit.close());
  return kit;
}

it.each<[string, object, string]>([
  ['a store of blanks', { store: '  ' }, "option 'store' must be a folder"],
  [
    'one agent instead of a list',
    { agents: agent({}) },
    "Statek.open: 'agents' must be a list, as in [agents], not an Agent.",
  ],
  ['one driver instead of a list', { drivers: hello }, "'drivers' must be a list"],
  ['one class instead of a list', { classes: Date }, "'classes' must be a list"],
  ['an agent among the drivers', { drivers: [agent({})] }, "'a' is an agent; give it under agents, not under drivers."],
  ['services in a list', { services: [() => 1] }, "option 'services' must be an object of services by name"],
  ['data as a service', { services: { price: 5 } }, 'services.price must be an object or a function, not 5.'],
  ['a service that is missing', { services: { mail: undefined } }, 'services.mail must be an object or a function'],
  ['a model among the options of models', { models: { script: 1 } }, "Models has no option 'script'"],
  ['a function as a model', { models: { models: { script: () => 1 } } }, 'models.script must be a model of the AI SDK'],
  ['a clock that is none', { clock: Date.UTC }, "option 'clock' must have a method now()"],
  ['a number as a text', { leaseMilliseconds: '5000' }, "from 100 to 3600000, not '5000'."],
])('refuses to open a kit with %s', async (_mistake, options, message) => {
  const answer = await refusal(() => Statek.open({ store: 'memory:', ...options }));
  expect(answer).toContain('INVALID_OPTION');
  expect(answer).toContain(message);
});

it('says how a kit is made', async () => {
  const make = Statek as unknown as new (options: object) => unknown;
  expect(await refusal(() => new make({ store: 'memory:' }))).toContain('await Statek.open({ store })');
});

it.each<[string, string, readonly unknown[], string]>([
  ['nothing', 'submit', [], 'takes an agent, a program or the name of a role, not undefined'],
  [
    'a message instead of options',
    'submit',
    ['hello', 'Ann'],
    "takes an object of options, such as { message }, not 'Ann'",
  ],
  ['labels in one text', 'submit', ['hello', { labels: 'urgent' }], "'labels' must be a list"],
  [
    'variables in a map',
    'submit',
    ['hello', { vars: new Map() }],
    "option 'vars' must be an object of variables by name",
  ],
  ['a time in a text', 'submit', ['hello', { startAt: 'now' }], "option 'startAt' must be a Date, not 'now'"],
  ['one job for many', 'submitAll', ['hello', {}], "'options' must be a list"],
  ['no id', 'job', [], 'the id of a job must be a text, not undefined'],
  ['a time in a text', 'jobs', [{ since: 'yesterday' }], "option 'since' must be a Date, not 'yesterday'"],
  ['no question', 'answer', [], 'the id of a question must be a text'],
  ['no options', 'schedule', ['nightly', '* * * * *'], "option 'submit' must name the role of its jobs"],
  ['no role', 'schedule', ['nightly', { cron: '* * * * *' }], "option 'submit' must name the role of its jobs"],
  ['no name', 'workspace', [], 'A workspace needs a name of 1 to 200 characters'],
  ['a name that is too long', 'workspace', ['x'.repeat(3000)], 'A workspace needs a name of 1 to 200 characters'],
  ['no file', 'backup', [], 'the file must be a text'],
  ['no id', 'fetch', [], 'the id of an object must be a text'],
  ['no name', 'space', [], 'undefined is not a valid name of a space'],
  ['a time instead of a revision', 'at', [new Date(0), () => 1], "option 'revision' must be a whole number"],
  ['no function', 'transaction', [], 'what it does must be a function'],
])('refuses %s in kit.%s', async (_mistake, method, given, message) => {
  const kit = await opened();
  const answer = await refusal(() => loose(kit, method)(...given));
  expect(answer).toContain('INVALID_OPTION');
  expect(answer).toContain(message);
});

it('refuses a kind of wait that does not exist', async () => {
  const kit = await opened();
  expect(await refusal(() => loose(kit, 'pending')({ kind: 'question' }))).toContain("option 'kind' must be");
});

it('names the variable that cannot be stored', async () => {
  const kit = await opened();
  const submit = (vars: object): Promise<string> =>
    refusal(() => loose(kit, 'submit')(hello, { vars: { ok: 1, ...vars } }));
  expect(await submit({ task: Promise.resolve() })).toContain('NOT_DURABLE: kit.submit: vars.task is a Promise, which');
  expect(await submit({ mail: { send: process.stdout } })).toContain('kit.submit: vars.mail.send is a');
  expect(await submit({ f: () => 1 })).toContain('kit.submit: vars.f is the function f, which');
  expect(await submit({ mark: Symbol('x') })).toContain('WIRE_VALUE: kit.submit: vars.mark is a symbol');
  expect(await refusal(() => kit.signal('go', { f: () => 1 }))).toContain(
    "NOT_DURABLE: The payload of signal 'go' is an object, which cannot be delivered to another process.",
  );
});

it('ends every use of a kit that was closed with the same error', async () => {
  const kit = await Statek.open({ store: 'memory:', drivers: [hello] });
  const job = await kit.submit(hello);
  await kit.close();
  const uses: (() => unknown)[] = [
    () => kit.submit(hello),
    () => kit.job(job.id),
    () => kit.jobs(),
    () => kit.workspace('w'),
    () => kit.runUntilIdle(),
    () => kit.signal('go'),
    () => kit.pending(),
    () => kit.schedule('s', { every: 5000, submit: { role: hello } }),
  ];
  for (const use of uses) expect(await refusal(use)).toContain('KIT_CLOSED');
});

it('refuses code that is not a text', async () => {
  const kit = await opened();
  const workspace = await kit.workspace('w');
  expect(await refusal(() => loose(workspace, 'run')(() => 1))).toContain('takes code as a text, not a function');
  expect(await refusal(() => loose(workspace, 'rollback')())).toContain('the hash of a commit must be a text');
  expect(await refusal(() => loose(program)({ role: 'p' }))).toContain("option 'source' must be code as a text");
  const made = loose(program)({ role: 'p', source: () => 5 }) as typeof hello;
  const other = await Statek.open({ store: 'memory:', drivers: [made] });
  onTestFinished(() => other.close());
  expect(await refusal(async () => (await other.submit(made)).result())).toContain(
    "the function 'source' must return code as a text, not 5",
  );
});

it.each<[string, object, string]>([
  ['a language', { language: 'py' }, "option 'language' must be 'typescript' or 'python', not 'py'."],
  ['a limit', { limits: { maxTurns: 5 } }, "has no option 'maxTurns'"],
  ['the value of a limit', { limits: { turns: -5 } }, "must be a whole number from 1 or 'unlimited', not -5."],
  ['a prompt', { systemPrompt: 5 }, "option 'systemPrompt' must be a text, not 5."],
  ['the name of a tool', { tools: [tool({ name: 'class', execute: () => 1 })] }, "'class' is a word of TypeScript"],
  [
    'a tool that every program has',
    { tools: [tool({ name: 'exit', execute: () => 1 })] },
    'something every program has',
  ],
])('refuses what cannot be %s of an agent', async (_mistake, options, message) => {
  expect(await refusal(() => agent(options))).toContain(message);
});

it('refuses an agent of nothing', async () => {
  const make = Agent as unknown as new () => unknown;
  expect(await refusal(() => new make())).toContain('Agent takes an object of options');
});

it('refuses what cannot be a test', async () => {
  expect(await refusal(() => loose(scriptedModel)())).toContain("'replies' must be a list");
  expect(await refusal(() => loose(scriptedModel)([], { by: 'number' }))).toContain("option 'by' must be");
  expect(await refusal(() => loose(simulate)({ seed: 1 }))).toContain("option 'world' must be a function");
  expect(await refusal(() => loose(new SimulatedClock(0), 'advance')('5'))).toContain('a number of milliseconds');
  const models = new Models({ models: { script: scriptedModel([]) } });
  expect(models.providers).toContain('openai');
});

it('says what durable objects are needed for, with a code', async () => {
  const kit = await opened();
  const plain = {};
  for (const use of [() => idOf(plain), () => tags(plain), () => kit.transaction(() => remove(plain))])
    expect(await refusal(use)).toContain('INVALID_OPTION');
});

it('refuses what cannot be the state of a task', async () => {
  const task = agent({ models: new Models({ models: { script: scriptedModel([]) } }) }).task({
    input: z.number(),
    output: z.number(),
    description: 'adds',
  });
  const call = (state: unknown): Promise<string> => refusal(() => loose(task)(1, { state }));
  expect(await call('live')).toContain(
    "task 'adds': option 'state' must be made with Live() or Versioned(…), not 'live'.",
  );
  expect(await call(Versioned)).toContain('not a function');
  expect(await call(loose(Versioned)({ store: 'memory:' }))).toContain('A store is a folder');
  expect(await refusal(() => loose(Versioned('memory:'), 'rollback')())).toContain(
    'the hash of a commit must be a text',
  );
});
