// The postgres store keeps every promise of the store.
import { postgresHarness } from '../support/harnesses.ts';
import { runSuite } from './run-suite.ts';

runSuite('postgres', await postgresHarness());
