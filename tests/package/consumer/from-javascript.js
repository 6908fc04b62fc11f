// Uses the installed package from JavaScript: every entry point must load and do what it says, threads included.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models, openStore, Statek, StatekError } from 'statek';
import { mustCommit, recordCollection } from 'statek/store';
import { openPostgres } from 'statek/postgres';
import { openRedis } from 'statek/redis';
import { ManualClock, scriptedModel, storeConformance } from 'statek/testing';

if (typeof openPostgres !== 'function' || storeConformance.length === 0) throw new Error('An entry point is empty.');
// The client library is not installed here, and only opening a store needs it.
const missing = await openRedis('redis://127.0.0.1:1').catch((error) => error);
if (missing.code !== 'STORE_FEATURE' || !missing.message.includes('npm install @redis/client')) throw missing;
if (new ManualClock(5).now() !== 5) throw new Error('The clock does not stand still.');

const folder = mkdtempSync(join(tmpdir(), 'statek-consumer-'));
for (const location of ['memory:', folder]) {
  const store = await openStore(location);
  const meetings = recordCollection('meetings');
  await store.declare(meetings);
  await mustCommit(store, {
    writes: [{ kind: 'put', collection: meetings, key: ['monday', 9], value: { title: 'Planning' } }],
  });
  const [entry] = await store.read(meetings, [['monday', 9]]);
  if (entry?.value.title !== 'Planning' || entry.revision !== 1) throw new Error(`${location} did not keep it`);
  const { problems } = await store.verify();
  if (problems.length > 0) throw new Error(problems.join(' '));
  await store.close();
  const error = await store.revision().catch((reason) => reason);
  if (!(error instanceof StatekError) || error.code !== 'STORE_CLOSED') throw new Error('A closed store answered.');
}
const kit = await Statek.open({
  store: join(folder, 'kit'),
  services: { greeter: { greet: (name) => `Hello, ${name}` } },
});
const workspace = await kit.workspace('first', { vars: { years: [1970, 2000] } });
const step = await workspace.run(
  'interface Year { n: number }; const later: Year[] = years.map((n) => ({ n: n + 1 })); print(later); later.length',
);
if (step.status !== 'done' || step.value !== 2 || step.console[0] !== '[{ n: 1971 }, { n: 2001 }]')
  throw new Error(JSON.stringify(step));
await kit.close();

// Providers are packages that are loaded when they are needed.
const fetch = () => Promise.resolve(new Response('{}', { status: 401 }));
const models = new Models({ env: { ANTHROPIC_API_KEY: 'none' }, fetch, models: { script: scriptedModel(['Hello']) } });
const messages = [{ role: 'user', content: 'Hello' }];
const reply = await models.ask({ model: 'script', messages });
if (reply.message.content[0].text !== 'Hello') throw new Error('The script was not said.');
const refused = await models.ask({ model: 'anthropic/claude', messages }).catch((reason) => reason);
if (refused.code !== 'MODEL_AUTH') throw refused;
rmSync(folder, { recursive: true });
console.log('JavaScript: works');
