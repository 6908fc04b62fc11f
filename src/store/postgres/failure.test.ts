import { DatabaseError } from 'pg';
import { describe, expect, test } from 'vitest';
import {
  StoreArgumentError,
  StoreBusyError,
  StoreCorruptError,
  StoreFullError,
  StorePermissionError,
  StoreUnavailableError,
} from '../errors.ts';
import { isLostConnection, isRejection, storeFailure } from './failure.ts';

function fromServer(code: string, severity = 'ERROR'): DatabaseError {
  const error = new DatabaseError('what the server said', 10, 'error');
  return Object.assign(error, { code, severity });
}

describe('failures', () => {
  test.for([
    ['53100', StoreFullError],
    ['53300', StoreUnavailableError],
    ['42501', StorePermissionError],
    ['28P01', StorePermissionError],
    ['57014', StoreBusyError],
    ['55P03', StoreBusyError],
    ['40P01', StoreBusyError],
    ['57P01', StoreUnavailableError],
    ['57P03', StoreUnavailableError],
    ['25006', StoreUnavailableError],
    ['XX001', StoreCorruptError],
    ['42P01', StoreCorruptError],
    ['54000', StoreArgumentError],
  ] as const)('%s', ([code, type]) => {
    const error = fromServer(code);
    const failure = storeFailure(error, 'postgres://here') as Error;
    expect(failure).toBeInstanceOf(type);
    expect(failure.message).toMatch(/^postgres:\/\/here .*what the server said/);
    expect(failure.cause).toBe(error);
  });

  test('networks', () => {
    for (const code of [
      'ECONNREFUSED',
      'ECONNRESET',
      'EPIPE',
      'ENOTFOUND',
      'ETIMEDOUT',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    ]) {
      const error = Object.assign(new Error('gone'), { code });
      expect(isLostConnection(error)).toBe(true);
      expect(storeFailure(error, 'here')).toBeInstanceOf(StoreUnavailableError);
    }
    for (const message of ['Connection terminated unexpectedly', 'timeout expired', 'Query read timeout'])
      expect(isLostConnection(new Error(message))).toBe(true);
    const both = new AggregateError([Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })]);
    expect(storeFailure(both, 'here')).toBeInstanceOf(StoreUnavailableError);
  });

  test('mistakes of our own stay what they are', () => {
    const mistake = new TypeError('undefined is not a function');
    expect(storeFailure(mistake, 'here')).toBe(mistake);
    const syntax = fromServer('42601');
    expect(storeFailure(syntax, 'here')).toBe(syntax);
    const ours = new StoreBusyError('busy');
    expect(storeFailure(ours, 'here')).toBe(ours);
  });

  test('only an answer that leaves the server running is a refusal', () => {
    expect(isRejection(fromServer('23505'))).toBe(true);
    expect(isRejection(fromServer('57P01', 'FATAL'))).toBe(false);
    expect(isRejection(new Error('Connection terminated'))).toBe(false);
  });
});
