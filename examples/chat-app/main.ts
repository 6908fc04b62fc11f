// A chat in the browser with a durable agent: npm run example chat-app [-- --port 3000 --store folder --model provider/name]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Models, Statek } from 'statek';
import { buildPage } from './build-page.ts';
import { clerkWith } from './clerk.ts';
import { clerkScript } from './script.ts';
import { serveApplication } from './serve.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '3000' },
    store: { type: 'string' },
    model: { type: 'string', default: 'script' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'statek-chat-'));
await buildPage(join(folder, 'page'));
const kit = await Statek.open({
  store: values.store ?? join(folder, 'store'),
  agents: [clerkWith(values.model)],
  models: new Models({ models: { script: clerkScript } }),
});
const url = await serveApplication(kit, join(folder, 'page'), Number(values.port));
const worker = kit.start();
console.log(`Open ${url} and say "book a room". Ctrl-C ends it.`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void worker
      .stop()
      .then(() => kit.close())
      .then(() => {
        rmSync(folder, { recursive: true, force: true });
        console.log('Stopped. With --store the conversations are there again after the next start.');
        process.exit();
      });
  });
