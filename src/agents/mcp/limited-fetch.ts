// Responses of a server, no larger than they may be: a server could send without end.
import { McpLimitError } from './errors.ts';

/** `fetch` whose responses break off past a number of bytes; of a stream of events, each event counts by itself. */
export function limitedFetch(server: string, maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isEvents = (response.headers.get('content-type') ?? '').includes('text/event-stream');
    const limited = response.body.pipeThrough(counting(server, maxBytes, isEvents));
    const { status, statusText, headers } = response;
    return new Response(limited, { status, statusText, headers });
  };
}

const newLine = 10;

function counting(server: string, maxBytes: number, isEvents: boolean): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  let last = 0;
  return new TransformStream({
    transform(chunk, controller) {
      count += chunk.byteLength;
      if (isEvents) {
        // An empty line ends an event.
        for (let index = chunk.length - 1; index >= 0; index--) {
          const before = index === 0 ? last : chunk[index - 1];
          if (chunk[index] === newLine && before === newLine) {
            count = chunk.length - 1 - index;
            break;
          }
        }
        last = chunk.at(-1) ?? last;
      }
      if (count > maxBytes)
        controller.error(
          new McpLimitError(`The MCP server '${server}' has sent more than ${maxBytes} bytes at once.`, {
            server,
            limit: maxBytes,
          }),
        );
      else controller.enqueue(chunk);
    },
  });
}
