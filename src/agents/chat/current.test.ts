import { expect, it } from 'vitest';
import { currentItems } from './current.ts';
import type { ChatItem } from './item.ts';

const message = (number: number): ChatItem => ({ kind: 'message', number, time: 0, text: String(number) });
const rollback = (number: number, after: number): ChatItem =>
  ({ kind: 'rollback', number, time: 0, after }) as unknown as ChatItem;
const numbers = (items: readonly ChatItem[]): number[] => currentItems(items).map(({ number }) => number);

it('leaves out what lies between a rollback and where it went', () => {
  expect(numbers([message(1), message(2), message(3), rollback(4, 1), message(5)])).toEqual([1, 4, 5]);
});

it('follows the last of several rollbacks', () => {
  expect(numbers([message(1), message(2), rollback(3, 1), message(4), rollback(5, 2)])).toEqual([1, 2, 5]);
});
