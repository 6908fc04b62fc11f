// What helps to test programs that use Statek, and engines made for it.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';
export { ManualClock } from './base/clock.ts';
export { ManualTime, type ManualTimeOptions } from './models/testing/manual-time.ts';
export { recordedModel, type RecordedModelOptions } from './models/testing/recorded.ts';
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './models/testing/scripted.ts';
export type { ScriptedFault, ScriptedReply, ScriptedToolCall, ScriptStep } from './models/testing/scripted-reply.ts';
export type { ConformanceCase, ConformanceNeed, ConformanceVerdict } from './store/conformance/case.ts';
export type { StoreHarness, StorePlace } from './store/conformance/harness.ts';
export { compareStoreWithModel, type ModelRun } from './store/conformance/model/model-run.ts';
export { storeConformance } from './store/conformance/suite.ts';
export { SimulatedClock } from './base/simulated-clock.ts';
export type { FaultPoint, Faults } from './jobs/faults.ts';
export { SeededRandom } from './kit/simulation/random.ts';
export {
  simulate,
  SimulationFailedError,
  type SimulatedWorld,
  type SimulationOptions,
  type SimulationReport,
} from './kit/simulation/simulate.ts';
