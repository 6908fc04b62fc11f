// The inspector as people have it: a real Chromium on a real server over a real store, with a worker. What goes wrong in the page
// (an exception, a violation of its policy) fails the test that caused it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { Statek, type StatekOptions } from '../../../src/index.ts';
import { server, type Listening, type ServerOptions } from '../../../src/server.ts';

export const token = 'token-for-the-tests';

/** A kit with a worker, and its server. Ends with `await using`. */
export class Inspected implements AsyncDisposable {
  readonly kit: Statek;
  readonly folder: string;
  readonly #options: ServerOptions;
  readonly #stop: (() => Promise<unknown>) | undefined;
  readonly #pages: Page[] = [];
  readonly problems: string[] = [];
  listening: Listening;

  static async open(
    options: Omit<StatekOptions, 'store'>,
    { work = true, ...served }: ServerOptions & { readonly work?: boolean } = {},
  ): Promise<Inspected> {
    const folder = mkdtempSync(join(tmpdir(), 'statek-web-'));
    const kit = await Statek.open({ ...options, store: folder, leaseMilliseconds: 2000 });
    const worker = work ? kit.start() : undefined;
    const settings = { token, ...served };
    const listening = await server(kit, settings).listen();
    return new Inspected(kit, folder, settings, listening, worker && (() => worker.stop({ graceMilliseconds: 0 })));
  }

  private constructor(
    kit: Statek,
    folder: string,
    options: ServerOptions,
    listening: Listening,
    stop: (() => Promise<unknown>) | undefined,
  ) {
    this.kit = kit;
    this.folder = folder;
    this.#options = options;
    this.listening = listening;
    this.#stop = stop;
  }

  /** The page at a place of the inspector, in a browser profile of its own. */
  async page(
    browser: Browser,
    place = '/jobs',
    options: BrowserContextOptions & { readonly token?: string } = {},
  ): Promise<Page> {
    const { token: given = token, ...rest } = options;
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...rest });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => this.problems.push(String(error)));
    page.on('console', (message) => {
      // Refused requests are shown by the page, and written here by the browser.
      const text = message.text();
      if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(text)) this.problems.push(text);
    });
    this.#pages.push(page);
    await page.goto(`${this.listening.url}#token=${given}&to=${encodeURIComponent(place)}`);
    return page;
  }

  /** The server goes away, and comes back at the same address. */
  async withoutServer(meanwhile: () => Promise<void>): Promise<void> {
    const { port } = this.listening;
    await this.listening.close();
    await meanwhile();
    this.listening = await server(this.kit, this.#options).listen({ port });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const page of this.#pages) await page.context().close();
    await this.listening.close();
    await this.#stop?.();
    await this.kit.close();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.problems.length > 0) throw new Error(`In the page:\n${this.problems.join('\n')}`);
  }
}
