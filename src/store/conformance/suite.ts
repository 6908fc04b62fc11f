// The whole conformance suite, as a list that any test framework can run:
//
//     for (const { name, run } of storeConformance) test(name, () => run(harness));
import type { ConformanceCase } from './case.ts';
import { checkCases } from './checks.ts';
import { claimCases } from './claims.ts';
import { closingCases } from './closing.ts';
import { commitCases } from './commits.ts';
import { copyCases } from './copies.ts';
import { declaringCases } from './declaring.ts';
import { feedCases } from './feed.ts';
import { fencingCases } from './fencing.ts';
import { followerCases } from './followers.ts';
import { isolationCases } from './isolation.ts';
import { keyCases } from './keys.ts';
import { pruningCases } from './pruning.ts';
import { rangeCheckCases } from './range-checks.ts';
import { rangeCases } from './ranges.ts';
import { refusalCases } from './refusals.ts';
import { scanCases } from './scans.ts';
import { synchronousCases } from './synchronous.ts';
import { valueCases } from './values.ts';
import { verifyingCases } from './verifying.ts';
import { versionCases } from './versions.ts';
import { volatileCases } from './volatile.ts';

/**
 * What every store engine promises, case by case. A case runs on a place of its own, rejects if the promise is broken,
 * and says `skipped`, with the reason, if it needs something that the engine's `features` say it lacks.
 */
export const storeConformance: readonly ConformanceCase[] = [
  ...keyCases,
  ...valueCases,
  ...copyCases,
  ...rangeCases,
  ...scanCases,
  ...commitCases,
  ...refusalCases,
  ...checkCases,
  ...rangeCheckCases,
  ...isolationCases,
  ...versionCases,
  ...pruningCases,
  ...feedCases,
  ...followerCases,
  ...claimCases,
  ...fencingCases,
  ...declaringCases,
  ...synchronousCases,
  ...volatileCases,
  ...verifyingCases,
  ...closingCases,
];
