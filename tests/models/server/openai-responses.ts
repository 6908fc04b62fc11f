// OpenAI's responses API.
import { halves } from './openai-chat.ts';
import { event, usageOf, type ServerReply, type WireFormat } from './script.ts';

export const openaiResponses: WireFormat = {
  events(reply, model) {
    const base = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model, output: [] };
    let output = -1;
    const typed = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);
    return [
      typed({ type: 'response.created', response: { ...base, status: 'in_progress' } }),
      ...(reply.reasoning === undefined ? [] : reasoning(reply.reasoning, ++output, typed)),
      ...(reply.text === undefined ? [] : textMessage(reply.text, ++output, typed)),
      ...(reply.calls ?? []).flatMap((call) => functionCall(call, ++output, typed)),
      ...(reply.finish === 'refused' ? refusal(++output, typed) : []),
      ...(reply.streamError === true
        ? [
            typed({
              type: 'error',
              sequence_number: 9,
              error: { type: 'server_error', code: 'server_error', message: 'The server is overloaded', param: null },
            }),
          ]
        : []),
      typed(end(reply, base)),
    ];
  },
  error: (_status, message, code) => JSON.stringify({ error: { message, type: code, param: null, code } }),
};

type Typed = (data: { type: string } & Record<string, unknown>) => string;

function reasoning(text: string, output_index: number, typed: Typed): string[] {
  const item = { id: 'rs_1', type: 'reasoning', summary: [] };
  const place = { item_id: 'rs_1', output_index, summary_index: 0 };
  return [
    typed({ type: 'response.output_item.added', output_index, item: { ...item, encrypted_content: null } }),
    typed({ type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } }),
    ...halves(text).map((delta) => typed({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
    typed({ type: 'response.reasoning_summary_part.done', ...place, part: { type: 'summary_text', text } }),
    typed({
      type: 'response.output_item.done',
      output_index,
      item: { ...item, summary: [{ type: 'summary_text', text }], encrypted_content: 'sealed thoughts' },
    }),
  ];
}

function textMessage(text: readonly string[], output_index: number, typed: Typed): string[] {
  const place = { item_id: 'msg_1', output_index, content_index: 0 };
  const item = { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
  return [
    typed({ type: 'response.output_item.added', output_index, item }),
    ...text.map((delta) => typed({ type: 'response.output_text.delta', ...place, delta })),
    typed({
      type: 'response.output_item.done',
      output_index,
      item: { ...item, status: 'completed', content: [{ type: 'output_text', text: text.join(''), annotations: [] }] },
    }),
  ];
}

function functionCall(
  { id, name, input }: { id: string; name: string; input: string },
  output_index: number,
  typed: Typed,
): string[] {
  const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name, arguments: '' };
  return [
    typed({ type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } }),
    ...halves(input).map((delta) =>
      typed({ type: 'response.function_call_arguments.delta', item_id: item.id, output_index, delta }),
    ),
    typed({
      type: 'response.output_item.done',
      output_index,
      item: { ...item, arguments: input, status: 'completed' },
    }),
  ];
}

function refusal(output_index: number, typed: Typed): string[] {
  const item = { id: 'msg_2', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
  const text = 'I cannot help with that.';
  const place = { item_id: 'msg_2', output_index, content_index: 0 };
  return [
    typed({ type: 'response.output_item.added', output_index, item }),
    typed({ type: 'response.refusal.delta', ...place, delta: text }),
    typed({ type: 'response.refusal.done', ...place, refusal: text }),
    typed({
      type: 'response.output_item.done',
      output_index,
      item: { ...item, status: 'completed', content: [{ type: 'refusal', refusal: text }] },
    }),
  ];
}

function end(reply: ServerReply, base: object): { type: string } & Record<string, unknown> {
  const usage = usageOf(reply);
  const response = {
    ...base,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  };
  if (reply.finish === 'length') {
    const incomplete_details = { reason: 'max_output_tokens' };
    return { type: 'response.incomplete', response: { ...response, status: 'incomplete', incomplete_details } };
  }
  if (reply.finish === 'broken') {
    const error = { code: 'server_error', message: 'The server failed' };
    return { type: 'response.failed', sequence_number: 9, response: { ...response, status: 'failed', error } };
  }
  return { type: 'response.completed', response: { ...response, status: 'completed', incomplete_details: null } };
}
