// For servers that answer a streaming request with one JSON document. The document is kept and passed to the SDK as the
// response to a non-streaming request, so that nothing is requested twice.
import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider';

interface Exchange {
  /** A document received instead of a stream. */
  document?: { readonly text: string; readonly headers: Headers };
  isRead: boolean;
}

const exchanges = new WeakMap<AbortSignal, Exchange>();

/** From now on, keeps a document received under this signal. */
export function expectStream(signal: AbortSignal): void {
  exchanges.set(signal, { isRead: false });
}

/** Whether a document was received; it answers the next request under this signal. */
export function hasDocument(signal: AbortSignal): boolean {
  const exchange = exchanges.get(signal);
  if (exchange?.document === undefined) return false;
  exchange.isRead = true;
  return true;
}

/** The kept document as a response, if there is one. */
export function keptResponse(signal: AbortSignal | null | undefined): Response | undefined {
  const exchange = signal && exchanges.get(signal);
  if (exchange?.isRead !== true || exchange.document === undefined) return undefined;
  return new Response(exchange.document.text, { status: 200, headers: exchange.document.headers });
}

/** Keeps a document where a stream was expected, and returns an empty stream. */
export async function keepDocument(signal: AbortSignal | null | undefined, response: Response): Promise<Response> {
  const exchange = signal && exchanges.get(signal);
  const type = response.headers.get('content-type') ?? '';
  if (!exchange || response.status !== 200 || !/^application\/json\b/i.test(type)) return response;
  const headers = new Headers(response.headers);
  // The text is already decompressed.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  exchange.document = { text: await response.text(), headers };
  return new Response('', { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

/** Converts a whole result to a stream. */
export function streamOf({
  content,
  finishReason,
  usage,
  providerMetadata,
  warnings,
}: LanguageModelV4GenerateResult): ReadableStream<LanguageModelV4StreamPart> {
  const parts = content.flatMap((part, index): LanguageModelV4StreamPart[] => {
    if (part.type !== 'text' && part.type !== 'reasoning') return [part];
    const id = String(index);
    const metadata = part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata };
    return part.type === 'text'
      ? [
          { type: 'text-start', id, ...metadata },
          { type: 'text-delta', id, delta: part.text },
          { type: 'text-end', id },
        ]
      : [
          { type: 'reasoning-start', id, ...metadata },
          { type: 'reasoning-delta', id, delta: part.text },
          { type: 'reasoning-end', id },
        ];
  });
  return ReadableStream.from<LanguageModelV4StreamPart>([
    { type: 'stream-start', warnings },
    ...parts,
    { type: 'finish', finishReason, usage, ...(providerMetadata === undefined ? {} : { providerMetadata }) },
  ]);
}
