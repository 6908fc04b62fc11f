// Addresses as people have them at hand.
import { expect, it } from 'vitest';
import { readAddress } from './address.ts';

it.each([
  ['https://api.openai.com', 'https://api.openai.com/v1', undefined],
  ['https://api.openai.com/', 'https://api.openai.com/v1', undefined],
  ['https://api.openai.com/v1/', 'https://api.openai.com/v1', undefined],
  ['https://api.openai.com/v1/chat/completions', 'https://api.openai.com/v1', '/chat/completions'],
  ['https://api.openai.com/v1/responses', 'https://api.openai.com/v1', '/responses'],
  ['https://api.anthropic.com/v1/messages', 'https://api.anthropic.com/v1', '/messages'],
  ['http://host/chat/completions', 'http://host', '/chat/completions'],
  ['http://host:8080/some/proxy', 'http://host:8080/some/proxy', undefined],
  [
    'https://google.example/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    'https://google.example/v1beta',
    '/models/gemini-2.5-pro:streamGenerateContent',
  ],
])('%s', (text, url, endpoint) => {
  expect(readAddress(text, '/v1', 'X_API_URL')).toEqual({ url, endpoint });
});

it.each(['localhost:11434', 'not an address', '', 'file:///etc/passwd'])("refuses '%s'", (text) => {
  expect(() => readAddress(text, '/v1', 'X_API_URL')).toThrow(/X_API_URL is '.*Write it like 'http:\/\/localhost/);
});

it('refuses a password, and does not show it', () => {
  expect(() => readAddress('https://me:secret@host/v1', '/v1', 'X_API_URL')).toThrow(/^X_API_URL must not contain/);
});
