// A job as a file: what is in it, that it goes on elsewhere, and that damaged and hostile files change nothing.
import { afterEach, describe, expect, it } from 'vitest';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { Agent, Durable, Models, program, Statek, tool, type StatekOptions } from '../../src/index.ts';
import { importJob } from '../../src/kit/archive/import-job.ts';
import { scriptedModel } from '../../src/testing.ts';

class Room extends Durable {
  static durable = { name: 'Room' };
  name = 'blue';
  beds = [1, 2, 3];
}

const trip = program<string>({
  role: 'trip',
  source:
    'const room = rooms[0]; let price = 10; print("asking"); const day = await ask("When?"); `${day} ${price} ${room.name}`',
});

const kits: Statek[] = [];
async function open(options: Partial<StatekOptions> = {}): Promise<Statek> {
  const kit = await Statek.open({ store: 'memory:', drivers: [trip], classes: [Room], ...options });
  kits.push(kit);
  return kit;
}
afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.close();
});

async function fileOf(kit: Statek, id: string, options: { secrets?: boolean } = {}): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of kit.exportJob(id, options)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* given(file: Uint8Array): AsyncGenerator<Uint8Array> {
  yield file;
}

async function waitingTrip(): Promise<{ here: Statek; file: Buffer; whole: Buffer }> {
  const here = await open();
  const room = new Room();
  await here.flush();
  const job = await here.submit(trip, { id: 'trip-1', vars: { rooms: [room] }, labels: ['test'] });
  await here.runUntilIdle();
  expect(job.id).toBe('trip-1');
  return { here, file: await fileOf(here, 'trip-1'), whole: await fileOf(here, 'trip-1', { secrets: true }) };
}

describe('a job that waits', () => {
  it('shows the same elsewhere, paused: variables, console, waits, commits, objects', async () => {
    const { here, file } = await waitingTrip();
    const there = await open({ drivers: [] });
    const copy = await there.importJob(given(file));
    const original = await here.job('trip-1');
    expect([copy.status, copy.paused, copy.labels]).toEqual(['SUSPENDED', true, ['test']]);
    expect(await copy.console()).toEqual(['asking']);
    expect((await copy.commits()).map(({ hash }) => hash)).toEqual((await original.commits()).map(({ hash }) => hash));
    expect((await copy.waiting()).map(({ id, question, at }) => [id, question, at?.line])).toEqual([
      ['trip-1/1', 'When?', 1],
    ]);
    expect((await copy.pastEvents()).length).toBe((await original.pastEvents()).length);
    const { members } = await copy.members();
    expect(members.find(({ name }) => name === 'price')?.text).toBe('10');
    const object = members.find(({ name }) => name === 'room')?.object ?? '';
    expect((await there.objects.object(object))?.type).toBe('Room');
    const [newest] = await copy.commits();
    expect(await copy.find('price === 10')).toMatchObject({ found: { hash: newest?.hash } });
    expect((await there.jobs({ label: 'test' })).map(({ id }) => id)).toEqual(['trip-1']);
    // Nothing runs by itself.
    await there.runUntilIdle();
    expect((await there.job('trip-1')).status).toBe('SUSPENDED');
  });

  it('goes on elsewhere if its secrets came along', async () => {
    const { whole } = await waitingTrip();
    const there = await open();
    const copy = await there.importJob(given(whole));
    await copy.resume();
    await there.answer('trip-1/1', 'Friday');
    expect(await copy.result()).toBe('Friday 10 blue');
  });

  it('is not resumed without them, as its timers and signals would never come', async () => {
    const { file } = await waitingTrip();
    const there = await open();
    const copy = await there.importJob(given(file));
    await expect(copy.resume()).rejects.toMatchObject({
      code: 'JOB_STATE',
      message: expect.stringMatching(/without secrets and can only be looked at/) as string,
    });
    expect((await there.job('trip-1')).paused).toBe(true);
  });

  it('leaves out what keeps its handles from being forged', async () => {
    const { here, file, whole } = await waitingTrip();
    const secretIn = (bytes: Buffer): string =>
      (
        JSON.parse(
          gunzipSync(bytes)
            .toString()
            .split('\n')
            .find((line) => line.startsWith('["workspaces"')) ?? '',
        ) as [string, unknown, { value: { secret: string } }]
      )[2].value.secret;
    expect(secretIn(file)).toBe('');
    expect(secretIn(whole).length).toBeGreaterThan(40);
    expect(gunzipSync(file).toString()).not.toContain(secretIn(whole));
    await expect(here.importJob(given(file))).rejects.toMatchObject({ code: 'IMPORT_CONFLICT' });
  });
});

it('has the conversation, calls and requests of an agent, and the past of a fork', async () => {
  const lookUp = tool({
    name: 'lookUp',
    description: 'Looks it up.',
    execute: async ({ word }: { word: string }) => `${word}!`,
  });
  const agent = new Agent({ role: 'clerk', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'script' }, tools: [lookUp] });
  const script = scriptedModel([
    '```ts\nconst found = await lookUp({ word: "a" }); print(found)\n```',
    'Done.',
    'Again.',
  ]);
  const here = await open({ agents: [agent], models: new Models({ models: { script } }) });
  const job = await here.submit(agent, { id: 'clerk-1', message: 'Look up a.' });
  await job.result();
  const fork = await job.fork(undefined, { id: 'clerk-2', message: 'More.' });
  await fork.result();
  const there = await open({ drivers: [] });
  for (const original of [job, fork]) {
    const copy = await there.importJob(given(await fileOf(here, original.id)));
    expect(await copy.chat()).toEqual(await original.chat());
    expect(await copy.console()).toEqual(await original.console());
    expect((await copy.usage()).turns.length).toBe((await original.usage()).turns.length);
    expect((await copy.commits()).length).toBe((await original.commits()).length);
    expect(await copy.request(1)).toEqual(await original.request(1));
    expect(await (await copy.workspace()).source(1)).toContain('lookUp');
    const oldest = (await copy.commits()).at(-2)?.hash ?? '';
    expect((await copy.at(oldest)).members().total).toBe((await original.at(oldest)).members().total);
  }
  expect((await (await there.job('clerk-1')).calls()).map(({ name }) => name)).toEqual(
    (await job.calls()).map(({ name }) => name),
  );
});

describe('a file that is not what was exported', () => {
  /** The file with other lines, and a checksum that fits them. */
  function changed(file: Buffer, change: (lines: string[]) => string[]): Buffer {
    const lines = change(gunzipSync(file).toString().trimEnd().split('\n').slice(0, -1));
    const text = `${lines.join('\n')}\n`;
    const sha256 = createHash('sha256').update(text).digest('hex');
    return gzipSync(`${text}${JSON.stringify({ rows: lines.length - 1, sha256 })}\n`);
  }

  it('is refused, and changes nothing', async () => {
    const { file } = await waitingTrip();
    const there = await open();
    const before = await there.store.revision();
    const files = [
      file.subarray(0, file.length / 2),
      Buffer.from('nonsense'),
      changed(file, (lines) => lines.filter((line) => !line.startsWith('["jobs"'))),
      changed(file, (lines) => [...lines, '["jobs",["other"],{"value":{"id":"other"}}]']),
      changed(file, (lines) => [
        ...lines,
        '["chat",["other",1],{"value":{"kind":"note","number":1,"time":1,"text":"x"}}]',
      ]),
      changed(file, (lines) => [...lines, '["job_roles",["clerk"],{"value":{}}]']),
      changed(file, (lines) => [...lines, '["definitions",["abc"],{"value":{"role":"evil"}}]']),
    ];
    for (const bytes of files)
      await expect(there.importJob(given(bytes))).rejects.toMatchObject({ code: 'ARCHIVE_DAMAGED' });
    expect(await there.store.revision()).toBe(before);
    await expect(there.job('trip-1')).rejects.toThrow(/no job/);
  });

  it('cannot change what is there', async () => {
    const { file } = await waitingTrip();
    const there = await open();
    await there.importJob(given(file));
    await (await there.job('trip-1')).cancel();
    await there.runUntilIdle();
    const line =
      gunzipSync(file)
        .toString()
        .split('\n')
        .find((one) => one.startsWith('["history_commits"')) ?? '';
    const other = changed(file, (lines) =>
      lines.map((one) =>
        one === line ? one.replace('"changed":[', '"changed":[1') : one.replaceAll('trip-1', 'trip-2'),
      ),
    );
    await expect(there.importJob(given(other))).rejects.toMatchObject({ code: 'IMPORT_CONFLICT' });
  });
});

it('is made again after it was interrupted', async () => {
  const { file } = await waitingTrip();
  const there = await open();
  let commits = 0;
  const { store } = there;
  const dying = {
    read: store.read.bind(store),
    scan: store.scan.bind(store),
    commit: async (...all: Parameters<typeof store.commit>) => {
      if (++commits > 1) throw new Error('the process died');
      return store.commit(...all);
    },
  } as typeof store;
  await expect(importJob(dying, given(file))).rejects.toThrow('the process died');
  await expect(there.job('trip-1')).rejects.toThrow(/no job/);
  expect((await there.importJob(given(file))).id).toBe('trip-1');
});
