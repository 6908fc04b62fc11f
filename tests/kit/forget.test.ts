// What is known of a person is removed; what is left is said.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import {
  Agent,
  Durable,
  exists,
  InvalidOptionError,
  Models,
  openStore,
  program,
  Statek,
  tags,
} from '../../src/index.ts';
import { chains, commits, packs } from '../../src/history/collections.ts';
import { scriptedModel } from '../../src/testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'statek-forget-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const secret = 'the-street-where-she-lives';

it('removes jobs, children, conversations, journals, histories and facts of a label, and nothing else', async () => {
  const store = join(folder, 'data');
  const lookUp = Object.assign(async (text: string) => `${text}!`, { effect: true });
  const child = program({ role: 'child', source: 'const kept = address; kept' });
  const parent = program({
    role: 'parent',
    source: 'const a = await delegate("child", { vars: { address } }); print(a); await lookUp(address); a',
  });
  const waiting = program({ role: 'waiting', source: 'const x = address; await ask("?")' });
  const agent = new Agent({ role: 'clerk', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'script' } });
  const script = scriptedModel([`\`\`\`ts\nconst street = "${secret}"; print(street)\n\`\`\``, `It is ${secret}.`]);
  const kit = await Statek.open({
    store,
    drivers: [child, parent, waiting],
    agents: [agent],
    services: { lookUp },
    models: new Models({ models: { script } }),
  });
  const labels = ['user:42'];
  const vars = { address: secret };
  await kit.submit(parent, { id: 'parent', labels, vars: { ...vars, lookUp } });
  await kit.submit(waiting, { id: 'waiting', labels, vars });
  await kit.submit(agent, { id: 'talk', labels, message: `I live in ${secret}.` });
  await kit.submit(child, { id: 'other', labels: ['user:7'], vars: { address: 'elsewhere' } });
  await kit.memory.bind(['user:42', 'company']).remember('street', secret);
  await kit.memory.bind(['user:7']).remember('street', 'elsewhere');
  await kit.runUntilIdle();
  const worker = kit.start();
  expect(await kit.forget({ label: 'user:42', dryRun: true })).toEqual({ jobs: 4, objects: 0, facts: 1, left: [] });
  const report = await kit.forget({ label: 'user:42' });
  await worker.stop();
  expect(report).toMatchObject({ jobs: 4, facts: 1 });
  expect(report.left.filter((text) => /^The job|histories/.test(text))).toEqual([]);
  expect((await kit.jobs()).map(({ id }) => id)).toEqual(['other']);
  expect((await kit.memory.list()).facts.map(({ value }) => value)).toEqual(['elsewhere']);
  expect(await (await kit.job('other')).result()).toBe('elsewhere');
  expect((await kit.forget({ label: 'user:42' })).jobs).toBe(0);
  await expect(kit.forget({ label: '' })).rejects.toThrow(InvalidOptionError);
  for (const id of ['parent', 'parent.1', 'waiting', 'talk'])
    for (const collection of [packs, commits, chains])
      expect((await kit.store.scan(collection, { prefix: [id] })).entries).toEqual([]);
  await kit.close();
  // Not a trace of it in the rows; freed pages are a matter of the file.
  for (const name of readdirSync(store).filter((one) => one.endsWith('.db'))) {
    const database = new DatabaseSync(join(store, name));
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  }
  const files = readdirSync(store, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => [name, readFileSync(join(store, name)).includes(secret)] as const);
  expect(files.filter(([, has]) => has)).toEqual([]);
});

it('says which jobs have not ended', async () => {
  const kit = await Statek.open({
    store: 'memory:',
    drivers: [program({ role: 'waiting', source: 'await ask("?")' })],
  });
  await kit.submit('waiting', { id: 'w', labels: ['user:1'] });
  await kit.runUntilIdle();
  const report = await kit.forget({ label: 'user:1', waitMilliseconds: 10 });
  expect([report.jobs, report.left[0]]).toEqual([0, expect.stringMatching(/The job 'w' has not ended yet/)]);
  await kit.runUntilIdle();
  expect((await kit.forget({ label: 'user:1' })).jobs).toBe(1);
  await kit.close();
});

class Address extends Durable {
  street: string;

  constructor(street: string, ...names: string[]) {
    super();
    this.street = street;
    if (names.length > 0) tags(this).add(...names);
  }
}

it('removes durable objects that have the label as a tag, in every space and of any class', async () => {
  const store = await openStore('memory:');
  const kit = await Statek.open({ store, classes: [Address] });
  const [mine, other] = await kit.transaction(() => [
    new Address(secret, 'user:42', 'town'),
    new Address('elsewhere', 'user:7'),
  ]);
  const archive = kit.space('archive');
  const old = await kit.transaction(() => archive.use(() => new Address(secret, 'user:42')));
  const unknown = await Statek.open({ store });
  expect(await unknown.forget({ label: 'user:42', dryRun: true })).toMatchObject({ objects: 2 });
  const report = await unknown.forget({ label: 'user:42' });
  expect(report).toMatchObject({ jobs: 0, objects: 2, facts: 0 });
  expect(report.left).toContainEqual(expect.stringContaining('Earlier versions of the removed objects'));
  await unknown.close();
  expect(await kit.transaction(() => [mine, old, other].map((object) => exists(object)))).toEqual([false, false, true]);
  expect(
    await kit.transaction(() =>
      kit
        .find(Address)
        .toArray()
        .map(({ street }) => street),
    ),
  ).toEqual(['elsewhere']);
  expect(await kit.forget({ label: 'user:42' })).toMatchObject({ objects: 0 });
  await kit.close();
  await store.close();
});

it('says what stays in a workspace that jobs were given, and of histories that forks are rebuilt from', async () => {
  const asks = program({ role: 'asks', source: `const home = address; await ask('?'); home` });
  const kit = await Statek.open({ store: 'memory:', drivers: [asks] });
  await kit.workspace('notes');
  const vars = { address: secret };
  const shared = await kit.submit(asks, { id: 'shared', labels: ['user:42'], workspace: 'notes', vars });
  const job = await kit.submit(asks, { id: 'own', labels: ['user:42'], vars });
  await kit.runUntilIdle();
  const fork = await (await job.workspace()).fork();
  for (const one of [shared, job]) for (const { id } of await one.waiting()) await kit.answer(id, 'x');
  await kit.runUntilIdle();
  const { left } = await kit.forget({ label: 'nobody' });
  expect(left.filter((text) => /workspace|histories/.test(text))).toEqual([]);
  const report = await kit.forget({ label: 'user:42' });
  expect(report.left).toContainEqual(expect.stringMatching(/^The workspace 'notes' .*statek delete notes/));
  expect(report.left).toContainEqual(expect.stringMatching(/^\d+ parts of their histories are kept/));
  expect(await fork.local('home')).toBe(secret);
  await kit.close();
});
