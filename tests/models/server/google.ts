// Google's Gemini API.
import { event, usageOf, type ServerReply, type WireFormat } from './script.ts';

export const google: WireFormat = {
  events(reply, model) {
    const usage = usageOf(reply);
    const chunk = (parts: readonly object[], more: object = {}): string =>
      event({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }], modelVersion: model });
    return [
      ...(reply.reasoning === undefined ? [] : [chunk([{ text: reply.reasoning, thought: true }])]),
      ...(reply.text ?? []).map((text) => chunk([{ text }])),
      ...(reply.calls ?? []).map(({ id, name, input }) =>
        chunk([{ functionCall: { id, name, args: jsonOr(input) }, thoughtSignature: 'signed by the maker' }]),
      ),
      ...(reply.streamError === true
        ? [event({ error: { code: 503, message: 'The server is overloaded', status: 'UNAVAILABLE' } })]
        : []),
      event({
        candidates: [
          { content: { role: 'model', parts: [{ text: '' }] }, index: 0, finishReason: finishReason(reply) },
        ],
        usageMetadata: {
          promptTokenCount: usage.input,
          cachedContentTokenCount: usage.cached,
          candidatesTokenCount: usage.output - usage.reasoning,
          thoughtsTokenCount: usage.reasoning,
          totalTokenCount: usage.input + usage.output,
        },
        modelVersion: model,
      }),
    ];
  },
  error: (status, message, code) => JSON.stringify({ error: { code: status, message, status: code.toUpperCase() } }),
};

function finishReason({ finish = 'stop' }: ServerReply): string {
  return { stop: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY', broken: 'MALFORMED_FUNCTION_CALL' }[finish];
}

/** Google sends arguments as objects; they cannot be broken on the way. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}
