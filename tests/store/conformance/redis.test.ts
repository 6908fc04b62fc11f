// The redis store keeps every promise of the store.
import { redisHarness } from '../support/harnesses.ts';
import { runSuite } from './run-suite.ts';

runSuite('redis', await redisHarness());
