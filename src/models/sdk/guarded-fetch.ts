// Wraps fetch to count and time every byte of a reply, including keep-alives that the SDK ignores.
import { watchOf } from '../asking/watch.ts';
import { keepDocument, keptResponse } from './unstreamed.ts';

export type Fetch = typeof globalThis.fetch;

export function guardedFetch(fetch: Fetch | undefined): Fetch {
  return async (input, init) => {
    const kept = keptResponse(init?.signal);
    if (kept !== undefined) return kept;
    const watch = watchOf(init?.signal);
    // Looks up the global fetch per request, because tracing tools replace it.
    // Does not follow redirects, which would send the key to another server.
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
