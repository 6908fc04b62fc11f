// Every way in which a server, the client and the network fail has its store error.
import { beforeAll, expect, test } from 'vitest';
import {
  StoreBusyError,
  StoreForeignError,
  StoreFullError,
  StorePermissionError,
  StoreRolledBackError,
  StoreUnavailableError,
} from '../errors.ts';
import { loadClientLibrary, type ClientLibrary } from './client.ts';
import { CommandTimeoutError, isLostConnection, isNoScript, isUnusableServer, storeFailure } from './failure.ts';

let library: ClientLibrary;
beforeAll(async () => {
  library = await loadClientLibrary();
});

test.each([
  ["OOM command not allowed when used memory > 'maxmemory'.", StoreFullError],
  ['MISCONF Errors writing to the AOF file: No space left on device', StoreFullError],
  [
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
    StoreUnavailableError,
  ],
  ['NOAUTH Authentication required.', StorePermissionError],
  ['WRONGPASS invalid username-password pair or user is disabled.', StorePermissionError],
  ["NOPERM this user has no permissions to run the 'evalsha' command", StorePermissionError],
  ['LOADING Redis is loading the dataset in memory', StoreUnavailableError],
  ["READONLY You can't write against a read only replica.", StoreUnavailableError],
  ['NOREPLICAS Not enough good replicas to write.', StoreUnavailableError],
  ['CLUSTERDOWN Hash slot not served', StoreUnavailableError],
  ['MOVED 866 127.0.0.1:7001', StoreUnavailableError],
  ['ERR DB index is out of range', StoreUnavailableError],
  ['BUSY Redis is busy running a script.', StoreBusyError],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', StoreForeignError],
  ['STATEK_LOST the latest revision is 3, after 5', StoreRolledBackError],
])('%s', (message, type) => {
  const failure = storeFailure(new library.SimpleError(message), 'redis://here');
  expect(failure).toBeInstanceOf(type);
  expect((failure as Error).message).toContain('redis://here');
  expect((failure as Error).message).toContain(message);
});

test('errors of the network and of the client are an unavailable store', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  for (const error of [
    refused,
    new AggregateError([refused, refused]),
    new library.SocketClosedUnexpectedlyError(),
    new library.ConnectionTimeoutError(),
    new CommandTimeoutError('no answer'),
  ]) {
    expect(isLostConnection(error)).toBe(true);
    expect(storeFailure(error, 'here')).toBeInstanceOf(StoreUnavailableError);
  }
});

test('an answer is no lost connection, and what nobody knows stays as it is', () => {
  const unknown = new library.SimpleError('ERR something else');
  expect(isLostConnection(unknown)).toBe(false);
  expect(storeFailure(unknown, 'here')).toBe(unknown);
  const bug = new TypeError('undefined is not a function');
  expect(isLostConnection(bug)).toBe(false);
  expect(storeFailure(bug, 'here')).toBe(bug);
  expect(isNoScript(new library.SimpleError('NOSCRIPT No matching script.'))).toBe(true);
});

test('a server that cannot be used is told from one that refused a command', () => {
  const readonly = storeFailure(new library.SimpleError('READONLY no'), 'here');
  expect(isUnusableServer(readonly)).toBe(true);
  expect(isUnusableServer(storeFailure(new library.SimpleError('OOM no'), 'here'))).toBe(false);
  expect(isUnusableServer(undefined)).toBe(false);
});
