import { expect, it } from 'vitest';
import type { JobMessage } from '../../jobs/door.ts';
import { messageItem, mutedResult, noticeItem, ownNews, setupOf } from './messages.ts';

const message = (body: unknown, more: Partial<JobMessage> = {}): JobMessage =>
  ({ kind: 'message', number: 1, time: 0, body, ...more }) as JobMessage;

it('shows a message as text, with its media and its id', () => {
  expect(messageItem(message('hello'), 'typescript')).toEqual({ kind: 'message', text: 'hello' });
  const media = [{ type: 'image', data: 'AA==', mediaType: 'image/png' }];
  expect(messageItem(message({ text: 'look', media, id: 'm1' }), 'typescript')).toEqual({
    kind: 'message',
    id: 'm1',
    text: 'look',
    media,
  });
  expect(messageItem(message({ text: 'look', media: [], id: 5 }), 'typescript')).toEqual({
    kind: 'message',
    text: 'look',
  });
  expect(messageItem(message({ a: [1, true] }), 'typescript').text).toContain('true');
  expect(messageItem(message({ a: [1, true] }), 'python').text).toContain('True');
});

it('tells of a subtask what is known of it', () => {
  const notice = (body: unknown): string => noticeItem(message(body, { from: 'job-2' }), 'typescript').text;
  expect(notice({ state: 'DONE', outcome: 'completed', result: 5 })).toBe('The subtask job-2 has ended (completed): 5');
  expect(notice({ state: 'DONE', outcome: 'failed', error: 'no' })).toBe('The subtask job-2 has ended (failed): no');
  expect(notice({ state: 'STARTED', result: 'yes' })).toMatch(/^The subtask job-2 has answered: /);
  expect(notice('?')).toBe('The subtask job-2 has news');
});

it('hears only from itself what it has to say', () => {
  const own = message({ spoken: 'hi' }, { kind: 'notice', from: 'job-1' });
  expect(ownNews(own, 'job-1')).toEqual({ spoken: 'hi' });
  expect(ownNews(own, 'job-2')).toEqual({});
  expect(ownNews(message({ spoken: 'hi' }, { from: 'job-1' }), 'job-1')).toEqual({});
});

it('makes one result of everything a muted job said', () => {
  const late = [message({ spoken: 'second' }), message('not spoken')];
  expect(mutedResult(['first'], late, 'third', 5, 'typescript')).toBe('first\n\nsecond\n\nthird');
  expect(mutedResult([], [], undefined, 5, 'typescript')).toBe('5');
  expect(mutedResult([], [], undefined, undefined, 'typescript')).toBe('');
});

it('takes texts alone for code to set up', () => {
  expect(setupOf(message({ setup: ['a = 1', 2, 'b = 1'] }))).toEqual(['a = 1', 'b = 1']);
  expect(setupOf(message('setup'))).toEqual([]);
});
