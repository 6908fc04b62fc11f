// Between the SDK and the network: every byte of a reply is counted and timed, keep-alives the SDK swallows included.
import { watchOf } from '../asking/watch.ts';
import { keepDocument, keptResponse } from './unstreamed.ts';

export type Fetch = typeof globalThis.fetch;

export function guardedFetch(fetch: Fetch | undefined): Fetch {
  return async (input, init) => {
    const kept = keptResponse(init?.signal);
    if (kept !== undefined) return kept;
    const watch = watchOf(init?.signal);
    // Looked up at each request, because tracing tools replace the global one.
    // A redirect is not followed: it would carry the key to wherever it points.
    const response = await (fetch ?? globalThis.fetch)(input, { ...init, redirect: 'manual' });
    watch?.received(0);
    if (watch === undefined || response.body === null) return keepDocument(init?.signal, response);
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          watch.received(chunk.byteLength);
          controller.enqueue(chunk);
        },
      }),
    );
    return keepDocument(
      init?.signal,
      new Response(counted, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      }),
    );
  };
}
