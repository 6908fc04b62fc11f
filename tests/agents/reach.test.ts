// What reaches whom: variables of threads, memory of jobs that jobs start, the private context of an agent.
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { MessageDispatcher, Statek, SupervisedAgent, tool } from '../../src/index.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { Cast, shown, type Language } from './languages/cast.ts';
import { agentWith, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

class Mailer {
  readonly sent: string[] = [];
  send(text: string): number {
    return this.sent.push(text);
  }
}

describe.each<Language>(['typescript', 'python'])(
  '%s',
  (language) => {
    const cast = new Cast(language);
    const { code, pick } = cast.words();

    cast.agent([code('exit(town + "!")', 'exit(town + "!")')], {
      role: 'clerk',
      systemPrompt: 'You work for {company}.',
      parameters: ['company'],
    });
    const dispatcher = cast.player(
      (options) => new MessageDispatcher({ systemPrompt: 'You hand on.', ...options }),
      [
        code(
          'exit(await startNewThread("clerk", "Where?", { vars: { town: "Oslo" }, parameters: { company: "Acme" } }))',
          'exit(start_new_thread("clerk", "Where?", vars={"town": "Oslo"}, parameters={"company": "Acme"}))',
        ),
      ],
    );
    it('gives variables and parameters to a thread', async () => {
      const thread = await cast.kit.job(String(await (await cast.play(dispatcher)).result()));
      expect(await thread.result()).toBe('Oslo!');
      expect((await thread.definition()).prompt.L).toContain('You work for Acme.');
    });

    const remember = (value: number): string =>
      code(`await remember("size", ${value}); exit(await recall())`, `remember("size", ${value})\nexit(recall())`);
    cast.agent([remember(1)], { role: 'bound' });
    cast.agent([code('exit(await recall())', 'exit(recall())')], { role: 'reader' });
    cast.agent([remember(3)], { role: 'writer' });
    cast.agent([code('exit(1)', 'exit(1)')], { role: 'outsider' });
    const parent = cast.agent([
      code(
        `const tried = async (f) => { try { return await f() } catch (error) { return error.message } };
exit([
  await delegate("bound", { memory: true }),
  await delegate("reader", { memory: { specifiers: ["company"] } }),
  await tried(() => delegate("writer", { memory: { specifiers: ["company"] } })),
  await tried(() => delegate("outsider", { memory: { specifiers: ["other"] } })),
])`,
        `def tried(f):
    try:
        return f()
    except Exception as error:
        return str(error)
exit([
    delegate("bound", memory=True),
    delegate("reader", memory={"specifiers": ["company"]}),
    tried(lambda: delegate("writer", memory={"specifiers": ["company"]})),
    tried(lambda: delegate("outsider", memory={"specifiers": ["other"]})),
])`,
      ),
    ]);
    it('binds jobs that a job starts to its own memory, or to read less of it', async () => {
      await cast.kit.memory.bind(['company']).remember('name', 'Acme');
      const job = await cast.play(parent, { memory: { specifiers: ['company', 'user'] } });
      const [whole, less, written, outside] = (await job.result()) as string[];
      expect(whole).toContain('size (ENTITY): 1');
      expect([less?.includes('Acme'), less?.includes('size')]).toEqual([true, false]);
      expect(written).toContain('MemoryReadOnlyError');
      expect(outside).toContain("'other' is not among the specifiers of the job that started this one.");
      expect(
        (await cast.kit.memory.bind(['company', 'user']).recall()).map(({ name, value }) => [name, value]),
      ).toEqual(expect.arrayContaining([['size', 1]]));
    });

    const unbound = cast.agent([
      code('await remember("a", 1)', 'remember("a", 1)'),
      code('await delegate("outsider", { memory: true })', 'delegate("outsider", memory=True)'),
      code('exit()', 'exit()'),
    ]);
    const formal = cast.agent(
      [
        { toolCalls: [{ name: 'remember', input: { name: 'a', value: 1 } }] },
        { toolCalls: [{ name: 'recall', input: {} }] },
        'Done.',
      ],
      { chatStyle: 'DIRECT', metadata: { LLM_TOOLS_SCOPE: 'SYSTEM' } },
    );
    it('says so where a job is bound to no memory', async () => {
      await cast.play(unbound);
      expect(shown(unbound, 2)).toMatch(
        /MemoryUnboundError: This job is not bound to any memory\. 'a' was not remembered\./,
      );
      expect(shown(unbound, 3)).toContain('the job that started this one is not bound to any memory');
      await cast.play(formal);
      expect(shown(formal, 2)).toContain('This job is not bound to any memory.');
      expect(shown(formal, 3)).toContain('This job is not bound to any memory.');
    });

    const mailer = new Mailer();
    const other = new Mailer();
    const send = tool({
      name: 'sendIt',
      execute: (text: string, { getAdapter }) => (getAdapter('other') as Mailer).send(text),
    });
    const warmed = cast.player(
      (options) =>
        new SupervisedAgent({
          ...options,
          tools: [send],
          context: { _mailer: mailer, __other: other, unused: new Mailer() },
          warmup: pick('//STATEK: hidden = True\nmailer.send("warm")', '#STATEK: hidden = True\nmailer.send("warm")'),
        }),
      [
        code(
          'sendIt("by tool"); exit([typeof other, typeof unused])',
          'send_it("by tool")\nexit(["other" in globals(), "unused" in globals()])',
        ),
      ],
    );
    it('reaches the private context by name from the agent’s warmup and tools, and from nowhere else', async () => {
      const job = await cast.play(warmed);
      expect(await job.result()).toEqual(pick(['undefined', 'undefined'], [false, false]));
      expect([mailer.sent, other.sent]).toEqual([['warm'], ['by tool']]);
    });

    const post = new Mailer();
    const has =
      'def has(read):\n    try:\n        read()\n        return True\n    except NameError:\n        return False';
    const seen = code(
      'exit([typeof mailService, typeof hiddenService])',
      `${has}\nexit([has(lambda: mail_service), has(lambda: hidden_service)])`,
    );
    const context = { _mailService: post, __hiddenService: new Mailer() };
    const plain = cast.agent([seen, seen, seen, seen, seen, seen], { role: 'postman', context });
    const greet = pick('mailService.send("job")', 'mail_service.send("job")');
    const found = pick(['object', 'undefined'], [true, false]);
    const nothing = pick(['undefined', 'undefined'], [false, false]);

    it('reaches the private context by name from the warmup of a job, and a job without one does not', async () => {
      post.sent.length = 0;
      const { kit } = cast;
      expect(await (await cast.play(plain, { warmup: greet })).result()).toEqual(found);
      expect(await (await cast.play(plain)).result()).toEqual(nothing);
      const defined = await kit.submit(plain.agent.createJobDef({ warmup: greet }), { message: 'x' });
      const queued = await kit.enqueue(plain.agent, { id: 1 }, { message: 'x', warmup: greet });
      await kit.runUntilIdle();
      expect(await Promise.all([defined.result(), queued.result()])).toEqual([found, found]);
      expect(post.sent).toEqual(['job', 'job', 'job']);
      expect(Object.keys(await (await cast.play(plain, { warmup: greet })).locals())).not.toContain('mailService');
    });

    const boss = cast.agent([
      code(
        `exit(await delegate("postman2", { message: "x", warmup: ${JSON.stringify(`var got = typeof mailService;`)} }))`,
        `exit(delegate("postman2", message="x", warmup=${JSON.stringify(`${has}\ngot = has(lambda: mail_service)`)}))`,
      ),
    ]);
    cast.agent([code('exit([got, typeof mailService])', 'exit([got, has(lambda: mail_service)])')], {
      role: 'postman2',
      context,
    });
    it('keeps the private context from a warmup that the program of another job wrote', async () => {
      expect(await (await cast.play(boss)).result()).toEqual(nothing);
    });

    const setUp = cast.agent([code('exit(sent)', 'exit(sent)')], { role: 'clerk3', context });
    const count = setUp.agent.task({
      name: 'count',
      description: 'Count.',
      input: z.object({}),
      output: z.number(),
      setup: pick('var sent = mailService.send("setup");', 'sent = mail_service.send("setup")'),
    });
    it('reaches the private context by name from the setup of a task', async () => {
      post.sent.length = 0;
      expect(await count({})).toBe(1);
      expect(post.sent).toEqual(['setup']);
    });
  },
  60_000,
);

it('reaches the private context from a warmup that another process of the application submits by role', async () => {
  const store = storeFolder();
  const mailer = new Mailer();
  const agent = agentWith({ role: 'clerk', context: { mailer } });
  const { kit } = await stage([agent], [ts('exit(typeof mailer)')], { store });
  await kit.start().stop();
  const office = await Statek.open({ store });
  onTestFinished(() => office.close({ graceMilliseconds: 0 }));
  const { id } = await office.submit('clerk', { message: 'x', warmup: 'mailer.send("from afar")' });
  await kit.runUntilIdle();
  expect(await (await kit.job(id)).result()).toBe('object');
  expect(mailer.sent).toEqual(['from afar']);
});

it('binds a job to memory that is submitted by role, to another process', async () => {
  const store = storeFolder();
  const agent = agentWith({ role: 'clerk' });
  const { kit } = await stage([agent], [ts('exit(await recall())')], { store });
  await kit.memory.bind(['user']).remember('size', 7);
  await kit.start().stop();
  const office = await Statek.open({ store });
  onTestFinished(() => office.close({ graceMilliseconds: 0 }));
  const { id } = await office.submit('clerk', { message: 'x', memory: { specifiers: ['user'] } });
  await kit.runUntilIdle();
  expect(await (await kit.job(id)).result()).toBe('size (ENTITY): 7');
});
