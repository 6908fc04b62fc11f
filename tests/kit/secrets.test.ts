// Secrets that an application has, planted wherever it may have them, and then looked for wherever something is written: the
// store, logs, traces, exports, errors, answers over HTTP, metrics. None of them may be found.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { chains } from '../../src/history/collections.ts';
import { openHistory } from '../../src/history/open.ts';
import { mcpServer } from '../../src/mcp.ts';
import { Agent, Models, openEncrypted, program, Statek, tool } from '../../src/index.ts';
import { server } from '../../src/server.ts';
import { allItems } from '../../src/store/backup/snapshot-items.ts';
import { snapshotOf } from '../../src/store/backup/engine-of.ts';
import { scriptedModel } from '../../src/testing.ts';
import { openStore, scanAll, type Store } from '../../src/store.ts';
import { ModelServer } from '../models/server/server.ts';
import { storeFolder } from '../workspace/support/kits.ts';

const spans = new InMemorySpanExporter();
beforeAll(() => {
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
});
afterAll(() => trace.disable());

/** Everything in a store as bytes: rows, superseded rows, what they have compressed, and the memory of programs. */
async function contentsOf(store: Store): Promise<Buffer> {
  const parts: Buffer[] = [];
  const snapshot = await snapshotOf(store, false);
  for await (const items of allItems(snapshot))
    for (const item of items) {
      if (item.kind !== 'entry' && item.kind !== 'version') continue;
      const { key, value } = item.kind === 'entry' ? item.entry : item.version;
      const bytes = Buffer.from(value as string);
      parts.push(Buffer.from(key, 'latin1'), bytes);
      for (
        let start = bytes.indexOf('28b52ffd', 0, 'hex');
        start >= 0;
        start = bytes.indexOf('28b52ffd', start + 1, 'hex')
      )
        try {
          parts.push(zstdDecompressSync(bytes.subarray(start)));
        } catch {
          // These four bytes were something else.
        }
    }
  await snapshot.close();
  const history = await openHistory(store);
  for await (const { key } of scanAll(store, chains, {})) {
    const chain = String(key[0]);
    const { hash } = await history.head(chain);
    const { image } = await history.checkout(chain, hash);
    parts.push(Buffer.from(image.bytes), Buffer.from(image.header));
  }
  return Buffer.concat(parts);
}

it('are nowhere to be found', async () => {
  const secrets = {
    provider: 'sk-provider-0123456789',
    header: 'header-secret-0123456789',
    service: 'service-secret-0123456789',
    url: 'url-password-0123456789',
    token: 'server-token-0123456789',
    key: randomBytes(32).toString('base64'),
  };
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const warnings: string[] = [];
  const warned = (warning: Error): void => void warnings.push(`${warning.message} ${warning.stack ?? ''}`);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  vi.stubEnv('OPENAI_API_KEY', secrets.provider);
  vi.stubEnv('STATEK_SERVER_TOKEN', secrets.token);
  const provider = await ModelServer.start();
  onTestFinished(() => provider.close());
  const traceFile = join(storeFolder(), 'trace.jsonl');

  /** An object of the application that has a secret of its own. */
  class Bank {
    // What is not private is there for programs.
    readonly #headers = { authorization: `Bearer ${secrets.service}` };
    pay(amount: number): number {
      return amount;
    }
    async fail(): Promise<never> {
      throw Object.assign(new Error('The bank is closed.'), { request: { headers: this.#headers } });
    }
  }
  const bank = new Bank();
  const charge = tool({ name: 'charge', execute: async (amount: number) => bank.pay(amount) });
  const clerk = new Agent({
    role: 'clerk',
    chatStyle: 'CONSOLE',
    tools: [charge],
    metadata: { MODEL: 'openai/gpt-5-mini' },
  });
  const uses = program({
    role: 'uses',
    source: `const paid = bank.pay(5); print(bank, paid); try { await bank.fail() } catch (error) { print(error, Object.keys(error)) } bank`,
  });
  const inner = await openStore('memory:');
  const stores = [inner, await openStore(storeFolder())];
  const errors: unknown[] = [];
  for (const store of stores) {
    const models = new Models({
      providers: {
        openai: { url: `${provider.url}/v1/chat/completions`, headers: { 'x-secret': secrets.header } },
      },
      retry: { attempts: 1 },
    });
    const kit = await Statek.open({
      store: store === inner ? await openEncrypted(store, { key: secrets.key }) : store,
      agents: [clerk],
      drivers: [uses],
      services: { bank },
      models,
      settings: { logLevel: 'debug', traceFile },
    });
    // A reply that works, one that the provider refuses and quotes the key, and one that breaks off.
    provider.say({ text: ['exit(await charge(5))'] });
    await (await kit.submit(clerk, { id: 'a', message: 'Charge 5.' })).result();
    provider.say({
      status: 401,
      body: JSON.stringify({ error: { message: `Incorrect API key provided: ${secrets.provider}.` } }),
    });
    errors.push(
      await (await kit.submit(clerk, { id: 'b', message: 'Charge 5.' })).result().catch((error: unknown) => error),
    );
    await (await kit.submit(uses, { id: 'c', vars: { bank } })).result();
    const listening = await server(kit, {}).listen();
    const headers = { authorization: `Bearer ${secrets.token}` };
    for (const path of [
      ...['jobs', 'queues', 'system', 'metrics', 'workers', 'caller', 'openapi.json', 'usage'],
      ...['a', 'b', 'c'].flatMap((id) => [
        ...[`jobs/${id}`, `jobs/${id}/calls`, `jobs/${id}/console`, `jobs/${id}/chat`, `jobs/${id}/locals`],
        ...[`jobs/${id}/result`, `jobs/${id}/steps`, `jobs/${id}/export`],
      ]),
    ]) {
      const answer = await fetch(`${listening.url}v1/${path}`, { headers });
      written.push(
        `${answer.status} ${[...answer.headers].join(' ')}`,
        Buffer.from(await answer.arrayBuffer()).toString('latin1'),
      );
    }
    // Who has another token is told nothing of the right one.
    written.push(await (await fetch(`${listening.url}v1/jobs`, { headers: { authorization: 'Bearer wrong' } })).text());
    await listening.close();
    for (const id of ['a', 'b', 'c'])
      for (const secret of [true, false])
        for await (const piece of kit.exportJob(id, { secrets: secret }))
          written.push(Buffer.from(piece).toString('latin1'));
    await kit.close();
  }
  for (const open of [
    () => openStore(`postgres://app:${secrets.url}@127.0.0.1:1/app`),
    () => openStore(`redis://app:${secrets.url}@127.0.0.1:1`),
    () => openEncrypted(inner, { key: randomBytes(32).toString('base64'), previousKeys: [randomBytes(32)] }),
    () => openEncrypted(inner, { key: `abcd${secrets.key}` }),
    () =>
      mcpServer({
        name: 'files',
        url: `http://app:${secrets.url}@127.0.0.1:1/mcp`,
        headers: { authorization: `Bearer ${secrets.header}` },
        connectTimeout: 2000,
      }),
  ])
    errors.push(
      await open().then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  expect(errors).not.toContain(undefined);
  for (const error of errors) written.push(wholeError(error));
  written.push(
    readFileSync(traceFile, 'utf8'),
    JSON.stringify(
      spans.getFinishedSpans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    ),
  );
  written.push(...warnings);
  const places: Record<string, Buffer> = {
    written: Buffer.from(written.join('\n'), 'latin1'),
    encrypted: await contentsOf(await openEncrypted(inner, { key: secrets.key })),
    sqlite: await contentsOf(stores[1] as Store),
  };
  // The test looks where something is.
  expect(places['written']?.includes('The bank is closed.')).toBe(true);
  expect(places['sqlite']?.includes('The bank is closed.')).toBe(true);
  const found = Object.entries(places).flatMap(([place, bytes]) =>
    Object.entries(secrets)
      .filter(([, secret]) => bytes.includes(secret))
      .map(
        ([name, secret]) =>
          `${name} in ${place}: ${bytes.toString('latin1', bytes.indexOf(secret) - 100, bytes.indexOf(secret) + 40)}`,
      ),
  );
  expect(found).toEqual([]);
  for (const store of stores) await store.close();
});

it('are taken out of what others are shown, by the names of fields and by patterns', async () => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  const [field, pattern] = ['field-0123456789', 'sk-0123456789'];
  const traceFile = join(storeFolder(), 'trace.jsonl');
  const login = tool({
    name: 'login',
    execute: async ({ password }: { password: string }) => {
      throw new Error(`no entry with ${pattern}, password: '${password}'`);
    },
  });
  const uses = program({
    role: 'uses',
    source: `const apiKey = '${field}'; const login1 = { api_key: apiKey, note: '${pattern}' }; print(login1);
      try { await login({ password: apiKey }) } catch (error) { print(error.message) }
      await ask('Is ${pattern} yours?'); login1`,
  });
  const talks = new Agent({ role: 'talks', chatStyle: 'CONSOLE', metadata: { MODEL: 'script' } });
  const script = scriptedModel([
    `exit({ password: '${field}', key: '${pattern}' })`,
    () => {
      throw new Error(`no model for ${pattern}`);
    },
  ]);
  const kit = await Statek.open({
    store: 'memory:',
    drivers: [uses],
    agents: [talks],
    services: { login },
    models: new Models({ models: { script } }),
    settings: { logLevel: 'debug', traceFile },
    redact: { fields: ['apiKey', 'password'], patterns: [/sk-\d+/] },
  });
  await kit.submit(uses, { id: 'a', vars: { login }, input: { password: field } });
  const said = await kit.submit(talks, { id: 'b', message: `My password: ${field} and ${pattern}` });
  await kit.runUntilIdle();
  await kit.submit(talks, { id: 'c', message: 'Again' });
  await kit.runUntilIdle();
  // The application itself has everything.
  expect(await said.result()).toEqual({ password: field, key: pattern });
  expect(await (await kit.job('a')).console()).toContain(`{ api_key: '${field}', note: '${pattern}' }`);
  const listening = await server(kit, { token: 'a-token-of-16-letters' }).listen();
  const headers = { authorization: 'Bearer a-token-of-16-letters' };
  const shown: string[] = [];
  for (const id of ['a', 'b', 'c'])
    for (const path of ['', '/calls', '/console', '/chat', '/locals', '/result', '/steps', '/events', '/futures'])
      shown.push(await firstPart(await fetch(`${listening.url}v1/jobs/${id}${path}`, { headers })));
  shown.push(await firstPart(await fetch(`${listening.url}v1/waiting`, { headers })));
  await listening.close();
  const files: string[] = [];
  for await (const piece of kit.exportJob('a')) files.push(Buffer.from(piece).toString('latin1'));
  const elsewhere = await Statek.open({ store: 'memory:' });
  const copy = await elsewhere.importJob(kit.exportJob('a'));
  files.push(JSON.stringify([await copy.console(), await copy.calls(), await copy.messages()]));
  await elsewhere.close();
  await kit.close();
  const spanned = JSON.stringify(spans.getFinishedSpans().map(({ attributes, status }) => ({ attributes, status })));
  const places = { shown, lines, trace: [readFileSync(traceFile, 'utf8')], spans: [spanned], copied: files.slice(-1) };
  const found = Object.entries(places).flatMap(([place, texts]) =>
    [field, pattern].filter((secret) => texts.join('\n').includes(secret)).map((secret) => `${secret} in ${place}`),
  );
  expect(found).toEqual([]);
  expect(shown.join('\n')).toContain('[redacted]');
  expect(spanned).toContain('[redacted]');
});

/** What comes at once; a stream would go on for ever. */
async function firstPart(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response.text();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!text.includes('submitted')) text += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  return text;
}

/** Everything an error says, its causes and details included. */
function wholeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, stack = '', cause, ...rest } = error;
  return [message, stack, JSON.stringify(rest), String(error), cause === undefined ? '' : wholeError(cause)].join('\n');
}
