// Server-sent events that never get ahead of their reader: the next event is taken from its source only when the last one was
// read, so a slow reader costs only itself.

export interface ServerEvent {
  /** What to give as `last-event-id` to continue after this event. */
  readonly id?: string | number | undefined;
  readonly event?: string | undefined;
  /** Without it, only the id is sent: clients see nothing, and continue from there. */
  readonly data?: unknown;
  /** Sent as it is, instead of `data`. */
  readonly text?: string;
}

const heartbeatMilliseconds = 15_000;
const encoder = new TextEncoder();

interface StreamParts {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  closed(): void;
}

/** A response that streams the events of a source until the source or the reader ends it. */
export function eventStream(
  source: (signal: AbortSignal) => AsyncIterable<ServerEvent>,
  { signal, closed, headers = {} }: StreamParts,
): Response {
  const stop = new AbortController();
  const end = (): void => {
    stop.abort();
    clearInterval(heartbeat);
    closed();
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const events = source(stop.signal)[Symbol.asyncIterator]();
  let heartbeat: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(': connected\n\n'));
        heartbeat = setInterval(() => {
          // Only readers who are waiting need to see that the connection is alive.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still here\n\n'));
        }, heartbeatMilliseconds);
        heartbeat.unref();
      },
      async pull(controller) {
        try {
          const next = await events.next();
          if (next.done === true || stop.signal.aborted) {
            end();
            controller.close();
          } else controller.enqueue(encoder.encode(textOf(next.value)));
        } catch (error) {
          const isOver = stop.signal.aborted || (error as { code?: unknown }).code === 'STORE_CLOSED';
          end();
          // A reader whose stream ends continues from its last event; one whose stream breaks off does the same.
          if (isOver) controller.close();
          else controller.error(error);
        }
      },
      async cancel() {
        end();
        await events.return?.();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no', ...headers },
  });
}

function textOf({ id, event, data, text }: ServerEvent): string {
  const lines = [];
  if (id !== undefined) lines.push(`id: ${id}`);
  if (event !== undefined) lines.push(`event: ${event}`);
  // JSON has no line breaks.
  const shown = text ?? (data === undefined ? undefined : JSON.stringify(data));
  if (shown !== undefined) lines.push(`data: ${shown}`);
  return `${lines.join('\n')}\n\n`;
}
