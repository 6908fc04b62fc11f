import { expect, it } from 'vitest';
import { answersIn } from './answers.ts';
import type { ChatItem } from './item.ts';

const state = { style: 'MD_DIALOG', language: 'typescript', tools: [] } as const;

const reply = (content: string, more: object = {}): ChatItem =>
  ({ kind: 'reply', message: { role: 'assistant', content }, finish: 'stop', ...more }) as unknown as ChatItem;
const item = (kind: string, text: string, more: object = {}): ChatItem =>
  ({ kind, text, ...more }) as unknown as ChatItem;

const texts = (items: readonly ChatItem[], given: Parameters<typeof answersIn>[1] = state): string[] => [
  ...answersIn(items, given).values(),
];

it('takes replies without code for answers, unless the system objected', () => {
  expect(texts([item('message', 'hi'), reply('Hello!'), item('message', 'more')])).toEqual(['Hello!']);
  expect(texts([reply('```ts\nwork()\n```')])).toEqual([]);
  expect(texts([reply('Too early'), item('note', 'not yet'), reply('Now')])).toEqual(['Now']);
  expect(texts([reply('Held back', { suppressed: 'why' })])).toEqual([]);
  expect(texts([reply('  ')])).toEqual([]);
});

it('takes what was sent, where the job sends', () => {
  expect(texts([item('sent', 'One'), reply('Two'), item('sent', 'Three', { error: 'lost' })])).toEqual(['One']);
});

it('knows no answers of jobs that do not talk, or have not begun', () => {
  expect(texts([reply('Hello!')], { ...state, style: 'MARKDOWN' })).toEqual([]);
  expect(texts([reply('Hello!')], null)).toEqual([]);
});
