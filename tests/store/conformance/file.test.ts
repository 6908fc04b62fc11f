// The file store keeps every promise of the store, in both of its formats.
import { fileHarness } from '../support/harnesses.ts';
import { runSuite } from './run-suite.ts';

runSuite('file', fileHarness());
runSuite('file with MessagePack and compression', fileHarness({ format: 'msgpack', compression: true }));
