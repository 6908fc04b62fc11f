// The site builds: every page is in it, every link and file that a page names is there, and its search finds a guide. Skipped with a line that says so where its packages cannot be installed.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { contents } from '../../scripts/docs/contents.ts';
import { installSite } from '../../scripts/docs/install.ts';
import { run } from '../../scripts/support/run.ts';
import { browserProgram, launchBrowser } from '../support/browser.ts';
import { root } from './support.ts';

const isInstalled = await installSite({ patience: 20_000 }).then(
  () => true,
  (error: unknown) => {
    const reason = String(error)
      .split('\n')
      .find((line) => line.startsWith('npm error '));
    console.log(`SKIPPED building the site of the documentation: its packages cannot be installed (${reason}).`);
    return false;
  },
);

it.skipIf(!isInstalled)(
  'builds, with every page and every link',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-site-'));
    const pages = `.pages-${basename(folder)}`;
    onTestFinished(() => {
      for (const one of [folder, join(root, 'site', pages)]) rmSync(one, { recursive: true, force: true });
    });
    const built = await run(process.execPath, ['scripts/build-docs.ts', '--without-reference', '--into', folder], {
      environment: { STATEK_SITE_PAGES: pages },
    });
    expect([built.code, built.output]).toEqual([0, expect.stringContaining('The site is in')]);
    const files = contents
      .flatMap((section) => section.pages)
      .map(({ path }) => path.replace(/(?:README)?\.md$/, (end) => (end === 'README.md' ? 'index.html' : '.html')));
    expect(
      [...files, 'index.html', 'llms.txt', 'llms-full.txt'].filter((file) => !existsSync(join(folder, file))),
    ).toEqual([]);
    const program = browserProgram();
    const found = program === undefined ? 'skipped' : await searched(program, folder, 'idempotency key');
    expect(found).toMatch(/Tools that must not happen twice|^skipped$/);
  },
  240_000,
);

/** What the search of the site finds first, in a browser; the site is served from a path of its own. */
async function searched(program: string, folder: string, words: string): Promise<string> {
  const types: Readonly<Record<string, string>> = {
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
  };
  const server = createServer((request, response) => {
    const path = join(folder, decodeURI((request.url ?? '').replace('/some/path/', '')));
    const isThere = existsSync(path) && extname(path) !== '';
    response.writeHead(isThere ? 200 : 404, { 'content-type': types[extname(path)] ?? 'text/html' });
    response.end(isThere ? readFileSync(path) : '');
  }).listen(0, '127.0.0.1');
  const browser = await launchBrowser(program);
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(150_000);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/some/path/index.html`);
    await page.locator('.VPNavBarSearch button').click();
    await page.locator('.search-input').fill(words);
    return await page.locator('.results .result').first().innerText();
  } finally {
    await browser.close();
    server.close();
  }
}
