// Anthropic's messages API.
import { halves } from './openai-chat.ts';
import { event, usageOf, type ServerReply, type WireFormat } from './script.ts';

export const anthropic: WireFormat = {
  events(reply, model) {
    const { input, cached, cacheWrite, output } = usageOf(reply);
    let index = -1;
    const typed = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);
    const block = (content_block: object, deltas: readonly object[]): string[] => {
      index++;
      return [
        typed({ type: 'content_block_start', index, content_block }),
        ...deltas.map((delta) => typed({ type: 'content_block_delta', index, delta })),
        typed({ type: 'content_block_stop', index }),
      ];
    };
    return [
      typed({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: input - cached - cacheWrite,
            cache_read_input_tokens: cached,
            cache_creation_input_tokens: cacheWrite,
            output_tokens: 1,
          },
        },
      }),
      typed({ type: 'ping' }),
      ...(reply.reasoning === undefined
        ? []
        : block({ type: 'thinking', thinking: '' }, [
            ...halves(reply.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
            { type: 'signature_delta', signature: 'signed by the maker' },
          ])),
      ...(reply.text === undefined
        ? []
        : block(
            { type: 'text', text: '' },
            reply.text.map((text) => ({ type: 'text_delta', text })),
          )),
      ...(reply.calls ?? []).flatMap(({ id, name, input: json }) =>
        block(
          { type: 'tool_use', id, name, input: {} },
          halves(json).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
        ),
      ),
      ...(reply.streamError === true
        ? [typed({ type: 'error', error: { type: 'overloaded_error', message: 'The server is overloaded' } })]
        : []),
      typed({
        type: 'message_delta',
        delta: { stop_reason: stopReason(reply), stop_sequence: null },
        usage: { output_tokens: output },
      }),
      typed({ type: 'message_stop' }),
    ];
  },
  error: (_status, message, code) => JSON.stringify({ type: 'error', error: { type: code, message } }),
};

function stopReason({ finish = 'stop', calls = [] }: ServerReply): string {
  if (finish === 'refused') return 'refusal';
  if (finish === 'length') return 'max_tokens';
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}
