// OpenAI's chat completions, as most servers of the world speak them; with what OpenRouter adds.
import { event, usageOf, type ServerReply, type WireFormat } from './script.ts';

export const openaiChat: WireFormat = {
  events(reply, model) {
    const chunk = (delta: object, finish: string | null = null): string =>
      event({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const usage = usageOf(reply);
    return [
      chunk({ role: 'assistant', content: '' }),
      ...(reply.reasoning === undefined ? [] : reasoning(reply.reasoning, chunk)),
      ...(reply.text ?? []).map((text) => chunk({ content: text })),
      ...(reply.finish === 'refused' ? [chunk({ refusal: 'I cannot help with that.' })] : []),
      ...(reply.calls ?? []).flatMap(({ id, name, input }, index) => [
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...halves(input).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
      ]),
      ...(reply.streamError === true
        ? [event({ error: { message: 'The server is overloaded', type: 'server_error', code: 503 } })]
        : []),
      chunk({}, finishOf(reply)),
      event({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model,
        choices: [],
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.output,
          cost: 0.0125,
          prompt_tokens_details: { cached_tokens: usage.cached },
          completion_tokens_details: { reasoning_tokens: usage.reasoning },
        },
      }),
      event('[DONE]'),
    ];
  },
  error: (_status, message, code) => JSON.stringify({ error: { message, type: code, param: null, code } }),
};

/** The text in two pieces, each with its part of the details; the signature comes with the last. */
function reasoning(text: string, chunk: (delta: object) => string): string[] {
  return halves(text).map((part, index) =>
    chunk({
      reasoning: part,
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: part, ...(index === 0 ? {} : { signature: 'signed by the maker' }) },
      ],
    }),
  );
}

function finishOf({ finish = 'stop', calls = [] }: ServerReply): string {
  if (finish === 'broken') return 'error';
  if (finish === 'refused') return 'content_filter';
  if (finish === 'length') return 'length';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
