// One browser for the tests of a file, on an inspector built from the sources as they are.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { upToDateInspector } from '../../../scripts/support/inspector.ts';
import { browserProgram, launchBrowser } from '../../support/browser.ts';

const program = browserProgram();
/** Without a browser the tests are skipped, which `browserProgram` says. */
export const hasBrowser = program !== undefined;

/** One browser for the tests of a file. */
export function useBrowser(): { readonly current: Browser } {
  const holder: { current?: Browser } = {};
  beforeAll(async () => {
    if (program === undefined) return;
    await upToDateInspector();
    holder.current = await launchBrowser(program);
  }, 180_000);
  afterAll(async () => {
    await holder.current?.close();
  });
  return holder as { readonly current: Browser };
}
