// The thread behind blocking reads: it has its own connection and answers while the calling thread is blocked.
import { workerData } from 'node:worker_threads';
import { toErrorMessage } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import type { BlockingAnswer, BlockingRequest, BlockingThreadData } from './messages.ts';

/** Opens an engine with the settings of this thread, and answers with its reads. */
export function answerReads(open: (settings: unknown) => Promise<Engine>): void {
  const { settings, port, answers } = workerData as BlockingThreadData;
  const opening = open(settings);
  opening.catch(() => undefined);
  const known = new Set<number>();

  const read = async (request: BlockingRequest): Promise<unknown> => {
    const engine = await opening;
    const { id, definition } = request.collection;
    if (!known.has(id)) {
      await engine.declare([definition]);
      known.add(id);
    }
    return request.method === 'read'
      ? engine.read(request.collection, request.keys, request.at)
      : engine.scan(request.collection, request.scan);
  };

  const answer = async (request: BlockingRequest): Promise<void> => {
    let result: BlockingAnswer;
    try {
      result = { value: await read(request) };
    } catch (error) {
      result = { error: toErrorMessage(error) };
    }
    port.postMessage(result);
    Atomics.add(answers, 0, 1);
    Atomics.notify(answers, 0);
  };

  port.on('message', (request: BlockingRequest) => void answer(request));
}
