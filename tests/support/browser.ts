// Chromium for tests: the program named by STATEK_TEST_CHROMIUM, else an installed one; otherwise undefined, with a line that
// the tests are skipped.
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Without the sandbox, which containers seldom allow, and without anything that looks for hosts outside. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of the browser's program, if there is one. */
export function browserProgram(): string | undefined {
  const named = process.env['STATEK_TEST_CHROMIUM'];
  const found = named ?? places.find((place) => existsSync(place));
  if (found === undefined)
    console.log('SKIPPED tests in a browser: no Chromium found. Install it, or name it in STATEK_TEST_CHROMIUM.');
  return found;
}

/** Starts the browser; whoever starts it closes it. */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags, headless: true });
}
