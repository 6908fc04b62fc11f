// A cache around a store, a store with a limit, an encrypted store, and a store on a KVStore keep every promise of the store.
import { cacheHarness, encryptedHarness, keyValueHarness, limitedHarness } from '../support/harnesses.ts';
import { runSuite } from './run-suite.ts';

runSuite('a cache', cacheHarness);
runSuite('a store with a limit', limitedHarness);
runSuite('a KVStore', keyValueHarness);
runSuite('an encrypted store', encryptedHarness);
