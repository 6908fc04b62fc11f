// The thread behind blocking reads: it has its own connection and answers while the calling thread is blocked.
import { workerData } from 'node:worker_threads';
import { toErrorMessage } from '../../errors.ts';
import type { BlockingAnswer, BlockingRequest, BlockingThreadData } from './blocking-messages.ts';
import { PostgresEngine } from '../engine.ts';

const { settings, port, answers } = workerData as BlockingThreadData;
const opening = PostgresEngine.open({ ...settings, poolSize: 1, clockOffset: () => 0 });
opening.catch(() => undefined);
const known = new Set<number>();

async function read(request: BlockingRequest): Promise<unknown> {
  const engine = await opening;
  const { id, definition } = request.collection;
  if (!known.has(id)) {
    await engine.declare([definition]);
    known.add(id);
  }
  return request.method === 'read'
    ? engine.read(request.collection, request.keys, request.at)
    : engine.scan(request.collection, request.scan);
}

async function answer(request: BlockingRequest): Promise<void> {
  let result: BlockingAnswer;
  try {
    result = { value: await read(request) };
  } catch (error) {
    result = { error: toErrorMessage(error) };
  }
  port.postMessage(result);
  Atomics.add(answers, 0, 1);
  Atomics.notify(answers, 0);
}

port.on('message', (request: BlockingRequest) => void answer(request));
