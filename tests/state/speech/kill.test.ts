// A process that streams is killed and starts again from the beginning, while another streams the same: everything arrives once.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SpeechStateManager } from '../../../src/state.ts';
import { storeFolder } from '../../workspace/support/kits.ts';

const count = 30;

it('keeps every chunk and segment once', async () => {
  const store = storeFolder();
  const speech = new SpeechStateManager({ store });
  const sessionId = await speech.createSession();
  const acknowledged = new Set<number>();
  const child = (killAt: number): Promise<boolean> => {
    const process = fork(join(import.meta.dirname, 'speak-child.ts'), [store, sessionId, String(count)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let isDone = false;
    process.on('message', (message) => {
      if (message === 'done') isDone = true;
      else acknowledged.add(message as number);
      if (message === killAt) process.kill('SIGKILL');
    });
    return new Promise((resolve) => process.once('exit', () => resolve(isDone)));
  };
  const stopped = [await child(3), ...(await Promise.all([child(9), child(20)])), await child(-1)];
  expect(stopped.at(-1)).toBe(true);
  expect(acknowledged.size).toBe(count);
  expect(await speech.getSttState(sessionId)).toMatchObject({
    chunksReceived: count,
    audioReceivedBytes: 10 * count,
    nextSequence: count,
    gaps: [],
    finalSegments: count,
  });
  const { segments } = await speech.getTranscript(sessionId);
  expect(segments.map(({ text }) => text).toSorted()).toEqual(
    Array.from({ length: count }, (_, number) => `segment ${number}`).toSorted(),
  );
  await speech.close();
});
