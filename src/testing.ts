// What helps to test programs that use Statek, and engines made for it.
export { ManualClock } from './base/clock.ts';
export type { ConformanceCase, ConformanceNeed, ConformanceVerdict } from './store/conformance/case.ts';
export type { StoreHarness, StorePlace } from './store/conformance/harness.ts';
export { compareStoreWithModel, type ModelRun } from './store/conformance/model-run.ts';
export { storeConformance } from './store/conformance/suite.ts';
