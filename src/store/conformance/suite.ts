// The whole conformance suite, as a list that any test framework can run:
//
//     for (const { name, run } of storeConformance) test(name, () => run(harness));
import type { ConformanceCase } from './case.ts';
import { checkCases } from './cases/checks.ts';
import { claimCases } from './cases/claims.ts';
import { closingCases } from './cases/closing.ts';
import { commitCases } from './cases/commits.ts';
import { copyCases } from './cases/copies.ts';
import { declaringCases } from './cases/declaring.ts';
import { feedCases } from './cases/feed.ts';
import { fencingCases } from './cases/fencing.ts';
import { followerCases } from './cases/followers.ts';
import { isolationCases } from './cases/isolation.ts';
import { keyCases } from './cases/keys.ts';
import { pruningCases } from './cases/pruning.ts';
import { rangeCheckCases } from './cases/range-checks.ts';
import { rangeCases } from './cases/ranges.ts';
import { refusalCases } from './cases/refusals.ts';
import { scanCases } from './cases/scans.ts';
import { synchronousCases } from './cases/synchronous.ts';
import { valueCases } from './cases/values.ts';
import { verifyingCases } from './cases/verifying.ts';
import { versionCases } from './cases/versions.ts';
import { volatileCases } from './cases/volatile.ts';

/**
 * The promises of every store engine, case by case. A case runs on its own location, rejects if the promise is broken,
 * and returns `skipped` with the reason if the engine lacks a required feature.
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
