// Conversations over HTTP with the real client of the AI SDK. Models stop where the tests say, so nothing depends on speed.
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type DynamicToolUIPart,
  type UIMessage,
} from 'ai';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Agent, Models, program, Statek, tool } from '../../src/index.ts';
import { server, type Listening } from '../../src/server.ts';
import { scriptedModel, type ScriptStep } from '../../src/testing.ts';
import type { ModelBackend } from '../../src/models.ts';
import { Page, textOf, type PageOptions } from './support/page.ts';

const token = 'token-for-the-tests';

interface Served {
  readonly kit: Statek;
  readonly listening: Listening;
  page(role: string, options?: Partial<PageOptions>): Page;
  get(path: string): Promise<{ messages: UIMessage[]; isActive: boolean }>;
}

async function serve(kit: Statek): Promise<Served> {
  const worker = kit.start();
  const listening = await server(kit, { token }).listen();
  onTestFinished(async () => {
    await listening.close();
    await worker.stop();
    await kit.close();
  });
  return {
    kit,
    listening,
    page: (role, options = {}) => new Page({ url: `${listening.url}v1/chat/${role}`, token, id: 'talk', ...options }),
    async get(path) {
      const response = await fetch(`${listening.url}v1/chat/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(200);
      return (await response.json()) as never;
    },
  };
}

const book = tool({
  name: 'book',
  description: 'Books a room.',
  input: z.object({ room: z.string() }),
  approval: 'always',
  execute: async ({ room }) => `booked ${room}`,
});
const weather = tool({
  name: 'weather',
  input: z.object({ town: z.string() }),
  execute: async ({ town }) => `sun in ${town}`,
});

async function serveClerk(script: readonly ScriptStep[], style: 'MD_DIALOG' | 'DIRECT' | 'CONSOLE' = 'MD_DIALOG') {
  const clerk = new Agent({
    role: 'clerk',
    chatStyle: style,
    tools: [book, weather],
    metadata: { MODEL: 'script', ...(style === 'DIRECT' ? { LLM_TOOLS_SCOPE: 'ALL' } : {}) },
  });
  const models = new Models({ models: { script: scriptedModel(script) } });
  return serve(await Statek.open({ store: 'memory:', agents: [clerk], models }));
}

const toolsOf = ({ parts }: UIMessage): DynamicToolUIPart[] =>
  parts.filter((part): part is DynamicToolUIPart => part.type === 'dynamic-tool');

it('answers message after message, and a reload shows the same', async () => {
  const { page, get } = await serveClerk([
    { reasoning: 'Rooms…', text: ['Let me ', 'count.\n```ts\nprint("three"); let rooms = 3\n```'] },
    'There are three.',
    '```ts\nrooms++\n```',
    'Four now.',
  ]);
  const chat = page('clerk');
  await chat.sendMessage({ text: 'How many rooms?' });
  expect(chat.error).toBeUndefined();
  expect(textOf(chat.last)).toBe('Let me count.\n```ts\nprint("three"); let rooms = 3\n```|There are three.');
  expect(chat.last.parts.map(({ type }) => type)).toEqual([
    'step-start',
    'reasoning',
    'text',
    'data-step',
    'step-start',
    'text',
  ]);
  expect(chat.last.parts[3]).toMatchObject({ data: { status: 'done', console: ['three'] } });
  expect(chat.last.parts.at(-1)).toMatchObject({ state: 'done', providerMetadata: { statek: { committed: true } } });
  expect(chat.last.metadata).toMatchObject({ statek: { job: 'talk', rest: 'done', usage: { turns: 2 } } });
  await chat.sendMessage({ text: 'Add one.' });
  expect(textOf(chat.last)).toBe('```ts\nrooms++\n```|Four now.');
  const { messages, isActive } = await get('clerk/talk');
  expect(isActive).toBe(false);
  expect(messages.map(({ id, role, parts }) => ({ id, role, parts }))).toEqual(
    JSON.parse(JSON.stringify(chat.messages.map(({ id, role, parts }) => ({ id, role, parts })))),
  );
  // Loaded again, the page goes on with the same conversation.
  const reloaded = page('clerk', { messages });
  await reloaded.resumeStream();
  expect(reloaded.messages).toHaveLength(4);
});

it('shows callers with labels no conversation of others, and lets them begin their own', async () => {
  const clerk = new Agent({ role: 'clerk', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'script' } });
  const models = new Models({ models: { script: scriptedModel(['Hello.', 'Hello, you.']) } });
  const kit = await Statek.open({ store: 'memory:', agents: [clerk], models });
  const api = server(kit, {
    authorize: () => ({ name: 'me', rights: ['read', 'answer', 'control'], labels: ['mine'] }),
  });
  onTestFinished(async () => {
    await kit.close();
  });
  const call = async (path: string, body?: unknown): Promise<Response> =>
    api.fetch(
      new Request(`http://localhost/v1/chat/clerk${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { host: 'localhost', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
  const theirs = await kit.submit(clerk, { id: 'theirs', message: { text: 'Hello', id: 'm1' } });
  await kit.runUntilIdle();
  for (const path of ['/theirs', '/theirs/stream']) expect([path, (await call(path)).status]).toEqual([path, 404]);
  expect((await call('', { id: 'theirs', messages: [message] })).status).toBe(404);
  expect((await theirs.messages()).length).toBe(1);
  // A page that is opened before its first message finds an empty conversation.
  const empty = await call('/mine');
  expect([empty.status, await empty.json()]).toEqual([200, { id: 'mine', isActive: false, messages: [] }]);
  const said = await call('', { id: 'mine', messages: [message] });
  expect(said.status).toBe(200);
  await kit.runUntilIdle();
  expect(await said.text()).toContain('Hello, you.');
  expect((await call('/mine')).status).toBe(200);
});

/** A model that says one piece each time it is allowed to. */
function pacedModel(pieces: readonly string[]): { backend: ModelBackend; allow(): void } {
  const waiting: (() => void)[] = [];
  let allowed = 0;
  const backend: ModelBackend = {
    provider: 'test',
    model: 'paced',
    async answer(_request, { emit }) {
      for (const text of pieces) {
        if (allowed === 0) await new Promise<void>((resolve) => waiting.push(resolve));
        else allowed--;
        emit({ type: 'text', text });
      }
      if (allowed === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      return {
        content: [{ type: 'text', text: pieces.join('') }],
        finish: 'stop',
        tokens: { input: 1, output: 1, cached: 0, cacheWrite: 0, reasoning: 0 },
      };
    },
  };
  const allow = (): void => {
    const next = waiting.shift();
    if (next === undefined) allowed++;
    else next();
  };
  return { backend, allow };
}

/** Resolves when a page shows a text. */
function watcher(): { seen: (message: UIMessage) => void; until(text: string): Promise<void> } {
  const now = { shown: '' };
  let wake = (): void => undefined;
  return {
    seen: (message) => {
      if (message.role === 'assistant') now.shown = textOf(message);
      wake();
    },
    async until(text) {
      while (now.shown !== text) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

it('goes on in the middle of an answer after a reload, and in another tab', async () => {
  const { backend, allow } = pacedModel(['One, ', 'two, ', 'three.']);
  const talker = new Agent({ role: 'talker', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'paced' } });
  const models = new Models({ models: { paced: backend } });
  const { page, get } = await serve(await Statek.open({ store: 'memory:', agents: [talker], models }));
  const first = watcher();
  const tab = page('talker', { seen: first.seen });
  const sent = tab.sendMessage({ text: 'Count.' });
  allow();
  allow();
  await first.until('One, two, ');
  expect(tab.last.parts.at(-1)).toMatchObject({
    state: 'streaming',
    providerMetadata: { statek: { committed: false } },
  });
  // The page is closed: the job goes on.
  await tab.stop();
  await sent;
  const { messages, isActive } = await get('talker/talk');
  expect(isActive).toBe(true);
  expect(messages).toHaveLength(1);
  const second = watcher();
  const reloaded = page('talker', { messages, seen: second.seen });
  const other = watcher();
  const another = page('talker', { messages, seen: other.seen });
  const resumed = [reloaded.resumeStream(), another.resumeStream()];
  await Promise.all([second.until('One, two, '), other.until('One, two, ')]);
  allow();
  await Promise.all([second.until('One, two, three.'), other.until('One, two, three.')]);
  allow();
  await Promise.all(resumed);
  for (const one of [reloaded, another]) {
    expect(one.error).toBeUndefined();
    expect(one.messages).toHaveLength(2);
    expect(textOf(one.last)).toBe('One, two, three.');
    expect(one.last.parts.at(-1)).toMatchObject({ providerMetadata: { statek: { committed: true } } });
  }
});

it('shows what is committed instead of what was taken back', async () => {
  const { page } = await serveClerk([{ text: ['Half of a wrong '], fault: 'cut' }, { text: ['The right answer.'] }]);
  const shown: string[] = [];
  const chat = page('clerk', { seen: (message) => message.role === 'assistant' && shown.push(textOf(message)) });
  await chat.sendMessage({ text: 'Well?' });
  expect(shown).toContain('Half of a wrong ');
  expect(textOf(chat.last)).toBe('The right answer.');
});

it('asks: the next message answers, and so does the output of the call', async () => {
  const { page, get } = await serveClerk([
    '```ts\nconst day = await ask("Which day?");\nconst hour = await ask("Which hour?");\n```',
    ({ messages }) => `Done ${messages.length > 0}.`,
  ]);
  const chat = page('clerk', { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls });
  await chat.sendMessage({ text: 'Book a room.' });
  expect(textOf(chat.last)).toContain('Which day?');
  expect(chat.last.metadata).toMatchObject({ statek: { rest: 'waiting' } });
  expect((await get('clerk/talk')).isActive).toBe(false);
  await chat.sendMessage({ text: 'Monday' });
  expect(textOf(chat.last)).toBe('Which hour?');
  const [question] = toolsOf(chat.last);
  const done = new Promise<void>((resolve) => void waitFor(chat, 'Done true.').then(resolve));
  await chat.addToolOutput({ tool: 'ask' as never, toolCallId: question?.toolCallId ?? '', output: 'nine' });
  await done;
  expect(textOf(chat.last)).toBe('Which hour?|Done true.');
  const { messages } = await get('clerk/talk');
  expect(messages.map((message) => [message.role, textOf(message)])).toEqual([
    ['user', 'Book a room.'],
    ['assistant', expect.stringContaining('Which day?')],
    ['user', 'Monday'],
    ['assistant', 'Which hour?'],
    ['user', 'nine'],
    ['assistant', 'Done true.'],
  ]);
});

async function waitFor(chat: Page, text: string): Promise<void> {
  while (chat.status !== 'ready' || !textOf(chat.last).includes(text))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

it.each([
  [true, 'output-available', 'booked blue'],
  [false, 'output-denied', undefined],
])('approves only with an explicit yes: %s', async (approved, state, output) => {
  const { page, get } = await serveClerk([
    '```ts\nlet outcome; try { outcome = await book("blue") } catch (error) { outcome = error.name }\nprint(outcome)\n```',
    'That was it.',
  ]);
  const chat = page('clerk', { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
  await chat.sendMessage({ text: 'Book it.' });
  const [call] = toolsOf(chat.last);
  expect(call).toMatchObject({ toolName: 'book', state: 'approval-requested', input: { room: 'blue' } });
  // Saying something is no approval.
  await chat.addToolApprovalResponse({ id: call?.approval?.id ?? '', approved, reason: 'so be it' });
  await waitFor(chat, 'That was it.');
  expect(chat.error).toBeUndefined();
  expect(toolsOf(chat.last)).toMatchObject([{ state, ...(output === undefined ? {} : { output }) }]);
  const { messages } = await get('clerk/talk');
  expect(messages).toHaveLength(2);
  expect(toolsOf(messages[1] as UIMessage)).toMatchObject([{ state, approval: { approved, reason: 'so be it' } }]);
  // In the same order, too: a reply can be heard before the step that it follows is seen.
  const kinds = (message: UIMessage | undefined): unknown[] => message?.parts.map(({ type }) => type) ?? [];
  expect(kinds(messages[1])).toEqual(kinds(chat.last));
  expect(textOf(messages[1] as UIMessage)).toBe(textOf(chat.last));
});

it('shows the calls of the model with their results, approvals included', async () => {
  const { page } = await serveClerk(
    [
      {
        toolCalls: [
          { name: 'weather', input: { town: 'Ghent' } },
          { name: 'book', input: { room: 'red' } },
        ],
      },
      { toolCalls: [{ name: 'nonsense', input: {} }] },
      'Booked.',
    ],
    'DIRECT',
  );
  const chat = page('clerk', { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
  await chat.sendMessage({ text: 'If it is sunny, book.' });
  expect(chat.error).toBeUndefined();
  expect(toolsOf(chat.last)).toMatchObject([
    { toolName: 'weather', state: 'output-available', input: { town: 'Ghent' } },
    { toolName: 'book', state: 'approval-requested' },
  ]);
  await chat.addToolApprovalResponse({ id: toolsOf(chat.last)[1]?.approval?.id ?? '', approved: true });
  await waitFor(chat, 'Booked.');
  expect(toolsOf(chat.last)).toMatchObject([
    { state: 'output-available' },
    { toolName: 'book', state: 'output-available' },
    { toolName: 'nonsense', state: 'output-error' },
  ]);
});

it('stops when it is told to, and goes on with the next message', async () => {
  const { backend, allow } = pacedModel(['Never ', 'ending']);
  const talker = new Agent({ role: 'talker', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'paced' } });
  const models = new Models({ models: { paced: backend } });
  const { page, kit, listening } = await serve(await Statek.open({ store: 'memory:', agents: [talker], models }));
  const watched = watcher();
  const chat = page('talker', { seen: watched.seen });
  const sent = chat.sendMessage({ text: 'Go.' });
  allow();
  await watched.until('Never ');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const stopped = await fetch(`${listening.url}v1/chat/talker/talk/stop`, { method: 'POST', headers });
  expect(stopped.status).toBe(200);
  await sent;
  expect((await (await kit.job('talk')).refresh()).outcome).toBe('cancelled');
  for (let count = 0; count < 4; count++) allow();
  await chat.sendMessage({ text: 'Again.' });
  expect(chat.error).toBeUndefined();
  expect(textOf(chat.last)).toBe('Never ending');
});

it('tells of failures, files and results of programs', async () => {
  const failing = program({ role: 'failing', source: "throw new Error('no such room')" });
  const greet = program({ role: 'greet', source: "const name = await ask('Who?'); ({ hello: name })" });
  const { page, kit } = await serve(await Statek.open({ store: 'memory:', drivers: [failing, greet] }));
  const chat = page('failing', { id: 'f' });
  await chat.sendMessage({ text: 'Go.' });
  expect(chat.error?.message).toBe('no such room');
  const other = page('greet', { id: 'g' });
  await other.sendMessage({ text: 'Hello.' });
  expect(textOf(other.last)).toBe('Who?');
  await other.sendMessage({ text: 'Ann' });
  expect(textOf(other.last)).toBe('{"hello":"Ann"}');
  const file = page('greet', { id: 'h' });
  await file.sendMessage({
    text: 'See.',
    files: [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' }],
  });
  expect((await (await kit.job('h')).messages())[0]?.body).toMatchObject({
    text: 'See.',
    media: [{ type: 'media', mediaType: 'image/png', data: 'AAAA' }],
  });
});

it('refuses an edit of what was said, and takes an answer once', async () => {
  const { listening, kit } = await serveClerk([
    '```ts\nconst day = await ask("Which day?");\nconst hour = await ask("Which hour?");\n```',
    'Noted.',
  ]);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = async (id: string, text: string): Promise<{ status: number; text: string }> => {
    const body = JSON.stringify({ id: 'talk', messages: [{ id, role: 'user', parts: [{ type: 'text', text }] }] });
    const response = await fetch(`${listening.url}v1/chat/clerk`, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  await send('m1', 'Book a room.');
  const edited = await send('m1', 'Book a table.');
  expect([edited.status, JSON.parse(edited.text)]).toMatchObject([422, { code: 'EDITED' }]);
  expect((await send('m2', 'Monday')).text).toContain('Which hour?');
  // Its answer was lost, say: it is sent again, and answers nothing else.
  expect((await send('m2', 'Monday')).text).toContain('Which hour?');
  expect((await send('m2', 'Tuesday')).status).toBe(422);
  const job = await kit.job('talk');
  expect((await job.waiting()).map(({ question }) => question)).toEqual(['Which hour?']);
  expect((await send('m3', 'nine')).text).toContain('Noted.');
  expect(await job.locals()).toMatchObject({ day: 'Monday', hour: 'nine' });
  expect(await job.messages()).toHaveLength(1);
});

it('says a message once, however often it is sent', async () => {
  const { listening, kit } = await serveClerk(['Hello.', 'Hello again.']);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] };
  const send = async (): Promise<string> =>
    (
      await fetch(`${listening.url}v1/chat/clerk`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ id: 'talk', messages: [message] }),
      })
    ).text();
  const answers = await Promise.all([send(), send(), send()]);
  expect((await (await kit.job('talk')).messages()).length).toBe(1);
  for (const answer of [...answers, await send()]) {
    expect(answer).toContain('Hello.');
    expect(answer.trimEnd().endsWith('data: [DONE]')).toBe(true);
  }
});
