// What the real servers would complain about in a request, as far as it is known: each of these is a 400 somewhere.
import type { ReceivedRequest } from './server.ts';

type Item = Record<string, unknown>;

export function complaints({ path, body }: ReceivedRequest): string[] {
  if (path.endsWith('/messages')) return anthropic(body);
  if (path.endsWith(':streamGenerateContent')) return google(body);
  return path.endsWith('/responses') ? responses(body) : chat(body);
}

function anthropic(body: Item): string[] {
  const found: string[] = [];
  const messages = items(body['messages']);
  for (const block of items(body['system'])) if (blank(block['text'])) found.push('an empty system block');
  if (messages[0]?.['role'] !== 'user') found.push('the first message is not of the user');
  if (messages.at(-1)?.['role'] !== 'user') found.push('the last message is not of the user');
  messages.forEach((message, index) => {
    const content = items(message['content']);
    if (message['role'] === messages[index - 1]?.['role']) found.push('two messages of one role in a row');
    if (content.length === 0) found.push('an empty message');
    if (content.some(({ type, text }) => type === 'text' && blank(text))) found.push('an empty text');
    const calls = idsOf(content, 'tool_use', 'id');
    if (calls.some((id) => !/^[a-zA-Z0-9_-]+$/.test(id))) found.push('an id of strange characters');
    const results = items(messages[index + 1]?.['content']).slice(0, calls.length);
    if (message['role'] === 'assistant' && !same(calls, idsOf(results, 'tool_result', 'tool_use_id'))) {
      found.push('calls without their results right after them');
    }
  });
  return found;
}

function google(body: Item): string[] {
  const found: string[] = [];
  const contents = items(body['contents']);
  if (contents[0]?.['role'] !== 'user') found.push('the first content is not of the user');
  contents.forEach((content, index) => {
    const parts = items(content['parts']);
    if (parts.length === 0) found.push('an empty content');
    const calls = parts.filter((part) => 'functionCall' in part).length;
    const results = items(contents[index + 1]?.['parts']).filter((part) => 'functionResponse' in part).length;
    if (calls > 0 && calls !== results) found.push('calls without their results right after them');
  });
  return found;
}

function chat(body: Item): string[] {
  const found: string[] = [];
  const messages = items(body['messages']);
  messages.forEach((message, index) => {
    const calls = items(message['tool_calls']).map(({ id }) => String(id));
    const results = messages.slice(index + 1, index + 1 + calls.length).map(({ tool_call_id: id }) => String(id));
    if (!same(calls, results)) found.push('calls without their results right after them');
    if (
      message['role'] === 'user' &&
      (blank(message['content']) || items(message['content']).some(({ text }) => text === ''))
    ) {
      found.push('an empty text');
    }
    const says = typeof message['content'] === 'string' || Array.isArray(message['content']);
    if (message['role'] === 'assistant' && calls.length === 0 && !says) found.push('an empty message');
  });
  return found;
}

function responses(body: Item): string[] {
  const input = items(body['input']);
  const calls = idsOf(input, 'function_call', 'call_id');
  const results = idsOf(input, 'function_call_output', 'call_id');
  return same(calls, results) ? [] : ['calls without their results'];
}

function items(value: unknown): Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}

function idsOf(content: readonly Item[], type: string, id: string): string[] {
  return content.filter((item) => item['type'] === type).map((item) => String(item[id]));
}

function blank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
