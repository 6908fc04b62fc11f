// Something the page shows and the server has. It keeps what it has while it asks again, so nothing on the screen jumps; answers
// that come late are dropped; and it asks again when something happened that concerns it.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { JobEvent } from '../api/types.ts';
import { connection, onEvents, onHealed, onNotices } from './events.ts';

export interface Queried<Data> {
  /** The last answer; undefined before the first one, or if the key has changed. */
  readonly data: Data | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

export interface QueryOptions {
  /** Which events make the answer old. */
  readonly when?: ((event: JobEvent) => boolean) | undefined;
  /** What besides jobs makes the answer old when it changes: `schedules`, or a part of the state; `deleted` for jobs that go. */
  readonly changes?: readonly string[] | undefined;
  /** Shows the last answer while that of another key is loaded. */
  readonly keep?: boolean | undefined;
  /** Milliseconds it lets pass before it asks again: what matters more is asked for first. */
  readonly calm?: number | undefined;
  /** Milliseconds after which it asks again without any event: for what changes by the passing of time alone. */
  readonly every?: number | undefined;
}

interface State<Data> {
  readonly key: string | undefined;
  readonly data: Data | undefined;
  readonly error: Error | undefined;
}

export function useQuery<Data>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Data>,
  { when, changes, keep = false, calm = 0, every }: QueryOptions = {},
): Queried<Data> {
  const [state, setState] = useState<State<Data>>({ key: undefined, data: undefined, error: undefined });
  const latest = useRef({ load, when, changes });
  latest.current = { load, when, changes };
  const reloader = useRef<() => void>(() => undefined);

  useEffect(() => {
    if (key === undefined) return undefined;
    const ended = new AbortController();
    let isAsking = false;
    let isOld = false;
    let hasFailed = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      isAsking = true;
      isOld = false;
      const started = performance.now();
      try {
        const data = await latest.current.load(ended.signal);
        hasFailed = false;
        if (!ended.signal.aborted) setState({ key, data, error: undefined });
      } catch (error) {
        hasFailed = true;
        if (!ended.signal.aborted)
          setState((before) => ({ key, data: before.key === key ? before.data : undefined, error: error as Error }));
      }
      // A slow answer is not asked for without a pause: the server has other things to do.
      const pause = Math.min(10_000, Math.max(0, performance.now() - started - 100) * 5);
      setTimeout(() => {
        isAsking = false;
        if (isOld && !ended.signal.aborted) void ask();
      }, pause);
    };
    const again = (): void => {
      if (isAsking) isOld = true;
      else void ask();
    };
    reloader.current = again;
    void ask();
    const becomesOld = (): void => {
      clearTimeout(timer);
      if (calm === 0) again();
      else timer = setTimeout(again, calm);
    };
    const quiet = onEvents((events) => {
      const concerns = latest.current.when;
      if (concerns !== undefined && events.some((event) => concerns(event))) becomesOld();
    });
    const unnoticed = onNotices((notices) => {
      const concerns = latest.current.changes;
      if (concerns === undefined) return;
      const what = notices.map((notice) => (notice.kind === 'deleted' ? 'deleted' : notice.what));
      if (what.some((one) => one === 'all' || concerns.includes(one))) becomesOld();
    });
    const clock =
      every === undefined
        ? undefined
        : setInterval(() => {
            if (!document.hidden && connection.peek() === 'live') again();
          }, every);
    const unhealed = onHealed(() => {
      // What could not be loaded meanwhile is loaded now, whatever it is.
      if (hasFailed || latest.current.when !== undefined || latest.current.changes !== undefined) again();
    });
    return () => {
      ended.abort();
      clearTimeout(timer);
      clearInterval(clock);
      quiet();
      unnoticed();
      unhealed();
    };
  }, [key]);

  const reload = useCallback(() => reloader.current(), []);
  const isCurrent = state.key === key;
  return {
    data: isCurrent || keep ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: !isCurrent,
    reload,
  };
}
