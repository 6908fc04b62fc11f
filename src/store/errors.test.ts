// Errors keep class, code, message and details on their way between threads.
import { describe, expect, test } from 'vitest';
import * as errors from './errors.ts';

const { toErrorMessage, fromErrorMessage, ...classes } = errors;

describe('store errors', () => {
  test.each(Object.entries(classes))('%s survives a thread', (name, ErrorClass) => {
    const error = new ErrorClass('what and where', { key: 'value' });
    const again = fromErrorMessage(structuredClone(toErrorMessage(error)));
    expect(again).toBeInstanceOf(ErrorClass);
    expect(again).toMatchObject({ name, code: error.code, message: 'what and where', details: { key: 'value' } });
  });

  test('each has a code of its own', () => {
    const codes = Object.values(classes).map((ErrorClass) => new ErrorClass('x').code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test('what is not one of ours arrives as a plain error that tells all', () => {
    const again = fromErrorMessage(toErrorMessage(new TypeError('broken')));
    expect(again).toBeInstanceOf(Error);
    expect(again.message).toContain('TypeError: broken');
    expect(fromErrorMessage(toErrorMessage('text')).message).toBe('text');
  });
});
