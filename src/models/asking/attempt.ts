// One request to one model: watched, timed, and streamed to the subscriber.
import type { Clock } from '../../base/clock.ts';
import type { ModelAnswer, BackendRequest, ModelBackend, Sleep } from '../backend.ts';
import { aboutModel } from '../errors.ts';
import type { ModelDelta } from '../request.ts';
import { Watch, type ReplyLimits } from './watch.ts';

export interface AttemptTools {
  readonly limits: Required<ReplyLimits>;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

export interface TimedAnswer {
  readonly answer: ModelAnswer;
  readonly timeToFirstToken: number;
  readonly duration: number;
}

export async function attempt(
  backend: ModelBackend,
  request: BackendRequest,
  { limits, clock, sleep }: AttemptTools,
  signal: AbortSignal,
  tell: (delta: ModelDelta) => void,
): Promise<TimedAnswer> {
  const watch = new Watch({ limits, clock, sleep, signal });
  const start = clock.now();
  let first: number | undefined;
  let over = false;
  const emit = (delta: ModelDelta): void => {
    // An aborted backend may not have noticed yet.
    if (over) return;
    watch.received(0);
    first ??= clock.now();
    tell(delta);
  };
  try {
    const answer = await watch.during(() => backend.answer(request, { signal: watch.signal, clock, sleep, emit }));
    const end = clock.now();
    return { answer, timeToFirstToken: (first ?? end) - start, duration: end - start };
  } catch (error) {
    throw aboutModel(error, backend.provider, backend.model);
  } finally {
    over = true;
  }
}
