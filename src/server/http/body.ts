// Reads the body of a request: JSON, within its limits of size and time. Nothing is parsed before all of it is there.
import { RequestError } from './problem.ts';
import type { ServerSettings } from './options.ts';

/** How large and how slow a body may be. */
export type BodyLimits = Pick<ServerSettings, 'maxBodyBytes' | 'bodyMilliseconds'>;

export async function readJson(request: Request, settings: BodyLimits): Promise<unknown> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new RequestError(415, 'CONTENT_TYPE', 'Send JSON, with the header content-type: application/json.');
  const text = await readText(request, settings);
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RequestError(400, 'INVALID_JSON', `The body is not JSON: ${(error as Error).message}`);
  }
}

async function readText(request: Request, { maxBodyBytes, bodyMilliseconds }: BodyLimits): Promise<string> {
  const tooLarge = (): RequestError =>
    new RequestError(413, 'BODY_TOO_LARGE', `The body is larger than ${maxBodyBytes} bytes.`, { maxBodyBytes });
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) throw tooLarge();
  if (request.body === null) return '';
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
    void reader.cancel().catch(() => undefined);
  }, bodyMilliseconds);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late.signal.aborted)
        throw new RequestError(408, 'BODY_TOO_SLOW', `The body took longer than ${bodyMilliseconds} ms.`);
      if (done) break;
      size += value.byteLength;
      if (size > maxBodyBytes) throw tooLarge();
      chunks.push(value);
    }
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
  return new TextDecoder('utf-8').decode(Buffer.concat(chunks));
}
