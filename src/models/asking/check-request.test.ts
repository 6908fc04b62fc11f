// What one provider would refuse is refused for all of them, before it is sent.
import { expect, it } from 'vitest';
import { checkRequest } from './check-request.ts';
import type { ModelMessage } from '../message.ts';
import type { ModelRequest } from '../request.ts';

const user: ModelMessage = { role: 'user', content: 'Hello' };
const call = (id: string): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', id, name: 'look', input: {} }],
});
const result = (id: string): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', id, name: 'look', output: 'seen' }],
});
const note: ModelMessage = { role: 'system', content: 'A note' };
const tool = { name: 'look', input: { type: 'object' } };

const check = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): void =>
  checkRequest({ model: 'm', messages, ...more });

it.each([
  [[user]],
  [[note, user]],
  [[user, call('1'), result('1')]],
  [[user, call('1'), result('1'), note]],
  [[user, { role: 'assistant', content: 'Hi' } as const, note]],
  [[user, call('1'), result('1'), call('1'), result('1'), user]],
])('takes %#', (messages) => {
  expect(() => check(messages)).not.toThrow();
});

it.each([
  [[], /the first message after the system messages must have the role 'user'/],
  [[note], /must have the role 'user'/],
  [[call('1'), result('1')], /must have the role 'user'/],
  [[user, { role: 'assistant', content: 'Hi' } as const], /nothing to answer/],
  [[user, call('1')], /nothing to answer/],
  [[user, call('1'), user], /messages\[2\] comes before the results of the calls 1/],
  [[user, call('1'), result('2')], /messages\[2\] has a result for '2', which is not a pending tool call/],
  [[user, call('1'), result('1'), result('1')], /has a result for '1'/],
  [[user, call('1'), note], /comes before the results/],
] as [ModelMessage[], RegExp][])('refuses %#', (messages, message) => {
  expect(() => check(messages)).toThrow(message);
});

it('refuses two calls of one id', () => {
  const part = { type: 'tool-call', id: '1', name: 'look', input: {} } as const;
  expect(() => check([user, { role: 'assistant', content: [part, part] }, result('1')])).toThrow(
    /two calls with the id/,
  );
});

it.each([
  [{ tools: [{ ...tool, name: 'my tool' }] }, /'my tool' is not a valid name of a tool/],
  [{ tools: [tool, tool] }, /two tools named 'look'/],
  [{ tools: [{ name: 'look', input: { type: 'string' } }] }, /must have the type 'object'/],
  [{ toolChoice: { tool: 'lok' }, tools: [tool] }, /toolChoice names 'lok'/],
  [{ toolChoice: 'required' as const }, /there are no tools/],
  [{ temprature: 1 } as Partial<ModelRequest>, /no option 'temprature'/],
])('refuses %o', (more, message) => {
  expect(() => check([user], more)).toThrow(message);
});

it.each([
  [{ type: 'media', mediaType: 'image/png' }, /either data or a url/],
  [{ type: 'media', mediaType: 'picture', data: '' }, /not a media type/],
  [{ type: 'media', mediaType: 'image/png', url: 'file:///x.png' }, /must start with http/],
] as const)('refuses media %o', (part, message) => {
  expect(() => check([{ role: 'user', content: [part] }])).toThrow(message);
});
