// The memory store keeps every promise of the store.
import { memoryHarness } from '../support/harnesses.ts';
import { runSuite } from './run-suite.ts';

runSuite('memory', memoryHarness);
