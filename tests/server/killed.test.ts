// A server that is killed in the middle of an answer: the page continues with another process, as if nothing had happened.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UIMessage } from 'ai';
import { expect, it, onTestFinished } from 'vitest';
import { Statek } from '../../src/index.ts';
import { server } from '../../src/server.ts';
import { talker, talkingModels } from '../agents/support/talking.ts';
import { openStoreAt } from '../chaos/place.ts';
import { Page, textOf } from './support/page.ts';

const token = 'token-for-the-tests';
const timeout = 120_000;

async function serving(place: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = fork(join(import.meta.dirname, 'support/serving-child.ts'), [place, token], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'statek-served-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** What a page shows, and when it has shown enough. */
function watching(): { readonly seen: (message: UIMessage) => void; pieces(count: number): Promise<void> } {
  const now = { pieces: 0 };
  let wake = (): void => undefined;
  return {
    seen: (message) => {
      if (message.role === 'assistant') now.pieces = textOf(message).trim().split(' ').length;
      wake();
    },
    async pieces(count) {
      while (now.pieces < count) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

const consecutive = (text: string): void => {
  const pieces = text.trim().split(' ');
  expect(pieces).toEqual(pieces.map((_, index) => String(index)));
};

it('continues in another process, with the whole answer and nothing twice', { timeout }, async () => {
  const place = folder();
  const first = await serving(place);
  const before = watching();
  const page = new Page({ url: `${first.url}v1/chat/talker`, token, id: 'talk', seen: before.seen });
  const sent = page.sendMessage({ text: 'Talk.' });
  await before.pieces(20);
  first.child.kill('SIGKILL');
  await sent;
  expect(page.status).toBe('error');

  const second = await serving(place);
  const after = watching();
  const { messages } = page;
  const continued = new Page({ url: `${second.url}v1/chat/talker`, token, id: 'talk', messages, seen: after.seen });
  const resumed = continued.resumeStream();
  // What the first process had said is taken back, and the model is asked again.
  await after.pieces(20);
  second.child.send('enough');
  await resumed;
  expect(continued.error).toBeUndefined();
  expect(continued.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  consecutive(textOf(continued.last));
  expect(continued.last.parts.at(-1)).toMatchObject({ providerMetadata: { statek: { committed: true } } });
  expect(continued.last.metadata).toMatchObject({ statek: { rest: 'done' } });
});

it('serves what another process works on, as it is said', { timeout }, async () => {
  const place = folder();
  const { child } = await serving(place);
  const store = await openStoreAt(place);
  const kit = await Statek.open({ store, agents: [talker()], models: talkingModels(() => true) });
  const listening = await server(kit, { token }).listen();
  onTestFinished(async () => {
    await listening.close();
    await kit.close();
    await store.close();
  });
  // This process serves and does not work.
  const watched = watching();
  const page = new Page({ url: `${listening.url}v1/chat/talker`, token, id: 'talk', seen: watched.seen });
  const sent = page.sendMessage({ text: 'Talk.' });
  await watched.pieces(10);
  child.send('enough');
  await sent;
  expect(page.error).toBeUndefined();
  consecutive(textOf(page.last));
  expect(page.last.parts.at(-1)).toMatchObject({ providerMetadata: { statek: { committed: true } } });
});
