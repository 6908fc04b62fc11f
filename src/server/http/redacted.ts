// Answers without secrets. Every answer passes here once, whichever route it is of.
import type { Redactor } from '../../base/redact.ts';

/** An answer as it may be sent. Events are looked through one by one, as they are sent. */
export async function redactedResponse(response: Response, redactor: Redactor | undefined): Promise<Response> {
  if (redactor === undefined || response.body === null) return response;
  const type = response.headers.get('content-type') ?? '';
  const { status, headers } = response;
  if (/^application\/(?:[\w.+-]+\+)?json/.test(type))
    return new Response(redactedJson(await response.text(), redactor), { status, headers });
  if (!type.startsWith('text/event-stream')) return response;
  return new Response(response.body.pipeThrough(redactedEvents(redactor)), { status, headers });
}

function redactedEvents(redactor: Redactor): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  return new TransformStream({
    transform(chunk, controller) {
      // A chunk has whole events.
      const lines = decoder.decode(chunk, { stream: true }).split('\n');
      const shown = lines.map((line) =>
        line.startsWith('data: ') ? `data: ${redactedJson(line.slice('data: '.length), redactor)}` : line,
      );
      controller.enqueue(encoder.encode(shown.join('\n')));
    },
  });
}

function redactedJson(text: string, redactor: Redactor): string {
  try {
    return JSON.stringify(redactor.value(JSON.parse(text)));
  } catch {
    return redactor.text(text);
  }
}
