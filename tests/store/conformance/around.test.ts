// A cache around a store, an encrypted store, and a store on a KVStore keep every promise of the store.
import { cacheHarness, encryptedHarness, keyValueHarness } from '../support/harnesses.ts';
import { runSuite } from './run-suite.ts';

runSuite('a cache', cacheHarness);
runSuite('a KVStore', keyValueHarness);
runSuite('an encrypted store', encryptedHarness);
