// HTTP whose requests end when their stream does. The SDK's own waits for the answer of a server that has died until
// the time of the request is over.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The code of the answer that stands for a stream that ended without one; no server sends it. */
export const streamEnded = -32_790;
const marker = 'statek: the stream ended without an answer';

export class HttpTransport extends StreamableHTTPClientTransport {
  override async send(
    ...[message, options]: Parameters<StreamableHTTPClientTransport['send']>
  ): ReturnType<StreamableHTTPClientTransport['send']> {
    const id = !Array.isArray(message) && 'method' in message && 'id' in message ? message.id : undefined;
    if (id === undefined || options?.onRequestStreamEnd !== undefined) return super.send(message, options);
    return super.send(message, {
      ...options,
      onRequestStreamEnd: () => this.onmessage?.({ jsonrpc: '2.0', id, error: { code: streamEnded, message: marker } }),
    });
  }
}

/** A stream that ended after its answer is nothing to speak of. */
export function isUsualEnd(error: Error): boolean {
  return error.message.includes(marker);
}
