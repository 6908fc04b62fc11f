// The sqlite store keeps every promise of the store.
import { sqliteHarness } from '../support/harnesses.ts';
import { runSuite } from './run-suite.ts';

runSuite('sqlite', sqliteHarness);
